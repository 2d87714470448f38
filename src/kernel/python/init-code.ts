/**
 * The Python side as the program carries it: embedded sources, and the request that brings them into a kernel.
 *
 * The request has no code: everything happens in a user expression, which IPython evaluates without parsing it as a cell,
 * and whose value comes back in the reply. So it needs no iopub subscription and leaves no trace in the session.
 */

import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { hostname } from "node:os";
import { asRecord } from "../../protocol/record.ts";
import adaptedSource from "./adapted.py" with { type: "text" };
import agentsSource from "./agents.py" with { type: "text" };
import apartSource from "./apart.py" with { type: "text" };
import argumentsSource from "./arguments.py" with { type: "text" };
import bootSource from "./boot.py" with { type: "text" };
import branchesSource from "./branches.py" with { type: "text" };
import bridgeSource from "./bridge.py" with { type: "text" };
import browsersSource from "./browsers.py" with { type: "text" };
import callsSource from "./calls.py" with { type: "text" };
import checkpointsSource from "./checkpoints.py" with { type: "text" };
import commandsSource from "./commands.py" with { type: "text" };
import completionSource from "./completion.py" with { type: "text" };
import descriptorsSource from "./descriptors.py" with { type: "text" };
import digestsSource from "./digests.py" with { type: "text" };
import type { ExtensionModule } from "./extension-modules.ts";
import fastOutputSource from "./fast_output.py" with { type: "text" };
import filesSource from "./files.py" with { type: "text" };
import forkServerSource from "./fork_server.py" with { type: "text" };
import guardSource from "./guard.py" with { type: "text" };
import holdingsSource from "./holdings.py" with { type: "text" };
import importsSource from "./imports.py" with { type: "text" };
import inputsSource from "./inputs.py" with { type: "text" };
import interruptsSource from "./interrupts.py" with { type: "text" };
import judgedSource from "./judged.py" with { type: "text" };
import keepSource from "./keep.py" with { type: "text" };
import kernelAppSource from "./kernel_app.py" with { type: "text" };
import keyboardSource from "./keyboard.py" with { type: "text" };
import type { LentPackages } from "./lend.ts";
import { lendSource } from "./lend.ts";
import llmSource from "./llm.py" with { type: "text" };
import loaderSource from "./loader.py" with { type: "text" };
import mcpSource from "./mcp.py" with { type: "text" };
import modulesSource from "./modules.py" with { type: "text" };
import neededSource from "./needed.py" with { type: "text" };
import outletSource from "./outlet.py" with { type: "text" };
import parkingSource from "./parking.py" with { type: "text" };
import patientSocketSource from "./patient_socket.py" with { type: "text" };
import picturesSource from "./pictures.py" with { type: "text" };
import plotlyDisplaySource from "./plotly_display.py" with { type: "text" };
import preludeSource from "./prelude.py" with { type: "text" };
import progressBarsSource from "./progress_bars.py" with { type: "text" };
import questionsSource from "./questions.py" with { type: "text" };
import rawSource from "./raw.py" with { type: "text" };
import recallSource from "./recall.py" with { type: "text" };
import restoreSource from "./restore.py" with { type: "text" };
import schemasSource from "./schemas.py" with { type: "text" };
import sectionsSource from "./sections.py" with { type: "text" };
import sharingSource from "./sharing.py" with { type: "text" };
import shellSource from "./shell.py" with { type: "text" };
import statusSource from "./status.py" with { type: "text" };
import stillSource from "./still.py" with { type: "text" };
import streamsSource from "./streams.py" with { type: "text" };
import tracebacksSource from "./tracebacks.py" with { type: "text" };
import valuesSource from "./values.py" with { type: "text" };
import whereaboutsSource from "./whereabouts.py" with { type: "text" };

export const bootKey = "omp";
const bootMime = "application/x-omp-boot";
const MODULE_MIME = "application/x-omp-module";

