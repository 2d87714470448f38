/** The first exchange with an existing kernel: whether it answers, and whether it is a Python kernel. */

import { within } from "../../async/within.ts";
import { systemCode } from "../../protocol/index.ts";
import { asRecord } from "../../protocol/record.ts";
import { KernelError } from "../errors.ts";
import { JupyterClient } from "../jupyter/client.ts";
import type { Exchange } from "../jupyter/exchange.ts";
import { Channels, type ChannelsOptions } from "../local/channels.ts";
import { ZmtpError } from "../zmtp/index.ts";
import type { ExistingConnection } from "./connection.ts";

/** Nothing listens at a file that outlived its kernel; a kernel that its owner is restarting is back sooner. */
const REACH_MS = 3_000;
const ASK_AGAIN_MS = 250;
const CONNECT_AGAIN_MS = 50;

/** What a kernel says about itself without running code. */
export interface KernelInfo {
  /** Python's version. */
  readonly version: string;
  /** `IPython 9.1.0`. */
  readonly implementation: string;
  /** Differs from process to process. */
  readonly kernelSession: string;
}

/** Connects, and waits for a heartbeat, which a busy kernel answers, too. Throws KernelError. */
export async function reach(
  { file, info }: ExistingConnection,
  { signal, ...options }: Omit<ChannelsOptions, "info">,
): Promise<Channels> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(REACH_MS)]);
  let channels: Channels;
  try {
    channels = await openChannels({ info, ...options, signal: limit });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof ZmtpError) throw unreachableError(file, error);
    throw error;
  }
  if (await channels.beat(REACH_MS)) return channels;
  channels.close();
  throw unreachableError(file);
}

/**
 * A connection that closes before the handshake is retried: the system accepts connections for a process that is ending until its last
 * socket is closed, and a tunnel accepts them for one that has ended.
 */
async function openChannels(options: ChannelsOptions): Promise<Channels> {
  for (;;) {
    try {
      return await Channels.open(options);
    } catch (error) {
      if (!(error instanceof ZmtpError && error.kind === "closed")) throw error;
    }
    await Bun.sleep(CONNECT_AGAIN_MS);
  }
}

/**
 * Asks on the control channel, which answers while code runs, until iopub takes part: output is subscribed then. On shell only once, for
 * kernels that publish nothing about control on iopub.
 */
export async function askIntroduction(
  client: JupyterClient,
  { file }: ExistingConnection,
  signal: AbortSignal,
): Promise<KernelInfo> {
  const ask = (channel: "control" | "shell") =>
    client.request(channel, "kernel_info_request", {}, "idle and reply");
  const asked: Exchange[] = [ask("shell")];
  let answered: Exchange | undefined;
  do {
    signal.throwIfAborted();
    asked.push(ask("control"));
    await within(Promise.race(asked.map(({ ended }) => ended)), ASK_AGAIN_MS);
    answered = asked.find(({ hasEnded }) => hasEnded);
  } while (!answered);
  const { header, content } = await answered.reply();
  const language = asRecord(content["language_info"]);
  const name = String(language["name"] ?? "unknown");
  if (name.toLowerCase() !== "python") throw otherLanguageError(file, name);
  const implementation = `${properName(String(content["implementation"]))} ${content["implementation_version"]}`;
  return { version: String(language["version"]), implementation, kernelSession: header.session };
}

/** Whether it can be used; undefined when it is there and too busy to introduce itself. Throws KernelError. */
export async function lookAtKernel(connection: ExistingConnection): Promise<KernelInfo | undefined> {
  const client = new JupyterClient();
  const channels = await reach(connection, {
    // It has a limit of its own.
    signal: new AbortController().signal,
    trace: undefined,
    onMessage: (message) => client.receive(message),
    onLost: () => client.fail(unreachableError(connection.file)),
  });
  client.transport = channels;
  const limit = AbortSignal.timeout(REACH_MS);
  try {
    return await askIntroduction(client, connection, limit);
  } catch (error) {
    if (limit.aborted && error === limit.reason) return undefined;
    throw error;
  } finally {
    channels.close();
  }
}

function properName(implementation: string): string {
  return implementation === "ipython" ? "IPython" : implementation;
}

function unreachableError(file: string, cause?: ZmtpError): KernelError {
  const isForeign =
    cause !== undefined && !["timeout", "aborted", "unreachable", "closed"].includes(cause.kind);
  const who = isForeign ? "something other than a kernel answers" : "nothing answers";
  const code = cause?.kind === "unreachable" ? systemCode(cause) : undefined;
  const issue = `${who} at the kernel of ${file}${code === undefined ? "" : ` (${code})`}: it has ended, with all its state, or cannot be reached from here; omp does not start another one`;
  return new KernelError({ kind: "start-failed", issue, code: "KERNEL_UNREACHABLE" }, { cause });
}

function otherLanguageError(file: string, name: string): KernelError {
  const issue = `the kernel of ${file} runs ${name}, and the python tool needs one that runs Python`;
  return new KernelError({ kind: "unsupported", issue, code: "KERNEL_LANGUAGE" });
}
