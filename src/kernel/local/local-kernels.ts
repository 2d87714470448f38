/**
 * Kernels on this machine, over ZeroMQ: chooses how each is started and keeps what they share (the private directory and the
 * fork server of one interpreter).
 */

import { join } from "node:path";
import { unlessAborted } from "../../async/abort.ts";
import { once } from "../../async/once.ts";
import type { Confinement } from "../../process/confinement.ts";
import { KernelError } from "../errors.ts";
import type { TraceLine } from "../jupyter/trace.ts";
import type { StartKernelOptions } from "../kernel.ts";
import type { ExtensionModule } from "../python/extension-modules.ts";
import type { LentPackages } from "../python/lend.ts";
import { MODULE_SHARE, StartedKernels } from "../started-kernels.ts";
import { dropAlias, type KernelTransport, writeConnectionFile } from "./connection-file.ts";
import { type ForkedKernel, ForkServer } from "./fork-server.ts";
import { kernelCopies } from "./kernel-copies.ts";
import { type KernelProcess, type LaunchOptions, launchPlain } from "./kernel-process.ts";
import { LocalKernel } from "./local-kernel.ts";
import { writeKernelRecord } from "./running-kernels.ts";
import { RuntimeDirectory } from "./runtime-directory.ts";
import { ShortName } from "./short-name.ts";
import { checkDescriptors, exhaustedError, isExhaustion, writing } from "./start-problems.ts";

/** A one-shot call is over before this, and then starts no fork server at all. */
const WARM_UP_DELAY_MS = 1_000;
const MAX_FORK_SERVER_FAILURES = 2;
/** A fork takes milliseconds; beyond this the server is stuck, or so slow to come up that a plain start is quicker. */
const FORK_LIMIT_MS = 3_000;

export interface LocalKernelsOptions {
  readonly python: string;
  /** A kernelspec's own command instead of ours; such kernels are never forked. */
  readonly argv?: readonly string[] | undefined;
  /** For an interpreter without ipykernel. `own`: which of the lent modules it has, too. */
  readonly loan?: (LentPackages & { readonly own: readonly string[] }) | undefined;
  /** The filtered environment that kernels start with. */
  readonly env: Readonly<Record<string, string>>;
  readonly transport: KernelTransport | "auto";
  readonly useForkServer: boolean;
  /** Also the first kernel is forked, so that checkpoints of it can be made; otherwise it starts while the fork server does not run yet. */
  readonly forksFirst?: boolean | undefined;
  readonly startTimeoutMs: number;
  /** Where the private directory may be made, best first. */
  readonly runtimeBases: readonly string[];
  /** Searched again for each kernel: the project's modules depend on its cwd. */
  readonly extensionModules: (cwd: string) => readonly ExtensionModule[];
  readonly trace?: TraceLine | undefined;
  /** The sandbox that kernels run in. It has a network of its own, so it needs `ipc`. */
  readonly confinement?: Confinement | undefined;
  /** Called when a kernel's process runs, and when it is ready. */
  readonly onStage?: ((stage: string) => void) | undefined;
}

interface StartParts {
  readonly signal: AbortSignal;
  /** The fork server that makes the process; undefined for a plain start. */
  readonly server?: ForkServer | undefined;
  /** The kernel whose copy is woken; undefined for a new one. */
  readonly original?: LocalKernel | undefined;
}

export class LocalKernels extends StartedKernels<LocalKernel> {
  readonly #options: LocalKernelsOptions;
  readonly #directory = once(() => new RuntimeDirectory(this.#options.runtimeBases));
  #forkServer: ForkServer | undefined;
  #forkServerFailures = 0;
  /** Once a mixture of lent and own packages has failed, the lent ones go first. */
  #loan: LentPackages | undefined;
  #warmUpTimer: ReturnType<typeof setTimeout> | undefined;
  #started = 0;
  /** Processes of checkpoints, and of kernels that were woken. */
  readonly #copied = new Set<ForkedKernel>();

  constructor(options: LocalKernelsOptions) {
    super(options);
    this.#options = options;
    this.#loan = options.loan;
  }

