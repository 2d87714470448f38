/**
 * Starts `python -m kernel_gateway` so that it depends on no omp: a session of its own, not on the watchdog's list, no pipe that it
 * would miss. Its options go through its stdin: arguments and environments can be read by other processes.
 */

import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { unlessAborted } from "../../../async/abort.ts";
import { within } from "../../../async/within.ts";
import { formatLimit } from "../../../format/durations.ts";
import { attempt } from "../../../protocol/index.ts";
import { KernelError } from "../../errors.ts";
import { readTail } from "../../files.ts";
import { jsonLines } from "../../json-lines.ts";
import keeperSource from "../../python/gateway_keeper.py" with { type: "text" };
import configurationSource from "../../python/shared_gateway.py" with { type: "text" };
import { SOCKETS_FILE } from "./end-gateway.ts";
import { directoryError, isDirectoryProblem } from "./errors.ts";
import { RECORD_VERSION } from "./record.ts";

/** No history file: the session log is ours, and many kernels would wait for each other's writes to it. */
const kernelArguments = ["--HistoryManager.enabled=False"];

/**
 * Optional for a library of the server, which does without it where it is not installed. Where it is, its import works out the grammar
 * of international addresses: four fifths of the server's start, for a check that nothing here asks for.
 */
const UNNEEDED_PACKAGE = "rfc3987_syntax";

const GRACE_MS = 60_000;

export interface LaunchOptions {
  /** `~/.omp/agent/python-gateway`. */
  readonly directory: string;
  /** The interpreter that runs the gateway and its kernels. */
  readonly python: string;
  /**
   * The filtered environment that every kernel of the gateway starts with. It is that of the omp that started the gateway, so what
   * belongs to one project only is set inside its kernels by their boot code.
   */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Where the sockets of its kernels may be, best first. Nobody else reaches those; TCP ports are open to every user of the machine, and
   * what cells print is sent there without asking who listens. Undefined: TCP, as the user has asked for.
   */
  readonly socketBases: readonly string[] | undefined;
  /** How long a gateway may take until it answers. */
  readonly startTimeoutMs: number;
  /** How long the gateway keeps running unused; 60 s. */
  readonly graceMs?: number | undefined;
}

type Answer =
  | { readonly ready: true }
  | { readonly error: string; readonly code: string }
  /** It ended without an answer. */
  | undefined;

type Child = Bun.Subprocess<"pipe", "pipe", "pipe">;

/** Resolves when a gateway is published: the one that was started, or one that was faster. Throws KernelError. */
export async function launchGateway(launch: LaunchOptions, signal: AbortSignal): Promise<void> {
  const run = mkdtempSync(join(launch.directory, "run-"));
  let child: Child | undefined;
  let sockets: string | undefined;
  try {
    sockets = launch.socketBases && makeSocketDirectory(launch.socketBases);
    // For whoever removes what a gateway that was killed has left.
    if (sockets !== undefined) writeFileSync(join(run, SOCKETS_FILE), sockets, { mode: 0o600 });
    child = spawn(launch, run, sockets);
    const answer = await readAnswer(child, launch, signal);
    if (answer !== undefined && "ready" in answer) return;
    await child.exited;
    if (answer?.code !== "EEXIST") throw launchError(launch, answer, await lastWords(child, launch));
  } catch (error) {
    // It was never published, so it would never be used.
    child?.kill("SIGKILL");
    for (const left of [run, sockets]) if (left !== undefined) rmSync(left, { recursive: true, force: true });
    throw error;
  } finally {
    child?.unref();
    await child?.stdout.cancel().catch(() => undefined);
    await child?.stderr.cancel().catch(() => undefined);
  }
}

/** The names of sockets end at 104 bytes on macOS and 108 on Linux. */
const MAX_SOCKETS_BYTES = 104 - "/0123456789ab-5".length - 1;

