/** The persistent shell over time: its directory, variables and functions, for as long as omp runs. They never reach the disk. */

import type { Moment } from "../history/entry.ts";
import type { RewindShell } from "./rewind.ts";
import type { SessionShells } from "./shells.ts";

/** More than anyone goes back. */
const MOST = 100;
/** Of a state; one that is larger is not kept. */
const MAX_CHARS = 1_000_000;

type Shells = Pick<SessionShells, "state" | "restore" | "directory" | "era">;

export class ShellMoments implements RewindShell {
  readonly #shells: Shells;
  /** By what the log has of a moment. */
  readonly #states = new Map<string, string | undefined>();
  #last: { readonly id: string; readonly state: string | undefined } | undefined;
  #count = 0;
  #era: object;

  constructor(shells: Shells) {
    this.#shells = shells;
    this.#era = shells.era;
  }

  async keep(): Promise<Pick<Moment, "shell">> {
    this.#forgetOthers();
    const state = await this.#shells.state();
    if ((state?.length ?? 0) > MAX_CHARS) return {};
    if (this.#last === undefined || this.#last.state !== state) {
      this.#count += 1;
      this.#last = { id: `${process.pid}-${this.#count}`, state };
      this.#states.set(this.#last.id, state);
      const [oldest] = this.#states.keys();
      if (this.#states.size > MOST && oldest !== undefined) this.#states.delete(oldest);
    }
    const { directory = null } = this.#shells;
    return { shell: { state: this.#last.id, directory } };
  }

  has({ shell }: Moment): boolean {
    this.#forgetOthers();
    return shell !== undefined && this.#states.has(shell.state);
  }

  async restore(moment: Moment): Promise<void> {
    if (this.has(moment)) await this.#shells.restore(this.#states.get(moment.shell?.state ?? ""));
  }

  #forgetOthers(): void {
    if (this.#era === this.#shells.era) return;
    this.#era = this.#shells.era;
    this.#states.clear();
    this.#last = undefined;
  }
}
