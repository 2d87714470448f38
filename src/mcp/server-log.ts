/** The last messages that a server has sent for a log. Nobody is shown them unless they ask. */

import type { LoggingMessageNotification } from "@modelcontextprotocol/client";

const KEPT = 50;
const MAX_CHARS = 500;

export class ServerLog {
  readonly #lines: string[] = [];

  add({ level, logger, data }: LoggingMessageNotification["params"]): void {
    const text = typeof data === "string" ? data : JSON.stringify(data);
    const line = `${level}${logger === undefined ? "" : ` ${logger}`}: ${text}`.replace(/\s+/g, " ");
    this.#lines.push(line.slice(0, MAX_CHARS));
    if (this.#lines.length > KEPT) this.#lines.shift();
  }

  get lines(): readonly string[] {
    return this.#lines;
  }
}
