/**
 * A connection file that another program wrote: Jupyter, a notebook server, another omp. Read strictly, because anything wrong with
 * it would otherwise look like a kernel that does not answer.
 */

import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { OmpError, systemCode } from "../../protocol/index.ts";
import { isRecord } from "../../protocol/record.ts";
import { isDigest } from "../jupyter/wire.ts";
import type { KernelConnectionInfo } from "../kernel.ts";

export interface ExistingConnection {
  /** The full path of the file. */
  readonly file: string;
  readonly info: KernelConnectionInfo;
}

/** Throws an OmpError whose message is the one line to show. */
export function readConnection(file: string): ExistingConnection {
  return { file, info: connectionInfo(file, readFields(file)) };
}

const PORT_FIELDS = ["shell_port", "iopub_port", "control_port", "hb_port"] as const;
const MAX_PORT = 65_535;

function connectionInfo(file: string, fields: Readonly<Record<string, unknown>>): KernelConnectionInfo {
  const { transport = "tcp", ip, key = "", signature_scheme: scheme = "hmac-sha256" } = fields;
  if (transport !== "tcp" && transport !== "ipc")
    throw connectionFileError(file, `has the transport ${shown(transport)}; tcp and ipc are known`);
  if (typeof ip !== "string" || ip === "") throw connectionFileError(file, describeFault("ip", ip));
  if (typeof key !== "string") throw connectionFileError(file, describeFault("key", key));
  // Without a key nothing is signed, whatever the scheme.
  if (key !== "" && !isScheme(scheme))
    throw connectionFileError(file, `has the signature_scheme ${shown(scheme)}, which omp does not know`);
  const [shellPort = 0, iopubPort = 0, controlPort = 0, hbPort = 0] = PORT_FIELDS.map((name) =>
    readPort(file, name, fields[name]),
  );
  return {
    transport,
    ip: transport === "ipc" ? resolve(dirname(file), ip) : reachableAddress(ip),
    shellPort,
    iopubPort,
    controlPort,
    // omp answers no input requests, and does not connect to it.
    stdinPort: typeof fields["stdin_port"] === "number" ? fields["stdin_port"] : 0,
    hbPort,
    key,
    signatureScheme: isScheme(scheme) ? scheme : "hmac-sha256",
  };
}

function readPort(file: string, name: string, value: unknown): number {
  if (value === 0)
    throw connectionFileError(file, `has no ${name} yet: its kernel is starting, or never did`);
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0 || value > MAX_PORT)
    throw connectionFileError(file, describeFault(name, value));
  return value;
}

function isScheme(value: unknown): value is KernelConnectionInfo["signatureScheme"] {
  return typeof value === "string" && value.startsWith("hmac-") && isDigest(value.slice("hmac-".length));
}

/** A kernel that listens on every address is taken to be on this machine: its file says nothing else. */
function reachableAddress(ip: string): string {
  return ip === "*" || ip === "0.0.0.0" ? "127.0.0.1" : ip;
}

function readFields(file: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) throw connectionFileError(file, "does not contain JSON", error);
    const code = systemCode(error);
    if (code === undefined) throw error;
    throw connectionError(`'${file}' ${unreadable[code] ?? "cannot be read"}`, code, error);
  }
  if (isRecord(value)) return value;
  throw connectionFileError(file, "does not contain a JSON object");
}

const unreadable: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  EACCES: "cannot be read: permission denied",
  EISDIR: "is a directory",
};

function describeFault(name: string, value: unknown): string {
  return value === undefined ? `has no ${name}` : `has a bad ${name}: ${shown(value)}`;
}

const MAX_SHOWN = 40;

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

function connectionFileError(file: string, problem: string, cause?: unknown): OmpError {
  return connectionError(`'${file}' is not a connection file: it ${problem}`, "KERNEL_FILE", cause);
}

export function connectionError(issue: string, code: string, cause?: unknown): OmpError {
  return new OmpError({ operation: "omp", issue: `--kernel: ${issue}`, code }, { cause });
}
