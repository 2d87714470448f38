/** A session's shells, opened with the first command: the user's snapshot, the filtered environment, what runs in the background. */

import { existsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { once } from "../async/once.ts";
import type { Confinement } from "../process/confinement.ts";
import { attempt } from "../protocol/index.ts";
import { runtimeBases } from "../python/runtime-bases.ts";
import { type LeftRunning, openShells, type Shells } from "../shell/shells.ts";
import { snapshotPath, takeSnapshot } from "../shell/snapshot.ts";
import type { Workspace } from "./workspace.ts";

/** Names the snapshot to a kernel's `bash()`, which waits for the file: it may not have been taken yet. */
export const SNAPSHOT_VARIABLE = "OMP_SHELL_SNAPSHOT";

export interface SessionShellsOptions {
  /** The sandbox that they run in. */
  readonly confinement?: Confinement | undefined;
  /** Set in all of them, and not while the snapshot is taken, which outlives the session. */
  readonly variables?: (() => Readonly<Record<string, string>>) | undefined;
  /** Called when a background shell has started or, with a line about it, ended. */
  readonly onChange?: ((ended?: string) => void) | undefined;
}

export class SessionShells {
  /** Where the snapshot will be, once a shell or a kernel has been asked for. */
  readonly snapshotPath: string;
  readonly #snapshot;
  readonly #closing = new AbortController();
  readonly #open;
  #shells;
  /** By a restart. */
  #isUsedBefore = false;

  constructor(workspace: Workspace, { confinement, variables, onChange }: SessionShellsOptions = {}) {
    const { cwd, env, paths } = workspace;
    const path = snapshotPath(join(paths.home, "agent", "cache"));
    this.snapshotPath = path;
    // The kernel's interpreter, also for `pip` and `python` in a command.
    let known: { readonly path: string | undefined; readonly env: Record<string, string> } | undefined;
    const shellEnv = async () => {
      const { found } = await workspace.findInterpreter();
      if (known?.path !== found?.path || known === undefined)
        known = { path: found?.path, env: workspace.childEnv(found) };
      return known.env;
    };
    this.#snapshot = once(async () => {
      const { signal } = this.#closing;
      const options = { shell: env["SHELL"], env: await shellEnv(), directory: dirname(path), path, signal };
      const { problem } = await takeSnapshot(options);
      if (problem === undefined) return path;
      workspace.mark(problem);
      // An empty one, so that nothing waits for it any longer.
      attempt(() => writeFileSync(path, "", { mode: 0o600 }));
      return existsSync(path) ? path : undefined;
    });
    this.#open = (inside: Confinement | undefined) =>
      once(() =>
        openShells({
          cwd,
          env: async () => ({ ...(await shellEnv()), ...variables?.() }),
          snapshot: this.takeSnapshot,
          runtimeBases: runtimeBases(env),
          onBackgroundChange: onChange,
          confinement: inside,
        }),
      );
    this.#shells = this.#open(confinement);
  }

  readonly open = (): Shells => this.#shells.get();

  /** Starts the shell, so that the first command need not wait for it. Throws ShellError. */
  async warmUp(): Promise<void> {
    (await this.open().persistent()).warmUp();
  }

  /** Once for shells and kernels. @returns its path; undefined where not even a file can be made. */
  readonly takeSnapshot = (): Promise<string | undefined> => this.#snapshot.get();

  /** The persistent shell's directory; undefined before it started. */
  get directory(): string | undefined {
    return this.#shells.made?.cwd;
  }

  /** The persistent shell's state, as a script; undefined before its first command. */
  async state(): Promise<string | undefined> {
    return await this.#shells.made?.state();
  }

  /** Gives the persistent shell an earlier state; undefined: that of a new one. Throws ShellError. */
  async restore(state: string | undefined): Promise<void> {
    await this.#shells.made?.restore(state);
  }

  /** Changes when they are restarted: what a shell inside a sandbox was is not to be run outside it. */
  get era(): object {
    return this.#shells;
  }

  /** Whether any command has run. */
  get isUsed(): boolean {
    return this.#isUsedBefore || this.#shells.made?.isUsed === true;
  }

  /** Background shells, also those that have ended. */
  background() {
    return this.#shells.made?.background.list() ?? [];
  }

  /** @returns whether this ended it; undefined when there is no background shell of that id. */
  async kill(id: string): Promise<boolean | undefined> {
    return await this.#shells.made?.background.get(id)?.kill();
  }

  /** What ended in the background since the last call, for the model. */
  takeAnnouncements(): readonly string[] {
    return this.#shells.made?.background.takeAnnouncements() ?? [];
  }

  /** Ends them; those of the next command run in another sandbox, or in none. @returns as `close`. */
  async restart(confinement: Confinement | undefined): Promise<readonly string[]> {
    const before = this.#shells;
    this.#isUsedBefore = this.isUsed;
    this.#shells = this.#open(confinement);
    return describeLeft(await before.made?.close());
  }

  /** @returns a line about each program that was still running. */
  async close(): Promise<readonly string[]> {
    this.#closing.abort();
    return describeLeft(await this.#shells.made?.close());
  }
}

function describeLeft(left: LeftRunning | undefined): readonly string[] {
  if (left === undefined) return [];
  return [
    ...left.shells.map(
      ({ id, command }) => `omp: background shell ${id} was still running and has been stopped: ${command}`,
    ),
    ...left.jobs.map((name) => `omp: ${name}, left running with &, was stopped`),
  ];
}
