/** A second client of a kernel, in its own process: jupyter_client, which Jupyter's own tools use. */

import { afterEach } from "bun:test";
import { join } from "node:path";
import { testPython } from "./python.ts";

export interface OtherCell {
  readonly stdout: string;
  readonly value: string | null;
  readonly error: string | null;
}

const open: SecondClient[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()));
});

export class SecondClient {
  readonly #child: Bun.Subprocess<"pipe", "pipe", "inherit">;
  readonly #lines: AsyncIterator<string>;

  private constructor(file: string) {
    this.#child = Bun.spawn([testPython.path, join(import.meta.dir, "second_client.py"), file], {
      stdin: "pipe",
      stdout: "pipe",
      stderr: "inherit",
    });
    this.#lines = linesOf(this.#child.stdout);
  }

  /** Ends with the test. */
  static async connect(file: string): Promise<SecondClient> {
    const client = new SecondClient(file);
    open.push(client);
    await client.#answer();
    return client;
  }

  run(code: string): Promise<OtherCell> {
    return this.#ask({ op: "run", code });
  }

  /** Resolves when the cell has started. */
  async begin(code: string): Promise<void> {
    await this.#ask({ op: "begin", code });
  }

  /** Resolves with the result of the cell that `begin` started. */
  end(): Promise<OtherCell> {
    return this.#ask({ op: "end" });
  }

  /** Resolves with the prompt when the cell that `begin` started has asked for input, and got this. */
  async type(text: string): Promise<string> {
    return (await this.#ask<{ readonly prompt: string }>({ op: "type", text })).prompt;
  }

  async shutdownKernel(): Promise<void> {
    await this.#ask({ op: "shutdown" });
  }

  async close(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.exited;
  }

  async #ask<Answer = OtherCell>(request: object): Promise<Answer> {
    this.#child.stdin.write(`${JSON.stringify(request)}\n`);
    await this.#child.stdin.flush();
    return await this.#answer();
  }

  async #answer<Answer>(): Promise<Answer> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error("the second client ended without an answer; its errors are above");
    return JSON.parse(value);
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder();
  let pending = "";
  for await (const chunk of stream) {
    pending += decoder.decode(chunk, { stream: true });
    const lines = pending.split("\n");
    pending = lines.pop() ?? "";
    yield* lines;
  }
}