/** The name `omp`, and what answers it: all that an existing kernel gets, and only when that is asked for. */
const bridgeSources: [name: string, source: string][] = [
  ["questions", questionsSource],
  ["calls", callsSource],
  ["inputs", inputsSource],
  ["arguments", argumentsSource],
  ["schemas", schemasSource],
  ["agents", agentsSource],
  ["llm", llmSource],
  ["mcp", mcpSource],
  ["branches", branchesSource],
  ["bridge", bridgeSource],
];

/** In order of import: each may import those before it. */
const sources: [name: string, source: string][] = [
  ["raw", rawSource],
  ["patient_socket", patientSocketSource],
  ["outlet", outletSource],
  ["descriptors", descriptorsSource],
  ["streams", streamsSource],
  ["fast_output", fastOutputSource],
  ["guard", guardSource],
  ["keyboard", keyboardSource],
  ...bridgeSources,
  ["judged", judgedSource],
  ["status", statusSource],
  ["shell", shellSource],
  ["files", filesSource],
  ["prelude", preludeSource],
  ["imports", importsSource],
  ["interrupts", interruptsSource],
  ["commands", commandsSource],
  ["recall", recallSource],
  ["browsers", browsersSource],
  ["adapted", adaptedSource],
  ["plotly_display", plotlyDisplaySource],
  ["progress_bars", progressBarsSource],
  ["pictures", picturesSource],
  ["tracebacks", tracebacksSource],
  ["completion", completionSource],
  ["whereabouts", whereaboutsSource],
  ["modules", modulesSource],
  ["still", stillSource],
  ["apart", apartSource],
  ["kernel_app", kernelAppSource],
  ["holdings", holdingsSource],
  ["digests", digestsSource],
  ["parking", parkingSource],
  ["checkpoints", checkpointsSource],
  ["boot", bootSource],
];

/** What keeps and restores variables: loaded when that is asked for. In order of import, too. */
const variableSources: [name: string, source: string][] = [
  ["values", valuesSource],
  ["sharing", sharingSource],
  ["sections", sectionsSource],
  ["needed", neededSource],
  ["restore", restoreSource],
  ["keep", keepSource],
];

/**
 * What identifies a directory of ours, for a kernel that has to say whether it sees that one or another of the same name. Numbers as
 * text: they may be too large for JSON.
 */
export interface DirectoryOrigin {
  readonly host: string;
  readonly inode: string;
  readonly mtimeNs: string;
}

/** Undefined when there is no such directory. */
export function originOf(directory: string): DirectoryOrigin | undefined {
  const stat = statSync(directory, { bigint: true, throwIfNoEntry: false });
  return stat && { host: hostname(), inode: String(stat.ino), mtimeNs: String(stat.mtimeNs) };
}

export interface BootConfig {
  cwd?: string;
  /** The kernel may be on a machine that has no such directory. */
  elsewhere?: boolean;
  /** Distinguishes our directory from one of the same name. */
  origin?: DirectoryOrigin;
  env?: Record<string, string>;
  /** Whether the kernel is to remember what it published, for a connection that may break. */
  recall?: boolean;
  /** A copy of a kernel that has booted, in which everything is to stay as it was. */
  woken?: boolean;
}

/** What the kernel answers under `bootMime`. */
export interface BootResult {
  python: string;
  executable: string;
  ipykernel: string | null;
  pid: number;
  host: string;
  cwd: string;
  seesOurFiles: boolean;
  fastStreams: boolean;
  /** What of omp's does not work in this kernel, and why: `fast output: sys.stdout is a StringIO`. */
  problems: string[];
  helpers: { name: string; signature: string; summary: string }[];
}

/** The content of the execute_request. `preloaded`: the kernel comes from a fork server that has these sources. */
export function bootRequest(config: BootConfig, options: { preloaded: boolean }) {
  return loaderRequest({ sources: options.preloaded ? [] : sources, boot: config });
}

/** The content of the execute_request that loads an extension module, into a kernel that has booted. */
export function moduleRequest({ name, path, source }: ExtensionModule) {
  return loaderRequest({ sources: [], module: { name, path, source } });
}

