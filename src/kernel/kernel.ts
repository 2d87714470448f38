/**
 * What a kernel is to the rest of omp, whatever carries its messages: ZeroMQ to a process on this machine, or a websocket to a
 * gateway. One contract suite
 * (test/contract/kernel-contract.ts) holds every implementation to it.
 *
 *   provisioning ──ready──▶ ready ──execute──▶ executing ──idle and reply──▶ ready
 *                                                  │ interrupt ▲
 *                                                  ▼           │
 *                                             interrupted ─────┘
 *   any state ──shutdown──▶ shutdown          any state ──process ends──▶ dead
 */

import type { KernelMessage, MessageContent } from "./message.ts";

export type { KernelMessage, MessageContent } from "./message.ts";

export type KernelState = "provisioning" | "ready" | "executing" | "interrupted" | "shutdown" | "dead";

/** What a session's kernel is doing: `none` before the first use and after it was stopped, `dead` until there is another. */
export type KernelActivity = "none" | "starting" | "idle" | "busy" | "dead";

/** Where the kernel listens; `undefined` for one behind a gateway. */
export interface KernelConnectionInfo {
  readonly transport: "tcp" | "ipc";
  readonly ip: string;
  readonly shellPort: number;
  readonly iopubPort: number;
  readonly controlPort: number;
  readonly stdinPort: number;
  readonly hbPort: number;
  readonly key: string;
  /** `hmac-` and the name of a digest. */
  readonly signatureScheme: `hmac-${string}`;
}

/** How a kernel ended. */
export interface KernelExit {
  /** One clause: "killed by SIGKILL", "exited with code 1", "shut down"; or, for what `endedBy` says, why. */
  readonly reason: string;
  /** True when we asked for it. */
  readonly expected: boolean;
  /** Who has ended it, or keeps us from it; undefined when it died by itself. */
  readonly endedBy?: "omp" | "user" | "code" | "gateway" | undefined;
  /** It could not open the files that it needs: another may, when some are closed. */
  readonly isExhausted?: boolean | undefined;
  /** The end of what its process wrote to its own stderr: a crash report, where there is one. */
  readonly lastWords?: string;
}

/** Where a kernel works. */
export interface KernelLocation {
  /** The gateway's name; undefined for a kernel that is not behind one. */
  readonly gateway: string | undefined;
  /** The connection file of an existing kernel, one that omp did not start. */
  readonly existing?: string | undefined;
  /** The name of its machine. Both this and the directory are empty when an existing kernel has not reported them. */
  readonly host: string;
  readonly cwd: string;
  /** Whether the files of the project are in that directory: those on our disk, not others of the same name. */
  readonly seesOurFiles: boolean;
}

/** What the boot code inside the kernel reported. */
export interface KernelFacts {
  readonly pythonVersion: string;
  readonly executable: string;
  readonly ipykernelVersion: string;
  readonly pid: number;
  /** Where the kernel really is: behind a gateway that need not be where it was asked to be. */
  readonly location: KernelLocation;
  /** Extension modules that failed to load, each with its error: reported to the user and the model, never fatal. */
  readonly failedModules: readonly { readonly name: string; readonly error: string }[];
  /** What of omp's does not work in it, and why: `fast output: sys.stdout is a StringIO`. Told as failed modules are. */
  readonly bootProblems: readonly string[];
  /** The prelude's helpers, for the tool's prompt. */
  readonly helpers: readonly {
    readonly name: string;
    readonly signature: string;
    readonly summary: string;
  }[];
}

export interface StartKernelOptions {
  readonly cwd: string;
  /** Variables set inside the kernel on top of its filtered environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** No code of its session has run in another one before, and nobody has asked for an empty one. */
  readonly isFirst?: boolean | undefined;
}

export interface ExecuteOptions {
  /** Aborting interrupts the code; the stream still ends properly, with the reply, or with the kernel's death. */
  readonly signal?: AbortSignal;
  /** True for our own plumbing: no execution count, no history, no `execute_result`. */
  readonly silent?: boolean;
  /**
   * Answers what the code asks while it runs, and what threads that it leaves behind ask later (`questions.py`). Without it, nothing is
   * asked.
   */
  readonly answer?: ((question: MessageContent) => Promise<MessageContent>) | undefined;
  /** Whether the reply should also carry these expressions' values. */
  readonly userExpressions?: Readonly<Record<string, string>>;
}

/** What answers a kernel's questions about one matter. */
export interface Answers {
  readonly answer: NonNullable<ExecuteOptions["answer"]>;
  /** Called with each copy, parked or awake: it may ask, too, until it ends. */
  readonly onCopy: (copy: { readonly exited: Promise<unknown> }) => void;
}

