/** A session's Python: where its kernels live, whether it works, what is known about it, and the kernels. Nothing starts before it is needed. */

import { once } from "../async/once.ts";
import { kernelClosedError } from "../kernel/errors.ts";
import { type PlaceWords, placeWords } from "../kernel/hosts/kernel-place.ts";
import {
  checkPython,
  type KernelNews,
  type KernelsOptions,
  openKernels,
  type PythonFacts,
  placeOf,
  pythonFacts,
} from "../kernel/hosts/kernels.ts";
import type { KernelQuestion, MessageContent } from "../kernel/kernel.ts";
import type { KernelPool, Look } from "../kernel/pool/pool.ts";
import { type EffectiveToolMode, effectiveToolMode } from "../python/tool-mode.ts";
import { SNAPSHOT_VARIABLE } from "./shells.ts";
import type { Workspace } from "./workspace.ts";

export type { KernelQuestion, MessageContent } from "../kernel/kernel.ts";

/** Called when the kernel changes by itself. */
export type KernelEvents = KernelNews;

export interface PythonOptions {
  readonly workspace: Workspace;
  readonly sessionId: string;
  /** The connection file of an existing kernel; without it kernels live where the settings say. */
  readonly kernel?: string | undefined;
  readonly events?: KernelEvents | undefined;
  /** Where the shell's snapshot will be, for `bash()` in a cell. */
  readonly snapshotPath: string;
  readonly trace: (line: string) => void;
}

/** Throws an OmpError when `kernel` names nothing that can be used. */
export async function openPython(options: PythonOptions): Promise<SessionPython> {
  const { workspace, kernel } = options;
  if (kernel === undefined) return new SessionPython(options, undefined);
  const { existingConnection } = await import("../kernel/hosts/existing-connection.ts");
  return new SessionPython(options, existingConnection(kernel, { ...workspace, mode: workspace.toolMode }));
}

export class SessionPython {
  /** Where kernels live, for people and for the model. */
  readonly host: PlaceWords;
  /** What the python tool has to know about a kernel that omp does not run itself. */
  readonly toolFacts: { readonly elsewhere: string | undefined; readonly existing: string | undefined };
  readonly #workspace: Workspace;
  readonly #session: { readonly sessionId: string; readonly cwd: string };
  readonly #kernelsOptions: KernelsOptions;
  readonly #kernels = once(async () => {
    // A kernel that is asked for after the end would outlive omp.
    if (this.#isClosed) throw kernelClosedError();
    return await openKernels(this.#kernelsOptions);
  });
  #isClosed = false;

  constructor(
    { workspace, sessionId, events, snapshotPath, trace }: PythonOptions,
    existing: KernelsOptions["existing"],
  ) {
    this.#workspace = workspace;
    this.#session = { sessionId, cwd: workspace.cwd };
    this.#kernelsOptions = {
      ...workspace,
      existing,
      kernelEnv: (interpreter) => ({
        ...workspace.childEnv(interpreter),
        [SNAPSHOT_VARIABLE]: snapshotPath,
      }),
      trace,
      keepsState: events !== undefined && workspace.origin("python.idleTimeout") === "default",
      news: events,
    };
    const place = placeOf(this.#kernelsOptions);
    this.host = placeWords(place);
    this.toolFacts = {
      elsewhere: place.kind === "external" ? this.host.name : undefined,
      existing: existing?.file,
    };
  }

  /** Opened with the first call. Throws KernelError. */
  readonly kernels = (): Promise<KernelPool> => this.#kernels.get();

  /** Which of `python` and `bash` there are once Python has been checked: it may turn out not to work. */
  async toolMode(): Promise<EffectiveToolMode> {
    const { environment, settings, toolMode } = this.#workspace;
    const isUnchecked = toolMode === "bash-only" || environment.skipPythonCheck;
    return effectiveToolMode({
      override: environment.toolMode,
      setting: settings.python.toolMode,
      preflight: isUnchecked ? undefined : await checkPython(this.#kernelsOptions),
    });
  }

  /** The interpreter that kernels run in; undefined when none works, or it is on another machine. */
  async facts(): Promise<PythonFacts | undefined> {
    return await pythonFacts(this.#kernelsOptions);
  }

  /**
   * Starts the session's kernel, so that the first cell need not wait for it. @returns its Python's version; undefined where no kernel
   * outlives a call. Throws KernelError.
   */
  async warmUp(signal: AbortSignal): Promise<string | undefined> {
    const pool = await this.kernels();
    const look = await pool.look({ ...this.#session, signal }, async ({ facts }) => facts.pythonVersion);
    return look.kind === "answer" ? look.value : undefined;
  }

  /** Asks the session's kernel something that runs no code; starts it when there is none. Throws KernelError. */
  async ask(
    question: KernelQuestion,
    content: MessageContent,
    signal: AbortSignal,
  ): Promise<Look<MessageContent>> {
    const pool = await this.kernels();
    return await pool.look({ ...this.#session, signal }, (kernel) => kernel.ask(question, content));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    // A start that failed has nothing to close, and its caller has the error.
    await this.#kernels.made?.then((pool) => pool.close()).catch(() => undefined);
  }
}
