/** The shells of a session, put together: the persistent one and those in the background. Nothing starts before it is needed. */

import { accessSync, constants } from "node:fs";
import { tmpdir } from "node:os";
import { sharedWatchdog, type Watchdog } from "../process/watchdog.ts";
import { systemCode } from "../protocol/index.ts";
import type { BackgroundShell } from "./background-shell.ts";
import { BackgroundShells } from "./background-shells.ts";
import { PipeNumbers } from "./command-pipes.ts";
import { shellEnvironment } from "./environment.ts";
import { PersistentShell } from "./persistent-shell.ts";
import { findBash, PrivateDirectory, type ShellPlace } from "./shell-place.ts";

export interface ShellsOptions {
  /** Where the shell starts. */
  readonly cwd: string;
  /** The filtered environment; what tells programs that there is no keyboard is added here. */
  readonly env: Readonly<Record<string, string>>;
  /** The file that `takeSnapshot` made, or how to get it when the first shell starts; undefined: without. */
  readonly snapshot?: string | (() => Promise<string | undefined>) | undefined;
  /** Where background output is kept (0700 inside). Default: the system's directory for temporary files. */
  readonly runtimeBase?: string | undefined;
  /**
   * Where the small files are that every command needs; a busy disk makes each command a millisecond slower, so the
   * default is a file system in memory where there is one.
   */
  readonly memoryBase?: string | undefined;
  /** Of each stream of each background shell on disk. Default 4 MB. */
  readonly maxBackgroundBytes?: number | undefined;
  /** A background shell has started or ended. */
  readonly onBackgroundChange?: ((ended?: string) => void) | undefined;
  readonly watchdog?: Watchdog | undefined;
}

/** What was still running when the session ended, for who has to say so. */
export interface LeftRunning {
  readonly shells: readonly { readonly id: string; readonly command: string }[];
  /** Names of programs that commands had left in the background with `&`. */
  readonly jobs: readonly string[];
}

export interface Shells {
  /** Starts with the first call. */
  persistent(): Promise<PersistentShell>;
  readonly background: BackgroundShells;
  /** Starts a command on its own, with the directory, variables and functions of the persistent shell. */
  startBackground(command: string, options: BackgroundRequest): Promise<BackgroundShell>;
  /** Where the persistent shell stands; undefined before it started. */
  readonly cwd: string | undefined;
  /** One line for each background shell that ended since the last call: for the agent's next turn. */
  takeAnnouncements(): readonly string[];
  close(): Promise<LeftRunning>;
}

export interface BackgroundRequest {
  readonly description: string | undefined;
  /** Default: where the persistent shell is. */
  readonly cwd: string | undefined;
}

export function openShells(options: ShellsOptions): Shells {
  const watchdog = options.watchdog ?? sharedWatchdog();
  const background = new BackgroundShells({
    maxBytes: options.maxBackgroundBytes ?? 4_000_000,
    onChange: options.onBackgroundChange,
  });
  let opened: Promise<OpenPlace> | undefined;
  let shell: PersistentShell | undefined;
  const open = async () => {
    opened ??= openPlace(options, watchdog).catch((error: unknown) => {
      // What was missing may be there at the next call.
      opened = undefined;
      throw error;
    });
    const place = await opened;
    shell = place.shell;
    return place;
  };
  return {
    background,
    get cwd() {
      return shell?.cwd;
    },
    persistent: async () => (await open()).shell,
    takeAnnouncements: () => background.takeAnnouncements(),
    startBackground: async (command, { description, cwd }) => {
      const { place, shell, pipes, logs } = await open();
      const state = await shell.state();
      if (place.directory.ensure()) pipes.forget();
      logs.ensure();
      return background.start({ ...place, command, description, pipes, logs, state, cwd: cwd ?? shell.cwd });
    },
    close: async () => {
      if (opened === undefined) return { shells: [], jobs: [] };
      const { shell, place, logs } = await opened;
      const [shells, jobs] = await Promise.all([background.close(), shell.close()]);
      place.directory.remove();
      logs.remove();
      return {
        shells: shells.map(({ id, command }) => ({ id, command })),
        jobs: jobs.map(({ name }) => name),
      };
    },
  };
}

interface OpenPlace {
  readonly place: ShellPlace;
  readonly shell: PersistentShell;
  readonly pipes: PipeNumbers;
  /** Where background shells keep their output. */
  readonly logs: PrivateDirectory;
}

async function openPlace(options: ShellsOptions, watchdog: Watchdog): Promise<OpenPlace> {
  const env = shellEnvironment(options.env);
  const bash = findBash(env);
  const snapshot = typeof options.snapshot === "function" ? await options.snapshot() : options.snapshot;
  const base = options.runtimeBase ?? tmpdir();
  const logs = new PrivateDirectory(base, watchdog);
  const directory = new PrivateDirectory(options.memoryBase ?? memoryBase() ?? base, watchdog);
  const place: ShellPlace = { bash, env, cwd: options.cwd, snapshot, directory, watchdog };
  return {
    place,
    shell: new PersistentShell(place),
    pipes: new PipeNumbers(`${directory.path}/background-`),
    logs,
  };
}

function memoryBase(): string | undefined {
  try {
    accessSync("/dev/shm", constants.W_OK | constants.X_OK);
    return "/dev/shm";
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}
