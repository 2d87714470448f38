/** A session's shells, opened with the first command: the user's snapshot, the filtered environment, what runs in the background. */

import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { once } from "../async/once.ts";
import { openShells, type Shells } from "../shell/shells.ts";
import { snapshotPath, takeSnapshot } from "../shell/snapshot.ts";
import type { Workspace } from "./workspace.ts";

/** Names the snapshot to a kernel's `bash()`, which looks for the file with each call: it may not have been taken yet. */
export const SNAPSHOT_VARIABLE = "OMP_SHELL_SNAPSHOT";

export class SessionShells {
  /** Where the snapshot will be, once a shell has started. */
  readonly snapshotPath: string;
  readonly #shells;

  /** @param onBackgroundChange called when a background shell has started or, with a line about it, ended. */
  constructor(workspace: Workspace, onBackgroundChange?: (ended?: string) => void) {
    const { cwd, env, paths } = workspace;
    this.snapshotPath = snapshotPath(join(paths.home, "agent", "cache"));
    const shellEnv = workspace.childEnv(undefined);
    this.#shells = once(() =>
      openShells({
        cwd,
        env: shellEnv,
        /** Undefined when the user's login shell did not answer in time. */
        snapshot: async () => {
          const path = this.snapshotPath;
          const options = { shell: env["SHELL"], env: shellEnv, directory: dirname(path), path };
          const snapshot = await takeSnapshot(options);
          if (snapshot.problem !== undefined) workspace.mark(snapshot.problem);
          return snapshot.path;
        },
        runtimeBase: env["XDG_RUNTIME_DIR"] || tmpdir(),
        onBackgroundChange,
      }),
    );
  }

  readonly open = (): Shells => this.#shells.get();

  /** The persistent shell's directory; undefined before it started. */
  get directory(): string | undefined {
    return this.#shells.made?.cwd;
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

  /** @returns a line about each program that was still running. */
  async close(): Promise<readonly string[]> {
    const left = await this.#shells.made?.close();
    if (left === undefined) return [];
    return [
      ...left.shells.map(
        ({ id, command }) => `omp: background shell ${id} was still running and was ended: ${command}`,
      ),
      ...left.jobs.map((name) => `omp: ${name}, left running with &, was ended`),
    ];
  }
}