  /** Starts the fork server, so that the next kernel starts quickly. Resolves when it is ready, or has failed. */
  async warmUp(): Promise<void> {
    if (!this.#canFork || this.#forkServer) return;
    try {
      const server = this.#startForkServer();
      await server.ready;
    } catch (error) {
      this.#options.trace?.(error instanceof Error ? error.message : String(error));
    }
  }

  get #canFork(): boolean {
    const { useForkServer, argv } = this.#options;
    const isOver = this.isClosing || this.#forkServerFailures >= MAX_FORK_SERVER_FAILURES;
    return useForkServer && argv === undefined && process.platform === "linux" && !isOver;
  }

  /** Ends every kernel, and leaves nothing on disk or in the process table. */
  override async close(): Promise<void> {
    clearTimeout(this.#warmUpTimer);
    await super.close();
    for (const { started } of this.#copied) started.kill();
    await Promise.all([...this.#copied].map(({ exited }) => exited));
    await this.#forkServer?.close();
    this.#directory.made?.remove();
  }

  protected async launch(options: StartKernelOptions, signal: AbortSignal): Promise<LocalKernel> {
    try {
      return await this.#start(options, signal);
    } catch (error) {
      throw isExhaustion(error) && !(error instanceof KernelError) ? exhaustedError(error) : error;
    }
  }

  protected describeSlowStart(limit: string): string {
    return `the kernel was not ready after ${limit}; to wait longer, raise the setting python.startTimeout`;
  }

  async #start(options: StartKernelOptions, signal: AbortSignal): Promise<LocalKernel> {
    signal.throwIfAborted();
    checkDescriptors();
    const server = this.#forkServer ?? this.#firstForkServer();
    if (server) {
      try {
        const fork = (launch: LaunchOptions) => this.#fork(server, launch, signal);
        return await this.#startWith(fork, options, { signal, server });
      } catch (error) {
        if (signal.aborted || isExhaustion(error)) throw error;
        this.#options.trace?.(`fork server: ${String(error)}; starting a plain kernel`);
      }
    }
    try {
      return await this.#startPlain(options, signal);
    } catch (error) {
      if (signal.aborted || isExhaustion(error) || !this.#lendFirst()) throw error;
      this.#options.trace?.(`lent packages: ${String(error)}; trying with all of them`);
      return await this.#startPlain(options, signal);
    }
  }

  #firstForkServer(): ForkServer | undefined {
    return this.#options.forksFirst === true && this.#canFork ? this.#startForkServer() : undefined;
  }

  /** Whether lent and own packages were mixed, which may be why a kernel did not start; from now on they are not. */
  #lendFirst(): boolean {
    const { loan } = this.#options;
    if (loan === undefined || loan.own.length === 0 || this.#loan?.first === true) return false;
    this.#loan = { ...loan, first: true };
    return true;
  }

  async #startPlain(options: StartKernelOptions, signal: AbortSignal): Promise<LocalKernel> {
    return await this.#startWith(async (launch) => launchPlain(launch), options, { signal });
  }

  async #startWith(
    launch: (options: LaunchOptions) => Promise<KernelProcess>,
    options: StartKernelOptions,
    { signal, server, original }: StartParts,
  ): Promise<LocalKernel> {
    const preloaded = server !== undefined;
    const runtime = this.#directory.get();
    const { python, argv, env, confinement } = this.#options;
    const kind = confinement === undefined ? "own" : preloaded ? "forked" : "confined";
    const place = writing(runtime, () => runtime.kernelDirectory(kind));
    const { directory, files } = place;
    const transport = this.#transport(runtime);
    // A kernelspec may start a kernel that does not fill in its ports, or that has little room for addresses: xeus-python is both.
    using shortName =
      argv !== undefined && transport === "ipc"
        ? new ShortName(files, confinement?.temporaryDirectory)
        : undefined;
    const addresses = { choosesPorts: argv === undefined, sockets: files, alias: shortName?.path ?? files };
    const { info } = writing(runtime, () => {
      const written = writeConnectionFile(place.made, transport, addresses);
      place.handOver();
      return written;
    });
    const [connectionFile, logFile] = [join(files, "kernel.json"), join(files, "kernel.log")];
    const { cwd } = options;
    const start = { python, argv, loan: this.#loan, connectionFile, logFile, cwd, env, confinement };
    const child = await launch(start).catch((error) => {
      place.remove();
      throw error;
    });
    writeKernelRecord(directory, { pid: child.pid, python, cwd, connectionFile });
    this.#started += 1;
    this.#options.onStage?.(`kernel process ${preloaded ? "forked" : "started"}`);
    const kernel = await LocalKernel.start(
      {
        id: `k${this.#started}`,
        process: child,
        directory: place,
        connectionFile,
        connectionInfo: info,
        boot: {
          cwd: options.cwd,
          env: options.env ?? {},
          modules: original === undefined ? this.#options.extensionModules(options.cwd) : [],
          moduleLimitMs: this.#options.startTimeoutMs / MODULE_SHARE,
          preloaded,
          woken: original !== undefined,
          unreadModules: original?.facts.failedModules ?? [],
        },
        trace: this.#options.trace,
        copies: kernelCopies({
          server,
          files,
          holdsSockets: runtime.holdsSockets,
          copied: this.#copied,
          start: (launch, from, until) =>
            this.keep(
              (signal) => this.#startWith(launch, options, { signal, server, original: from }),
              until,
            ),
        }),
      },
      signal,
    );
    if (original !== undefined) kernel.answerAs(original);
    if (shortName && confinement === undefined) dropAlias(connectionFile, info);
    this.#options.onStage?.("kernel ready");
    this.#warmUpSoon();
    return kernel;
  }

  /** The fork server's imports take as long as a kernel's own start, so they wait until the first kernel is ready. */
  #warmUpSoon(): void {
    if (this.#warmUpTimer) return;
    this.#warmUpTimer = setTimeout(() => void this.warmUp(), WARM_UP_DELAY_MS);
    this.#warmUpTimer.unref();
  }

  #startForkServer(): ForkServer {
    const { python, env, confinement } = this.#options;
    const runtime = this.#directory.get();
    const cwd = confinement === undefined ? runtime.path : runtime.forked;
    const server = new ForkServer({ python, env, cwd, confinement, loan: this.#loan });
    this.#forkServer = server;
    void server.ended.then(() => {
      this.#forkServerFailures += 1;
      this.#forkServer = undefined;
    });
    return server;
  }

  async #fork(server: ForkServer, launch: LaunchOptions, signal: AbortSignal): Promise<KernelProcess> {
    const { forksFirst, startTimeoutMs } = this.#options;
    // Where copies are wanted, a plain kernel is the worse one even if it starts sooner.
    const limit = AbortSignal.timeout(
      forksFirst === true && !server.isReady ? startTimeoutMs / 2 : FORK_LIMIT_MS,
    );
    // A kernel that is forked too late has no caller that would end it.
    const discard = ({ started }: KernelProcess) => started.kill();
    try {
      return await unlessAborted(server.fork(launch), AbortSignal.any([signal, limit]), discard);
    } catch (error) {
      if (limit.aborted && !signal.aborted && server.isReady) void server.close();
      throw error;
    }
  }

  #transport(runtime: RuntimeDirectory): KernelTransport {
    const { transport, confinement } = this.#options;
    if (confinement !== undefined) {
      if (transport !== "tcp" && runtime.holdsSockets) return "ipc";
      const issue = `the kernel in the sandbox needs Unix sockets, ${runtime.holdsSockets ? "and python.transport is tcp" : `and '${runtime.path}' is too long a name for them; set TMPDIR to a shorter one`}`;
      throw new KernelError({ kind: "start-failed", issue, code: "SANDBOX_TRANSPORT" });
    }
    if (transport !== "auto") return transport;
    if (runtime.holdsSockets) return "ipc";
    // Ports are open to every user of the machine, so they are used only when asked for.
    const issue = `'${runtime.path}' is too long a name for the kernel's sockets; set TMPDIR to a shorter one, or python.transport to tcp, which lets other users of this machine read what cells print`;
    throw new KernelError({ kind: "start-failed", issue, code: "NO_SOCKET_DIRECTORY" });
  }
}
