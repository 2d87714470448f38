/** `omp kernel list|connect-info|stop`: the kernels of this user, wherever they live. */

import { readFileSync } from "node:fs";
import { withErrorLine } from "../app/exit-codes.ts";
import type { CommandIo } from "../app/io.ts";
import { jsonText, tableText } from "../app/printing.ts";
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

/** The exit code: 0; 2 for bad settings, or a kernel that is missing or ambiguous; 1 when it cannot be stopped. */
export async function runKernel(
  action: KernelAction,
  io: CommandIo,
  invocation: Invocation,
): Promise<number> {
  const run = async () => {
    const census = await takeCensus(invocation);
    switch (action.name) {
      case "list":
        io.stdout(action.json ? jsonText(census.map(hostFields)) : listText(census));
        break;
      case "connect-info":
        io.stdout(connectInfo(findKernel(action.id, census), action.json ?? false));
        break;
      case "stop": {
        const { kernel, host } = findKernel(action.id, census);
        await kernel.stop();
        io.stdout(`Stopped ${kernel.id} (${host}).\n`);
      }
    }
    return 0;
  };
  const codeOf = (error: OmpError) =>
    error instanceof ConfigError || error instanceof KernelChoiceError ? USAGE : FAILED;
  return await withErrorLine(io, run, codeOf);
}

/** No kernel, or more than one, fits what was asked for. */
class KernelChoiceError extends OmpError {
  constructor(issue: string, code: string) {
    super({ operation: "kernel", issue, code });
  }
}

interface Found {
  readonly kernel: KernelEntry;
  readonly host: string;
}

/** By its id or the beginning of it. An empty id, as of an unset variable in a script, fits none. */
function findKernel(id: string, census: readonly HostEntry[]): Found {
  const all = census.flatMap(({ host, kernels }) => kernels.map((kernel) => ({ kernel, host })));
  const exact = all.filter(({ kernel }) => kernel.id === id);
  const prefixed = all.filter(({ kernel }) => id !== "" && kernel.id.startsWith(id));
  const [found, another] = exact.length > 0 ? exact : prefixed;
  if (found === undefined) {
    const silent = census.filter(({ problem }) => problem !== undefined).map(({ host }) => host);
    const unasked = silent.length === 0 ? "" : ` (${silent.join(", ")} did not answer)`;
    throw new KernelChoiceError(`no kernel '${id}'${unasked}; see: omp kernel list`, "NOT_FOUND");
  }
  if (another !== undefined) {
    const ids = `${found.kernel.id} and ${another.kernel.id}`;
    throw new KernelChoiceError(`'${id}' is ambiguous: ${ids}`, "AMBIGUOUS");
  }
  return found;
}

/** The path, for `jupyter console --existing`; or what the file holds. */
function connectInfo({ kernel, host }: Found, json: boolean): string {
  const { connectionFile, id } = kernel;
  if (connectionFile === undefined) {
    const issue = `kernel ${id} is in the gateway '${host}', which does not share its connection file; you can only connect to kernels that omp runs on this machine`;
    throw new KernelChoiceError(issue, "NO_CONNECTION_FILE");
  }
  if (!json) return `${connectionFile}\n`;
  try {
    return jsonText(JSON.parse(readFileSync(connectionFile, "utf8")));
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

function listText(census: readonly HostEntry[]): string {
  const head = ["id", "host", "kernelspec or interpreter", "state", "since", "where"];
  const rows = census.flatMap(({ host, url, problem, kernels }) => [
    ...kernels.map((kernel) => [
      kernel.id.slice(0, SHORT_ID),
      host,
      kernel.spec,
      kernel.state,
      kernel.since === undefined ? "" : spellDuration(1_000 * secondsSince(kernel.since)),
      [kernel.cwd, kernel.ownerPid && `omp ${kernel.ownerPid}`].filter(Boolean).join(", "),
    ]),
    ...(problem === undefined ? [] : [["-", host, problem]]),
    ...(problem === undefined && url !== undefined && kernels.length === 0
      ? [["-", host, "no kernels"]]
      : []),
  ]);
  return rows.length === 0 ? "No kernel is running.\n" : tableText([head, ...rows]);
}
