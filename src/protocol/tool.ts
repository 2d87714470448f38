/** A tool, as the agent loop, the commands and the UI see it. */

import type { Usage } from "./model.ts";
import type { UnknownRecord } from "./record.ts";

/** A JSON Schema document, as providers want it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** `exclusive` calls never overlap within a session; `parallel` ones may. */
export type ToolConcurrency = "exclusive" | "parallel";

/** A picture that the model is to see. */
export interface ImagePart {
  readonly mediaType: string;
  readonly base64: string;
}

/**
 * Facts about a call, for the UI and for scripts. The names are part of the contract; a tool sets those that apply and
 * may add its own.
 */
export interface ToolDetails {
  readonly exitCode?: number | null;
  readonly signal?: string | null;
  readonly durationMs?: number;
  readonly timedOut?: boolean;
  /** omp ended it before its own end: at its time limit (`timedOut`), or because the user interrupted it. */
  readonly cancelled?: boolean;
  readonly truncated?: boolean;
  readonly totalBytes?: number;
  readonly totalLines?: number;
  readonly artifact?: string;
  readonly stdoutTruncated?: boolean;
  readonly stderrTruncated?: boolean;
  readonly stdinRequested?: boolean;
  readonly kernelRestarted?: boolean;
  readonly shellId?: string;
  readonly status?: string;
  readonly cwd?: string;
  /** The user let it run outside the session's sandbox. */
  readonly outsideSandbox?: boolean;
  /** Which lines of the output are what; all of it is printed when missing. */
  readonly segments?: readonly OutputSegment[];
  readonly [extra: string]: unknown;
}

/** Consecutive lines of a result's output; the segments of a result follow each other from its first line to its last. */
export interface OutputSegment {
  readonly lines: number;
  /** The cell that printed them, from 0. */
  readonly cell?: number;
  /** The lines are omp's words for the model. A person reads this instead, or nothing where it is empty. */
  readonly note?: string;
  /** The note says nothing that anybody would have to know. */
  readonly isQuiet?: boolean;
}

export interface ToolResult {
  readonly isError: boolean;
  /** What the model reads. */
  readonly output: string;
  readonly images?: readonly ImagePart[];
  readonly details: ToolDetails;
  /** What models were asked for it, apart from the conversation. Taken out where it is counted. */
  readonly usage?: Usage;
}

/** What the sandbox of the programs means for what omp reads and writes itself. */
export interface SandboxLimits {
  /** Where a path that the programs use is: they may have a /tmp of their own. */
  outside(path: string): string;
  /** By the name outside. */
  mayWrite(path: string): boolean;
  /** Whether programs see what is there; by the name outside. */
  maySee(path: string): boolean;
}

/** Everything a call may know about where it runs. Services (kernels, shells, …) are given to the tool when it is made. */
export interface ToolContext {
  readonly sessionId: string;
  /** The session's working directory: what relative paths in an input are relative to. */
  readonly cwd: string;
  /** What `@project/` refers to. */
  readonly projectRoot: string;
  /** The user's home, which `~` in a directory means; where it is missing, nothing. */
  readonly home?: string | undefined;
  /** The subagent that makes the call, as a question names it; undefined for the session that the user talks to. */
  readonly asker?: string | undefined;
  /** Absent where programs are not in a sandbox. */
  readonly sandbox?: SandboxLimits | undefined;
  /** The user has typed the call: it is not asked about. */
  readonly isUsersOwn?: boolean | undefined;
  /** A line that the user types, for `input()` in code of their own; undefined when they do not. Absent where nobody types. */
  readonly readLine?: ((prompt: string) => Promise<string | undefined>) | undefined;
  readonly signal: AbortSignal;
  readonly onUpdate: OnUpdate;
  /** Why a command that running code is about to start may not run, as one line; undefined when it may. Absent where nobody judges. */
  readonly refusalOf?: ((command: StartedCommand) => Promise<string | undefined>) | undefined;
  /** For a tool whose code may make calls of its own. Absent where nobody answers them. */
  readonly openBridge?: ((options: BridgeOptions) => Bridge) | undefined;
  /** Runs a subagent to its end, or starts one in the background. Throws OmpError for what cannot be started. Absent where there is no model. */
  readonly runAgent?: ((task: AgentTask) => Promise<ToolResult>) | undefined;
  /** Keeps the state that the call may change, once it may run; resolves when that can be gone back to. Absent where nobody goes back. */
  readonly beforeChange?: (() => Promise<void>) | undefined;
  /** Of a nested call: the kernels whose code waits for it. */
  readonly waitingKernels?: readonly object[] | undefined;
  /** The copy of the session's kernel that its cells run in, unless a call names one: of a subagent with a branch. */
  readonly branch?: string | undefined;
  /** Of a nested call: holds the time limits of the calls whose code waits for it. */
  readonly holdTime?: HoldTime | undefined;
}

/** What a subagent is to do, and how; what is absent is as its definition or its parent has it. */
export interface AgentTask {
  readonly prompt: string;
  /** The name of a definition. */
  readonly agent?: string | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly model?: string | undefined;
  readonly maxTurns?: number | undefined;
  /** It belongs to the session: the call returns at once, and its end is announced. */
  readonly background?: boolean | undefined;
  /** Which kernel its cells run in; without it one of its own. */
  readonly kernel?: AgentKernel | undefined;
  /** With the kernel `branch`: the copy that the code has made of its own kernel. */
  readonly branch?: string | undefined;
}

/** `own`: an empty one; `branch`: a copy of its parent's; `shared`: its parent's, whose cells take turns with those of the subagent. */
export const agentKernels = ["own", "branch", "shared"] as const;
export type AgentKernel = (typeof agentKernels)[number];

/** Opens the bridge for the code of one call. */
export interface BridgeOptions {
  /** Ends what the code has started. */
  readonly signal: AbortSignal;
  /** Waits for the code's calls, and so cannot serve them. */
  readonly kernel: object;
  readonly holdTime: HoldTime;
}

/** To be called while a call waits for the user: their time does not count. @returns what ends that. */
export type HoldTime = () => () => void;

/** Answers what a call's own code asks of omp: `omp.tools.read(…)` in a cell. */
export interface Bridge {
  /** Never rejects: what cannot be done is an answer, too. */
  answer(request: UnknownRecord): Promise<UnknownRecord>;
  /** Ends what is still going on; resolves when each call has its end. Later requests are refused. */
  close(): Promise<void>;
}

/** A shell command that a call's own code starts. */
export interface StartedCommand {
  readonly command: string;
  readonly cwd: string;
  /** The environment variables that the command names, as far as they are set. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Output as it streams, for the screen: ANSI kept, nothing cut. With `cell` (from 1) that cell starts, and the text is its heading. */
export type OnUpdate = (text: string, cell?: number) => void;

export type InputCheck<Input> =
  | { readonly ok: true; readonly input: Input }
  /** `problem` is one line and names the field. */
  | { readonly ok: false; readonly problem: string };

export interface Tool<Input = unknown> {
  readonly name: string;
  /** What the model reads about the tool. */
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly concurrency: ToolConcurrency;
  /** True when a call can change nothing: what the `read-only` approval mode lets through. */
  readonly readOnly: boolean;
  check(raw: unknown): InputCheck<Input>;
  /** One line that says what the call does: for `--dry-run`, approval questions and the transcript. */
  summary(input: Input): string;
  /** Throws what a run would be refused with, without running or asking anything; absent where nothing is refused. */
  vet?(input: Input, context: ToolContext): Promise<void>;
  run(input: Input, context: ToolContext): Promise<ToolResult>;
}