/** What a kernel answers without running code. */
export type KernelQuestion = "complete_request" | "inspect_request" | "is_complete_request";

/** A live kernel: its facts, its lifecycle and everything that can be asked of it. */
export interface Kernel {
  readonly id: string;
  readonly connectionInfo: KernelConnectionInfo | undefined;
  readonly facts: KernelFacts;
  readonly state: KernelState;
  /** False while a connection that broke is being restored: whether the kernel is still there is not known then. */
  readonly isConnected: boolean;
  /** Settles once, when the kernel is gone. Never rejects. */
  readonly exited: Promise<KernelExit>;
  /**
   * Runs code and yields every message that belongs to it, in the order of arrival, until the kernel is idle again *and*
   * has replied. Throws `KernelError` of kind `died` when the kernel ends first.
   */
  execute(code: string, options?: ExecuteOptions): AsyncIterable<KernelMessage>;
  /**
   * Asks what runs no code, and returns the reply's content. A kernel that is executing answers when it is done: the caller
   * decides how long that may take. Throws `KernelError` when the kernel ends first.
   */
  ask(question: KernelQuestion, content: MessageContent): Promise<MessageContent>;
  /** Answers questions of its code about this, whoever runs it and as long as the kernel lives; and those of its copies. */
  answerAbout(about: string, answers: Answers): void;
  /** Settles when no code of other clients runs; at once when none is known to. Throws `KernelError` when the kernel ends first. */
  untilFree(): Promise<void>;
  /** Interrupts what runs, escalating to a kill when the kernel does not react. Resolves when nothing runs any more. */
  interrupt(): Promise<void>;
  /** @param how `graceMs: 0` ends it at once: nothing of its code runs any more, also not what it has registered for its exit. */
  shutdown(how?: { readonly graceMs?: number }): Promise<void>;
  /** False when the kernel does not answer a heartbeat: stopped, or lost. A connection that broke is waited for. */
  isResponding(): Promise<boolean>;
  /** Output that arrived while no code of ours ran: from threads the last cell left behind. Emptied by the call. */
  takeLateOutput(): string;
  /** Displays that arrived in the same way. Emptied by the call. */
  takeLateDisplays(): readonly KernelMessage[];
  /** Makes a checkpoint, while no code runs; impossible where the kernel ends meanwhile. Not there for kernels that are not processes of ours. */
  park?(signal: AbortSignal): Promise<Parking>;
  /** The checkpoint that a running cell has made of itself, and that listens there. Throws `KernelError`. */
  parkedAt?(socket: string, notHeld: readonly string[], signal: AbortSignal): Promise<ParkedKernel>;
  /** Of its process, without children. Undefined where that is not known. */
  memory?(): Promise<ProcessMemory | undefined>;
}

/** In bytes. */
export interface ProcessMemory {
  readonly residentBytes: number;
  /** What no other process has. */
  readonly privateBytes: number;
  /** With its part of what it shares: these add up to what a family of processes has in memory. */
  readonly proportionalBytes: number;
}

export type Parking =
  | { readonly kind: "parked"; readonly parked: ParkedKernel }
  /** Nothing has changed; the reason is a clause. */
  | { readonly kind: "impossible"; readonly reason: string };

/** A checkpoint: a copy of a kernel that waits, and from which any number of kernels can be made. */
export interface ParkedKernel {
  /** What of the kernel it does not have, each a clause: "the thread Worker-1". */
  readonly notHeld: readonly string[];
  /** Settles when it is gone. Never rejects. */
  readonly exited: Promise<unknown>;
  readonly isAlive: boolean;
  /** Another kernel with the state of that moment. Throws `KernelError`. */
  wake(signal: AbortSignal): Promise<Kernel>;
  /** Of the user's variables, by name; null where a value's content cannot be read. Equal ones of two checkpoints have not changed. */
  digests(signal: AbortSignal): Promise<ReadonlyMap<string, string | null>>;
  /** Undefined where that is not known. */
  memory(): Promise<ProcessMemory | undefined>;
  drop(): void;
}

/** Where kernels live: this machine, a gateway, or the one existing kernel of a connection file. */
export interface KernelHost {
  /** Resolves when the kernel is ready: start-up code done, output subscribed. Throws `KernelError`. */
  start(options: StartKernelOptions): Promise<Kernel>;
  /** Whether one that is started now would be no other, where that can change: the interpreter may. Throws `KernelError`. */
  isCurrent?(kernel: Kernel, signal: AbortSignal): Promise<boolean>;
  /** Ends every kernel that was started here. */
  close(): Promise<void>;
}
