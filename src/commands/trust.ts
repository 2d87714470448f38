/** `omp trust [dir] [--revoke]`: whether omp may run and obey what belongs to a project. */

import { resolve } from "node:path";
import { withErrorLine } from "../app/exit-codes.ts";
import type { CommandIo } from "../app/io.ts";
import { jsonText } from "../app/printing.ts";
import { ompPaths, projectPaths } from "../config/paths.ts";
import { readTrust, revokeTrust, trustProject } from "../config/trust.ts";
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
