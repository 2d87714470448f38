/** Earlier inputs, of this session and previous ones. The file is read after the first paint; until then only this session's are known. */

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

  /** @returns why it could not be saved, unless that was reported already. */
  async add(text: string): Promise<string | undefined> {
    const kept = this.#file.add(text);
    // Before it is saved: the next key may look for it, and a disk can be slow.
    await this.load();
    const before = this.#problem;
    this.#problem = await kept;
    return this.#problem === before ? undefined : this.#problem;
  }
}
