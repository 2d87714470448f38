/** `omp kernel list|connect-info|stop`: kernels wherever they live, of this omp's user. */

import { readFileSync } from "node:fs";
import type { CommandIo } from "../app/io.ts";
import { ConfigError } from "../config/errors.ts";
import { secondsSince, spellDuration } from "../format/durations.ts";
import { type HostEntry, type KernelEntry, takeCensus } from "../kernel/hosts/census.ts";
import { OmpError, systemCode } from "../protocol/index.ts";
import type { Invocation } from "../protocol/invocation.ts";

export type KernelAction =
  | { readonly name: "list"; readonly json?: boolean | undefined }
  | { readonly name: "connect-info"; readonly id: string; readonly json?: boolean | undefined }
  | { readonly name: "stop"; readonly id: string };

const FAILED = 1;
const USAGE = 2;

/** The exit code: 0; 2 for bad settings, or a kernel that is not there or not clear; 1 when it cannot be ended. */
export async function runKernel(
  action: KernelAction,
  io: CommandIo,
  invocation: Invocation,
): Promise<number> {
  try {
    const census = await takeCensus(invocation);
    switch (action.name) {
      case "list":
        io.stdout(action.json ? `${JSON.stringify(census.map(hostFields), undefined, 2)}\n` : table(census));
        return 0;
      case "connect-info":
        io.stdout(connectInfo(find(action.id, census), action.json ?? false));
        return 0;
      case "stop": {
        const { kernel, host } = find(action.id, census);
        await kernel.stop();
        io.stdout(`Stopped ${kernel.id} (${host}).\n`);
        return 0;
      }
    }
  } catch (error) {
    if (!(error instanceof OmpError)) throw error;
    io.stderr(`${error.message}\n`);
    return error instanceof ConfigError || error instanceof KernelChoiceError ? USAGE : FAILED;
  }
}

/** Which kernel was meant is not clear. */
class KernelChoiceError extends OmpError {
  constructor(issue: string, code: string) {
    super({ operation: "kernel", issue, code });
  }
}

interface Found {
  readonly kernel: KernelEntry;
  readonly host: string;
}

/** By its id or the beginning of it. Nothing is the beginning of every id, and an empty variable in a script means none. */
function find(id: string, census: readonly HostEntry[]): Found {
  const all = census.flatMap(({ host, kernels }) => kernels.map((kernel) => ({ kernel, host })));
  const exact = all.filter(({ kernel }) => kernel.id === id);
  const begun = all.filter(({ kernel }) => id !== "" && kernel.id.startsWith(id));
  const [found, another] = exact.length > 0 ? exact : begun;
  if (found === undefined) {
    const silent = census.filter(({ problem }) => problem !== undefined).map(({ host }) => host);
    const unasked = silent.length === 0 ? "" : ` (${silent.join(", ")} could not be asked)`;
    throw new KernelChoiceError(`there is no kernel '${id}'${unasked}; see: omp kernel list`, "NOT_FOUND");
  }
  if (another !== undefined) {
    const ids = `${found.kernel.id} and ${another.kernel.id}`;
    throw new KernelChoiceError(`'${id}' is the beginning of ${ids}`, "AMBIGUOUS");
  }
  return found;
}

/** The path, for `jupyter console --existing`; or what the file holds. */
function connectInfo({ kernel, host }: Found, json: boolean): string {
  const { connectionFile, id } = kernel;
  if (connectionFile === undefined) {
    const issue = `kernel ${id} lives in the gateway '${host}', which keeps its connection file to itself; only kernels of omp's own on this machine can be connected to`;
    throw new KernelChoiceError(issue, "NO_CONNECTION_FILE");
  }
  if (!json) return `${connectionFile}\n`;
  try {
    return `${JSON.stringify(JSON.parse(readFileSync(connectionFile, "utf8")), undefined, 2)}\n`;
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    throw new OmpError({ operation: "kernel", issue: `kernel ${id} has just ended`, code }, { cause: error });
  }
}

function hostFields({ host, url, problem, kernels }: HostEntry) {
  return {
    place: host,
    url: url ?? null,
    problem: problem ?? null,
    kernels: kernels.map(({ id, spec, state, since, cwd, ownerPid, connectionFile }) => ({
      id,
      spec,
      state,
      since: since ?? null,
      cwd: cwd ?? null,
      owner_pid: ownerPid ?? null,
      connection_file: connectionFile ?? null,
    })),
  };
}

const SHORT_ID = 8;

function table(census: readonly HostEntry[]): string {
  const head = ["id", "host", "kernelspec or interpreter", "state", "since", "where"];
  const rows = census.flatMap(({ host, url, problem, kernels }) => [
    ...kernels.map((kernel) => [
      kernel.id.slice(0, SHORT_ID),
      host,
      kernel.spec,
      kernel.state,
      kernel.since === undefined ? "" : spellDuration(1_000 * secondsSince(kernel.since)),
      where(kernel),
    ]),
    ...(problem === undefined ? [] : [["-", host, problem]]),
    ...(problem === undefined && url !== undefined && kernels.length === 0
      ? [["-", host, "no kernels"]]
      : []),
  ]);
  if (rows.length === 0) return "No kernel is running.\n";
  // What stands last in a row may be a sentence: it would push every other row aside.
  const cells = (column: number) => [head, ...rows].map((row) => row.slice(0, -1)[column] ?? "");
  const widths = head.map((_, column) => Math.max(...cells(column).map((cell) => Bun.stringWidth(cell))));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join("  ")
      .trimEnd();
  return `${[head, ...rows].map(line).join("\n")}\n`;
}

function where({ cwd, ownerPid }: KernelEntry): string {
  const owner = ownerPid === undefined ? [] : [`omp ${ownerPid}`];
  return [...(cwd === undefined ? [] : [cwd]), ...owner].join(", ");
}
