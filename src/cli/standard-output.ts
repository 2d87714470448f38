/**
 * Our stdout. A reader that has gone (`| head`) ends the writing and is nobody's error; anything else, such as a full disk, must not
 * look like success.
 */

import { systemCode } from "../protocol/index.ts";

export class StandardOutput {
  #failure: string | undefined;

  constructor() {
    // The callbacks below tell all there is to know; without a listener the same error would end the process.
    process.stdout.on("error", () => undefined);
  }

  readonly write = (text: string): void => {
    process.stdout.write(text, (error) => {
      const code = error ? (systemCode(error) ?? "EIO") : undefined;
      if (code !== "EPIPE") this.#failure ??= code;
    });
  };

  /** Waits until all is written; the system's code when that failed. */
  async finish(): Promise<string | undefined> {
    await new Promise<void>((resolve) => void process.stdout.write("", () => resolve()));
    return this.#failure;
  }
}