/** A Python expression that puts the name `omp` into an existing kernel; its value says why it could not, or is None. */
export function attachExpression(): string {
  return loaderCall(JSON.stringify({ digest: sourcesDigest(), sources: bridgeSources, attach: true }));
}

/** A Python expression that loads what keeps and restores variables, into a kernel that has booted. */
export function variablesExpression(): string {
  return loaderCall(JSON.stringify({ more: variableSources }));
}

/** What went wrong in the module, in one line; undefined when nothing did. */
export function readModuleReply(content: Record<string, unknown>): string | undefined {
  const answer = asRecord(asRecord(content["user_expressions"])[bootKey]);
  const result = asRecord(answer["data"])[MODULE_MIME];
  if (result === undefined) return describeProblem(content, answer);
  const { error } = asRecord(result);
  return typeof error === "string" ? error : undefined;
}

function loaderRequest(payload: object) {
  return silentRequest(loaderCall(JSON.stringify({ digest: sourcesDigest(), ...payload })));
}

export function silentRequest(expression: string) {
  return {
    code: "",
    silent: true,
    store_history: false,
    allow_stdin: false,
    stop_on_error: false,
    user_expressions: { [bootKey]: expression },
  };
}

/** Reads the execute_reply's content; a string is what went wrong in the kernel, in one line. */
export function readBootReply(content: Record<string, unknown>): BootResult | string {
  const answer = asRecord(asRecord(content["user_expressions"])[bootKey]);
  const result = asRecord(answer["data"])[bootMime];
  if (result !== undefined) return result as BootResult;
  return describeProblem(content, answer);
}

export function describeProblem(content: Record<string, unknown>, answer: Record<string, unknown>): string {
  const problem = answer["ename"] === undefined ? content : answer;
  return `${problem["ename"] ?? "no answer"}: ${problem["evalue"] ?? JSON.stringify(content)}`;
}

/** Arguments for the interpreter that is to be the fork server. */
export function forkServerArguments(): string[] {
  return ["-c", forkServerSource];
}

/** The first line that the fork server reads: the same sources, so that its kernels have them `preloaded`. */
export function forkServerHello(loan?: LentPackages): string {
  const payload = JSON.stringify({ digest: sourcesDigest(), sources });
  const lent = loan === undefined ? {} : { lend: lendSource, loan };
  return `${JSON.stringify({ loader: loaderSource, payload, ...lent })}\n`;
}

export interface ForkRequest {
  id: number;
  connection_file: string;
  cwd: string;
  /** The whole environment. What only counts at interpreter start (PYTHONHASHSEED, PYTHONUTF8, …) is the server's. */
  env: Readonly<Record<string, string>>;
  /** Arguments of the kernel application; `--Class.option=value` ones start fastest. */
  argv: string[];
  stderr_log: string;
}

export type ForkServerMessage =
  | { ready: true; pid: number; python: string; ipykernel: string }
  | { ready: false; error: string }
  | { id: number; pid: number }
  | { id: number; error: string }
  | { exited: number; status: number | null; signal: number | null };

function sourcesDigest(): string {
  return createHash("sha256").update(JSON.stringify(sources)).digest("hex").slice(0, 16);
}

function loaderCall(payloadJson: string): string {
  return callExpression({ source: loaderSource, function: "run", name: "_omp_loader" }, payloadJson);
}

/**
 * One Python expression that runs a source in a namespace of its own and calls its function with a text. A JSON string is a Python
 * string literal, too; ASCII, because IPython is slow with other characters in an expression.
 */
export function callExpression(
  module: { readonly source: string; readonly function: string; readonly name: string },
  text: string,
): string {
  const argument = text.replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  const run = `(exec(${JSON.stringify(module.source)}, space), space["${module.function}"](${JSON.stringify(argument)}))[1]`;
  return `(lambda space: ${run})({"__name__": "${module.name}"})`;
}
