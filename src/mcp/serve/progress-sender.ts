/** Output as it streams → progress notifications, never faster than the client takes them. */

const MAX_MESSAGE_CHARS = 2_000;

export class ProgressSender {
  readonly #send: (progress: number, message: string) => Promise<void>;
  #waiting = "";
  #count = 0;
  #sending: Promise<void> | undefined;

  constructor(send: (progress: number, message: string) => Promise<void>) {
    this.#send = send;
  }

  add(text: string): void {
    this.#waiting = (this.#waiting + Bun.stripANSI(text)).slice(-MAX_MESSAGE_CHARS);
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
  }

  /** Progress may not follow the result. */
  async finish(): Promise<void> {
    await this.#sending;
  }

  async #sendAll(): Promise<void> {
    // What arrives in one go is told in one go.
    await Promise.resolve();
    while (this.#waiting !== "") {
      const message = this.#waiting;
      this.#waiting = "";
      this.#count += 1;
      await this.#send(this.#count, message);
    }
  }
}
