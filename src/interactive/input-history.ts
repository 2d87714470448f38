/** Earlier inputs, of this session and of those before it. Read after the first paint; until then it is this session's alone. */

import { join } from "node:path";
import { ompPaths } from "../config/paths.ts";
import type { Invocation } from "../protocol/invocation.ts";
import { HistoryFile } from "../ui/editor/history-file.ts";

export class InputHistory {
  readonly #file: HistoryFile;
  #entries: readonly string[] = [];
  #problem: string | undefined;

  constructor({ env }: Invocation) {
    this.#file = new HistoryFile({ path: join(ompPaths({ env }).home, "agent", "history.jsonl") });
  }

  get entries(): readonly string[] {
    return this.#entries;
  }

  async load(): Promise<void> {
    this.#entries = await this.#file.entries();
  }

  /** @returns what was wrong when it could not be kept, unless that is nothing new. */
  async add(text: string): Promise<string | undefined> {
    const kept = this.#file.add(text);
    // At once: the next key may be the one that looks for it, and a disk can be slow.
    await this.load();
    const before = this.#problem;
    this.#problem = await kept;
    return this.#problem === before ? undefined : this.#problem;
  }
}