/** A private one: only its owner can enter it. */
function makeSocketDirectory(bases: readonly string[]): string {
  for (const base of bases) {
    const made = attempt(() => realpathSync(mkdtempSync(join(base, "omp-gateway-"))));
    if (made !== undefined && Buffer.byteLength(made) <= MAX_SOCKETS_BYTES) return made;
    if (made !== undefined) rmSync(made, { recursive: true, force: true });
  }
  const issue = `no directory has a name that is short enough for the sockets of kernels: ${bases.join(", ")}; set TMPDIR, or python.transport to tcp, which lets other users of this machine read what cells print`;
  throw new KernelError({ kind: "start-failed", issue, code: "NO_SOCKET_DIRECTORY" });
}

function spawn(launch: LaunchOptions, run: string, sockets: string | undefined): Child {
  const configuration = join(run, "gateway_config.py");
  writeFileSync(configuration, configurationSource, { mode: 0o600 });
  writeFileSync(join(run, "gateway_keeper.py"), keeperSource, { mode: 0o600 });
  writeFileSync(join(run, `${UNNEEDED_PACKAGE}.py`), 'raise ImportError("not needed")\n', { mode: 0o600 });
  const { python, directory, graceMs = GRACE_MS, env } = launch;
  const child = Bun.spawn([python, "-m", "kernel_gateway", `--config=${configuration}`], {
    // `-m` looks for modules in its directory first, so it must be a private one.
    cwd: run,
    // Jupyter shall neither read nor write the user's own Jupyter files. The kernels' environment comes with the options.
    env: { ...env, JUPYTER_NO_CONFIG: "1", JUPYTER_RUNTIME_DIR: run, IPYTHONDIR: run, TMPDIR: run },
    detached: true,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  const token = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
  const self = { version: RECORD_VERSION, host: hostname(), token, python };
  const options = { ...self, directory, run, sockets, graceMs, env, kernelArguments };
  child.stdin.write(`${JSON.stringify(options)}\n`);
  // A child that is gone already is noticed when it does not answer.
  Promise.resolve(child.stdin.end()).catch(() => undefined);
  return child;
}

async function readAnswer(child: Child, launch: LaunchOptions, signal: AbortSignal): Promise<Answer> {
  const answer = unlessAborted(firstLine(child.stdout), signal);
  if (!(await within(answer, launch.startTimeoutMs))) throw slowLaunchError(launch);
  return await answer;
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<Answer> {
  for await (const line of jsonLines(stream)) return line as Answer;
  return undefined;
}

/** Before its log is open it writes to our pipe. */
async function lastWords(child: Child, { directory }: LaunchOptions): Promise<string> {
  const early = (await new Response(child.stderr).text()).trim();
  const text = early || readTail(join(directory, "gateway.log"));
  return text.trim().split("\n").at(-1)?.trim() ?? "";
}

function launchError({ python, directory }: LaunchOptions, answer: Answer, words: string): KernelError {
  const said = answer !== undefined && "error" in answer ? answer.error : words;
  const missing = /No module named '?(kernel_gateway|ipykernel)\b/.exec(said)?.[1];
  if (missing !== undefined) {
    const packages = missing === "ipykernel" ? "ipykernel" : "jupyter_kernel_gateway";
    const issue = `${missing} is not installed in ${python}, and python.sharedGateway needs it; run: ${python} -m pip install ${packages}`;
    const code = missing === "ipykernel" ? "IPYKERNEL_NOT_FOUND" : "KERNEL_GATEWAY_NOT_FOUND";
    return new KernelError({ kind: "unsupported", issue, code });
  }
  const code = answer !== undefined && "code" in answer ? answer.code : "GATEWAY_START";
  if (isDirectoryProblem(code)) return directoryError({ code, directory });
  const issue = `the shared gateway could not be started: ${said || "it ended without a message"}; its log: ${join(directory, "gateway.log")}`;
  return new KernelError({ kind: "start-failed", issue, code });
}

function slowLaunchError({ startTimeoutMs, directory }: LaunchOptions): KernelError {
  const issue = `the shared gateway was not ready after ${formatLimit(startTimeoutMs)}; its log: ${join(directory, "gateway.log")}`;
  return new KernelError({ kind: "start-failed", issue, code: "ETIMEDOUT" });
}
