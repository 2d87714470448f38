/** A session's Python: where its kernels live, whether it works, what is known about it, and the kernels. Nothing starts before it is needed. */

import { onceSuccessful } from "../async/once.ts";
import { kernelClosedError } from "../kernel/errors.ts";
import type { HostDescription } from "../kernel/hosts/host-choice.ts";
import { type PythonFacts, SessionHost, type SessionHostOptions } from "../kernel/hosts/session-host.ts";
import type { Kernel, KernelQuestion, MessageContent, StartKernelOptions } from "../kernel/kernel.ts";
import type { Branches } from "../kernel/pool/branches.ts";
import { sessionHistory } from "../kernel/pool/history.ts";
import type { KernelPool, Look } from "../kernel/pool/pool.ts";
import type { KeptVariables } from "../kernel/variables/kept-file.ts";
import type { VariableHistory } from "../protocol/time.ts";
import { lentCloudpickle } from "../python/lent-cloudpickle.ts";
import { type EffectiveToolMode, effectiveToolMode } from "../python/tool-mode.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { checkPlace, chosenPlace, stuckError } from "./kernel-place.ts";
import { isLooser, type SandboxSetting } from "./sandbox.ts";
import { type SessionShells, SNAPSHOT_VARIABLE } from "./shells.ts";
import type { Workspace } from "./workspace.ts";

export type { KernelEvents } from "../kernel/hosts/session-host.ts";
export type { KernelQuestion, MessageContent } from "../kernel/kernel.ts";

export interface PythonOptions
  extends Pick<SessionHostOptions, "existing" | "events" | "trace" | "kernelVariables"> {
  readonly confinement: Sandbox | undefined;
  readonly workspace: Workspace;
  readonly sessionId: string;
  /** For `bash()` in a cell: where the shell's snapshot will be, and how it is taken. */
  readonly shells: Pick<SessionShells, "snapshotPath" | "takeSnapshot">;
}

export class SessionPython {
  readonly #workspace: Workspace;
  readonly #session: { readonly sessionId: string; readonly cwd: string };
  readonly #openHost: (confinement: Sandbox | undefined, place: string | undefined) => SessionHost;
  readonly #existing: PythonOptions["existing"];
  readonly #shells: PythonOptions["shells"];
  readonly #trace: PythonOptions["trace"];
  #host: SessionHost;
  #kernels;
  #isClosed = false;
  #confinement: Sandbox | undefined;
  /** A gateway's name, or `local`, where the kernel was moved; else as the settings say. */
  #place: string | undefined;
  /** The variables of the session's earlier run, until its first kernel was used. */
  #restoring: KeptVariables | undefined;
  /** Once it has been opened. */
  #pool: KernelPool | undefined;
  #isUsed = false;

  constructor(options: PythonOptions) {
    const { workspace, sessionId, existing, events, shells, trace, confinement, kernelVariables } = options;
    this.#workspace = workspace;
    this.#shells = shells;
    this.#trace = trace;
    this.#confinement = confinement;
    this.#session = { sessionId, cwd: workspace.cwd };
    this.#existing = existing;
    this.#openHost = (inside, place) => {
      const host: SessionHost = new SessionHost({
        ...workspace,
        ...(place === undefined ? {} : chosenPlace(place, workspace)),
        existing,
        kernelEnv: (interpreter) => ({
          ...workspace.childEnv(interpreter),
          [SNAPSHOT_VARIABLE]: shells.snapshotPath,
        }),
        trace,
        confinement: inside,
        kernelVariables,
        onProgress: events?.onKernelProgress ?? ((line) => trace(`omp: ${line}`)),
        keepsState: events !== undefined && workspace.origin("python.idleTimeout") === "default",
        onStarted: async (kernel, start) => {
          // One that is to be moved to gets what the present one holds.
          if (host === this.#host) await this.#giveVariables(kernel, start);
        },
        events,
      });
      return host;
    };
    this.#host = this.#openHost(confinement, undefined);
    this.#kernels = this.#poolOf(this.#host);
  }

  /** Where kernels live, for people and for the model. */
  get host(): HostDescription {
    return this.#host.description;
  }

  /** What the python tool has to know about a kernel that omp does not run itself. */
  get toolFacts() {
    return {
      elsewhere: this.host.isElsewhere ? this.host.name : undefined,
      existing: this.#existing?.file,
      hasBridge: this.#workspace.settings.bridge.existingKernels,
    };
  }

  #poolOf(host: SessionHost) {
    return onceSuccessful(async () => {
      // A kernel that is asked for after the end would outlive omp.
      if (this.#isClosed) throw kernelClosedError();
      this.#isUsed = true;
      const pool = await host.openPool();
      this.#pool = pool;
      // While the kernel starts: `bash()` in a cell waits for it.
      const { isElsewhere, isBorrowed } = host.description;
      if (!isElsewhere && !isBorrowed) void this.#shells.takeSnapshot();
      return pool;
    });
  }

  /** Whether there was a kernel, or the beginning of one. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** Opened with the first call. Throws KernelError. */
  readonly kernels = (): Promise<KernelPool> => this.#kernels.get();

  /** The past of the session's kernel. Starts nothing: before the first use there is none. */
  readonly history: VariableHistory = {
    checkpoint: (signal) => this.#past.checkpoint(signal),
    find: (id) => this.#past.find(id),
    // What was kept of an earlier session is there again in a kernel that is otherwise empty.
    changesSince: async (id, signal) =>
      id === undefined && this.#restoring ? undefined : await this.#past.changesSince(id, signal),
    restore: (id, signal) => this.#past.restore(id, signal),
  };

  /** The copies of the session's kernel, once its kernels have been opened. */
  get knownBranches(): Branches | undefined {
    return this.#pool?.branches(this.#session);
  }

