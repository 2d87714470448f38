/** The shells of a session: the persistent one and those in the background. Nothing starts before it is needed. */

import { accessSync, constants, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import type { Confinement } from "../process/confinement.ts";
import { sharedWatchdog, type Watchdog } from "../process/watchdog.ts";
import { attempt } from "../protocol/index.ts";
import type { BackgroundShell, BackgroundWishes } from "./background-shell.ts";
import { BackgroundShells } from "./background-shells.ts";
import { PipeNumbers } from "./command-pipes.ts";
import { enterScript } from "./enter-environment.ts";
import { shellEnvironment } from "./environment.ts";
import { PersistentShell } from "./persistent-shell.ts";
import type { RunOptions } from "./run-options.ts";
import { type LiveShell, readLiveShell } from "./safety/live-shell.ts";
import type { ShellOutcome } from "./shell-outcome.ts";
import { findBash, PrivateDirectory, type ShellSetup } from "./shell-setup.ts";

type Variables = Readonly<Record<string, string>>;

export interface ShellsOptions {
  /** Where the shell starts. */
  readonly cwd: string;
  /** The filtered environment; variables that keep programs from waiting for a keyboard are added here. */
  readonly env: Variables | (() => Promise<Variables>);
  /** The file that `takeSnapshot` made, or how to get it when the first shell starts; undefined: without. */
  readonly snapshot?: string | (() => Promise<string | undefined>) | undefined;
  /** Where background output is kept (0700 inside). Default: the system's directory for temporary files. */
  readonly runtimeBases?: readonly string[] | undefined;
  /**
   * Where the small files are that every command needs. A busy disk makes each command a millisecond slower, so the
   * default is a file system in memory where there is one.
   */
  readonly memoryBase?: string | undefined;
  /** Of each stream of each background shell on disk. Default 4 MB. */
  readonly maxBackgroundBytes?: number | undefined;
  /** A background shell has started or ended. */
  readonly onBackgroundChange?: ((ended?: string) => void) | undefined;
  readonly watchdog?: Watchdog | undefined;
  /** The sandbox that every shell runs in. Default: none. */
  readonly confinement?: Confinement | undefined;
}

/** What was still running when the session ended, for the user to see. */
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
  startBackground(
    command: string,
    wishes?: BackgroundWishes & { readonly isOutside?: boolean },
  ): Promise<BackgroundShell>;
  /** Runs a command in a new shell outside the sandbox, which ends with it, and everything that it started. */
  runOutside(command: string, options: RunOptions): Promise<ShellOutcome>;
  /**
   * What the next command of the persistent shell, or of one outside the sandbox, will find; before the first one, what it will start
   * with. Starts nothing.
   */
  look(where?: { readonly isOutside: boolean }): Promise<LiveShell>;
  /** The directory of the persistent shell; undefined before it has started. */
  readonly cwd: string | undefined;
  /** The persistent shell's state, as a script in latin1; undefined before its first command. */
  state(): Promise<string | undefined>;
  /** Gives the persistent shell an earlier state; undefined: that of a new one. */
  restore(state: string | undefined): Promise<void>;
  /** Whether any command has run. */
  readonly isUsed: boolean;
  close(): Promise<LeftRunning>;
}

const BACKGROUND_BYTES = 4_000_000;

