/** `omp trust [dir] [--revoke]`: whether omp may run and obey what belongs to a project. */

import { statSync } from "node:fs";
import { resolve } from "node:path";
import { withErrorLine } from "../app/exit-codes.ts";
import type { CommandIo } from "../app/io.ts";
import { jsonText } from "../app/printing.ts";
import { ompPaths, projectPaths } from "../config/paths.ts";
import { readTrust, revokeTrust, trustProject } from "../config/trust.ts";
import { OmpError } from "../protocol/error.ts";
import type { Invocation } from "../protocol/invocation.ts";

export interface TrustOptions {
  /** The working directory by default. */
  readonly directory: string | undefined;
  readonly revoke?: boolean;
  readonly json?: boolean;
}

/** The exit code: 0, or 2 when the directory cannot be trusted. */
export async function runTrust(
  { directory = ".", revoke = false, json = false }: TrustOptions,
  io: CommandIo,
  invocation: Invocation,
): Promise<number> {
  return await withErrorLine(io, async () => {
    const paths = ompPaths(invocation);
    const cwd = resolve(invocation.cwd, directory);
    // A mistyped name would otherwise mean the project around it.
    const problem = directoryProblem(cwd);
    if (problem !== undefined) throw problem;
    const { root } = projectPaths(cwd, paths);
    const subject = { root, cwd, trustFile: paths.trustFile, searchPath: invocation.env["PATH"] };
    const wasTrusted = revoke && revokeTrust(subject);
    const trust = revoke ? readTrust(subject) : trustProject(subject);
    const done = revoke ? (wasTrusted ? "No longer trusted" : "Was not trusted") : "Trusted";
    const wants = trust.wants.map((file) => `  ${file}\n`).join("");
    const what =
      wants === ""
        ? "It has nothing that omp would run or follow.\n"
        : `What omp ${revoke ? "no longer runs or follows" : "now runs and follows"}:\n${wants}`;
    io.stdout(json ? jsonText({ root, ...trust }) : `${done}: ${root}\n${what}`);
    return 0;
  });
}

function directoryProblem(path: string): OmpError | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return undefined;
  const [issue, code] = found
    ? [`'${path}' is not a directory`, "ENOTDIR"]
    : [`no such directory '${path}'`, "ENOENT"];
  return new OmpError({ operation: "trust", issue, code });
}