  /** The copies of the session's kernel. Throws KernelError. */
  readonly branches = async (): Promise<Branches> => (await this.kernels()).branches(this.#session);

  get #past(): VariableHistory {
    return this.#pool?.history(this.#session) ?? unopenedHistory(this.host);
  }

  /** Which of `python` and `bash` there are once Python has been checked: it may turn out not to work. */
  async toolMode(): Promise<EffectiveToolMode> {
    const { environment, settings, toolMode } = this.#workspace;
    const isUnchecked = toolMode === "bash-only" || environment.skipPythonCheck;
    return effectiveToolMode({
      override: environment.toolMode,
      setting: settings.python.toolMode,
      preflight: isUnchecked ? undefined : await this.#host.check(),
    });
  }

  /** The interpreter that kernels run in; undefined when none works, or it is on another machine. */
  async facts(): Promise<PythonFacts | undefined> {
    return await this.#host.facts();
  }

  /** The interpreter that `exec` and `python_run` use; undefined when it does not work. */
  async scriptFacts(): Promise<PythonFacts | undefined> {
    return await this.#host.scriptFacts();
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

  /** Asks the session's kernel, or a branch of it, something that runs no code; starts the kernel when there is none. Throws KernelError. */
  async ask(
    question: KernelQuestion,
    content: MessageContent,
    { signal, branch }: { readonly signal: AbortSignal; readonly branch?: string | undefined },
  ): Promise<Look<MessageContent>> {
    const pool = await this.kernels();
    return await pool.look({ ...this.#session, signal, branch }, (kernel) => kernel.ask(question, content));
  }

  /** Ends the kernel; the next one runs in another sandbox, or in none. */
  async restart(confinement: Sandbox | undefined): Promise<void> {
    const before = this.#kernels;
    if ((await this.held()) !== undefined) this.#restoring = undefined;
    this.#confinement = confinement;
    this.#host = this.#openHost(confinement, this.#place);
    this.#kernels = this.#poolOf(this.#host);
    await closePool(before.made);
  }

  /**
   * Has kernels live elsewhere from now on. Where there is one already, `carry` gives its successor what it holds. Throws KernelError and what
   * `carry` throws: then nothing has changed. @param place the name of a gateway, or `local`.
   */
  async moveTo(
    place: string,
    carry: (from: Kernel, to: Kernel, isVisible: boolean) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const next = this.#openHost(this.#confinement, place);
    const { isElsewhere, short } = next.description;
    if (this.host.isBorrowed) throw stuckError("omp did not start this kernel");
    if (this.#confinement !== undefined && short !== undefined)
      throw stuckError("no sandbox holds a kernel there; to leave the sandbox: /sandbox off");
    const held = await this.held();
    if (held?.isBusy === true) throw stuckError("it is running a cell");
    const kernels = this.#poolOf(next);
    const pool = this.#pool;
    try {
      if (held === undefined) await checkPlace(next);
      else
        await (await kernels.get()).use({ ...this.#session, reset: false, signal }, ({ kernel }) =>
          carry(held.kernel, kernel, !isElsewhere && this.#confinement === undefined),
        );
    } catch (error) {
      this.#pool = pool;
      await closePool(kernels.made);
      throw error;
    }
    const before = this.#kernels;
    if (held === undefined) this.#pool = undefined;
    this.#place = place;
    this.#host = next;
    this.#kernels = kernels;
    await closePool(before.made);
  }

  /** The first kernel gets these variables, unless it is to be empty. */
  restore(kept: KeptVariables): void {
    this.#restoring = kept;
  }

  /** The session's kernel, if code of the session has run in it. Starts nothing. */
  async held(): Promise<{ readonly kernel: Kernel; readonly isBusy: boolean } | undefined> {
    const pool = await this.#kernels.made?.catch(() => undefined);
    const session = this.host.isBorrowed ? undefined : pool?.sessionOf(this.#session);
    if (session?.kernel === undefined || !session.hasState || isOver(session.kernel)) return undefined;
    return { kernel: session.kernel, isBusy: session.isBusy };
  }

  /** Whether kernels see the files of omp's own. */
  get seesOurFiles(): boolean {
    return !this.host.isElsewhere && this.#confinement === undefined;
  }

  get sandbox(): SandboxSetting {
    return this.#confinement?.mode ?? "off";
  }

  async #giveVariables(kernel: Kernel, { cwd, isFirst }: StartKernelOptions): Promise<void> {
    const kept = this.#restoring;
    if (kept === undefined || isFirst !== true || cwd !== this.#session.cwd) return;
    // The user has switched to a looser one meanwhile.
    if (isLooser(this.sandbox, kept.sandbox)) return;
    const [{ attachVariables }, { describeFailure }] = await Promise.all([
      import("../kernel/variables/restore-variables.ts"),
      import("./session-variables.ts"),
    ]);
    const lent = lentCloudpickle(this.#workspace.paths);
    await attachVariables(kernel, { kept, lent, isVisible: this.seesOurFiles }).catch(
      async (error: unknown) => {
        const why = await describeFailure(error, undefined);
        this.#trace(`omp: Python variables were not restored: ${why ?? error}`);
      },
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await closePool(this.#kernels.made);
  }
}

function isOver({ state }: Kernel): boolean {
  return state === "dead" || state === "shutdown";
}

/** Before the first use. */
const unopenedHistory = ({ isBorrowed }: HostDescription): VariableHistory =>
  sessionHistory(() => (isBorrowed ? "omp did not start this kernel" : undefined));

/** A start that failed has nothing to close, and its caller has the error. */
async function closePool(opened: Promise<KernelPool> | undefined): Promise<void> {
  await opened?.then((pool) => pool.close()).catch(() => undefined);
}