export function openShells(options: ShellsOptions): Shells {
  const watchdog = options.watchdog ?? sharedWatchdog();
  const background = new BackgroundShells({
    maxBytes: options.maxBackgroundBytes ?? BACKGROUND_BYTES,
    onChange: options.onBackgroundChange,
  });
  let opened: Promise<OpenSetup> | undefined;
  let shell: PersistentShell | undefined;
  /** Of background shells outside the sandbox: nothing inside may see, let alone write, what these are started with. */
  const outsiders: OpenSetup[] = [];
  let hasRunOutside = false;
  const openOutside = () => {
    hasRunOutside = true;
    return openSetup({ ...options, confinement: undefined }, watchdog);
  };
  const open = async () => {
    opened ??= openSetup(options, watchdog).catch((error: unknown) => {
      // What was missing may be there at the next call.
      opened = undefined;
      throw error;
    });
    const open = await opened;
    shell = open.shell;
    await follow(open, await environmentOf(options));
    return open;
  };
  return {
    background,
    get cwd() {
      return shell?.cwd;
    },
    get isUsed() {
      return hasRunOutside || shell?.isUsed === true || background.list().length > 0;
    },
    persistent: async () => (await open()).shell,
    state: async () => await shell?.state(),
    restore: async (state) => await shell?.restore(state),
    runOutside: async (command, run) => {
      const open = await openOutside();
      try {
        const outcome = await open.shell.run(command, run);
        const ended = (await open.shell.close()).map(
          ({ name }) => `${name}, left running with &, was stopped`,
        );
        // What it says about the shell that would run the next command is true of the other one only.
        return { ...outcome, replaced: false, notes: ended };
      } finally {
        await open.shell.close();
        removeDirectories(open);
      }
    },
    look: async ({ isOutside } = { isOutside: false }) => {
      const printed = isOutside ? undefined : await shell?.definitions();
      if (printed !== undefined) return readLiveShell(Buffer.from(printed, "latin1").toString());
      const snapshot = await snapshotOf(options);
      const text = snapshot === undefined ? undefined : attempt(() => readFileSync(snapshot, "utf8"));
      return readLiveShell(text ?? "", await environmentOf(options));
    },
    startBackground: async (command, { isOutside = false, ...wishes } = {}) => {
      const inside = isOutside ? undefined : await open();
      const { setup, shell, pipes, logs } = inside ?? (await openOutside());
      // What programs inside have defined stays there.
      const state = await inside?.shell.state();
      if (inside === undefined) outsiders.push({ setup, shell, pipes, logs });
      if (setup.directory.ensure()) pipes.forget();
      logs.ensure();
      const cwd = wishes.cwd ?? shell.cwd;
      return background.start({ ...setup, ...wishes, command, pipes, logs, state, cwd });
    },
    close: async () => {
      const open = await opened;
      const [shells, jobs] = await Promise.all([background.close(), open?.shell.close() ?? []]);
      for (const each of open === undefined ? outsiders : [open, ...outsiders]) removeDirectories(each);
      return {
        shells: shells.map(({ id, command }) => ({ id, command })),
        jobs: jobs.map(({ name }) => name),
      };
    },
  };
}

function removeDirectories({ setup, logs }: OpenSetup): void {
  setup.directory.remove();
  logs.remove();
}

const FOLLOW_MS = 5_000;

/** Another Python may be chosen by now than when the shell was started. */
async function follow({ setup, shell }: OpenSetup, env: Record<string, string>): Promise<void> {
  const script = enterScript(setup.env, env);
  if (script === undefined) return;
  setup.env = env;
  const { signal } = new AbortController();
  const unheard = { onStdout: () => undefined, onStderr: () => undefined };
  if (shell.pid !== undefined) await shell.run(script, { timeoutMs: FOLLOW_MS, signal, ...unheard });
}

interface OpenSetup {
  readonly setup: ShellSetup;
  readonly shell: PersistentShell;
  readonly pipes: PipeNumbers;
  /** Where background shells keep their output. */
  readonly logs: PrivateDirectory;
}

async function openSetup(options: ShellsOptions, watchdog: Watchdog): Promise<OpenSetup> {
  const env = await environmentOf(options);
  const bash = findBash(env);
  const snapshot = await snapshotOf(options);
  const bases = options.runtimeBases ?? [tmpdir()];
  const inMemory = options.memoryBase ?? memoryBase();
  const logs = new PrivateDirectory(bases, watchdog);
  const directory = new PrivateDirectory(inMemory === undefined ? bases : [inMemory], watchdog);
  const { cwd, confinement } = options;
  const setup: ShellSetup = { bash, env, confinement, cwd, snapshot, directory, watchdog };
  return {
    setup,
    shell: new PersistentShell(setup),
    pipes: new PipeNumbers(`${directory.path}/background-`),
    logs,
  };
}

async function environmentOf({ env }: ShellsOptions): Promise<Record<string, string>> {
  return shellEnvironment(typeof env === "function" ? await env() : env);
}

async function snapshotOf({ snapshot }: ShellsOptions): Promise<string | undefined> {
  return typeof snapshot === "function" ? await snapshot() : snapshot;
}

function memoryBase(): string | undefined {
  return attempt(() => {
    accessSync("/dev/shm", constants.W_OK | constants.X_OK);
    return "/dev/shm";
  });
}
