/** The connection file: where a kernel listens and how it signs. omp writes it; a kernel on tcp fills in its ports. */

import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemCode } from "../../protocol/index.ts";
import { asRecord, parseJson } from "../../protocol/record.ts";
import type { KernelConnectionInfo } from "../kernel.ts";
import type { Endpoint } from "../zmtp/index.ts";

export type KernelTransport = KernelConnectionInfo["transport"];
const LOOPBACK = "127.0.0.1";
type Port = "shellPort" | "iopubPort" | "controlPort" | "hbPort";

/**
 * For `ipc` the five "ports" are suffixes of one path, and known at once. For `tcp` they are 0: only the kernel can pick ports
 * without a race, and it writes what it got into the same file.
 *
 * @param options.choosesPorts false for a kernel that may not do that: it gets ports that are free now, as Jupyter gives them.
 * @param options.sockets the directory of the sockets, if another one. @param options.alias another name of it, which the kernel uses.
 */
export function writeConnectionFile(
  directory: string,
  transport: KernelTransport,
  {
    choosesPorts = true,
    sockets = directory,
    alias = sockets,
  }: { readonly choosesPorts?: boolean; readonly sockets?: string; readonly alias?: string } = {},
): { readonly path: string; readonly info: KernelConnectionInfo } {
  const ports = transport === "ipc" ? [1, 2, 3, 4, 5] : choosesPorts ? [0, 0, 0, 0, 0] : freePorts(5);
  const [shell_port, iopub_port, stdin_port, control_port, hb_port] = ports;
  const ipIn = (place: string) => (transport === "ipc" ? join(place, "s") : LOOPBACK);
  const file = {
    transport,
    ip: ipIn(alias),
    shell_port,
    iopub_port,
    stdin_port,
    control_port,
    hb_port,
    key: randomBytes(32).toString("hex"),
    signature_scheme: "hmac-sha256",
    kernel_name: "omp",
  };
  const path = join(directory, "kernel.json");
  const text = JSON.stringify(file);
  writeFileSync(path, text, { mode: 0o600, flag: "wx" });
  return { path, info: { ...parseConnectionFile(text), ip: ipIn(sockets) } };
}

/** For other clients, once the kernel has read it and its alias is gone. */
export function dropAlias(path: string, { ip }: KernelConnectionInfo): void {
  const file = parseJson(readFileSync(path, "utf8"));
  writeFileSync(path, JSON.stringify({ ...asRecord(file), ip }), { mode: 0o600 });
}

/** Another program may take one before the kernel does; the kernel then ends, and says why. */
function freePorts(count: number): number[] {
  const socket = { data: () => undefined };
  const listeners = Array.from({ length: count }, () => Bun.listen({ hostname: LOOPBACK, port: 0, socket }));
  for (const listener of listeners) listener.stop(true);
  return listeners.map(({ port }) => port);
}

/** Undefined while the kernel is writing it: it removes ours, then creates and fills a new one. */
export function readConnectionFile(path: string): KernelConnectionInfo | undefined {
  try {
    return parseConnectionFile(readFileSync(path, "utf8"));
  } catch (error) {
    if (error instanceof SyntaxError || systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Whether the kernel has filled in its ports yet. */
export function isComplete(info: KernelConnectionInfo): boolean {
  return info.shellPort > 0 && info.iopubPort > 0 && info.controlPort > 0 && info.hbPort > 0;
}

export function endpointOf(info: KernelConnectionInfo, port: Port): Endpoint {
  return info.transport === "ipc"
    ? { transport: "ipc", path: `${info.ip}-${info[port]}` }
    : { transport: "tcp", host: info.ip, port: info[port] };
}

function parseConnectionFile(text: string): KernelConnectionInfo {
  const file = JSON.parse(text) as Record<string, unknown>;
  const number = (key: string) => Number(file[key] ?? 0);
  return {
    transport: file["transport"] === "ipc" ? "ipc" : "tcp",
    ip: String(file["ip"]),
    shellPort: number("shell_port"),
    iopubPort: number("iopub_port"),
    stdinPort: number("stdin_port"),
    controlPort: number("control_port"),
    hbPort: number("hb_port"),
    key: String(file["key"] ?? ""),
    signatureScheme: "hmac-sha256",
  };
}
