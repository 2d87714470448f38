/**
 * Installs a plan's packages. Pinned ones are installed with their hashes and nothing else is; only where the index lacks them, and
 * only where somebody has chosen that index, are the versions that it has taken instead (ADR 12), which is said and recorded.
 */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { downloads, type Installer } from "./managed-environment-venv.ts";
import { recordFailure, run, type Work } from "./managed-environment-work.ts";
import { NEWEST_PINNED_MINOR } from "./managed-requirements.ts";
import { readIndexSettings } from "./package-index.ts";
import { isAtLeast } from "./preflight.ts";
import type { CommandResult } from "./run-command.ts";

const INSTALL_TIMEOUT_MS = 900_000;

/** With few retries pip says nothing about the connection, and only finds no version of anything. */
const OUT_OF_REACH = /from versions: none|connection|unreachable|timed out|resolution|proxy|SSL/i;
/** The index has the package, but not this version of it, or no file of it for this system. */
const NOT_THERE = /No matching distribution|no version of|has no wheels|No solution found/i;
const OTHER_HASH = /DO NOT MATCH THE HASHES|Hash mismatch/i;

export interface Installed {
  /** Whether these are the packages that omp was tested with, to the byte. */
  readonly isPinned: boolean;
}

type Failure = "index out of reach" | "failed";

/** @param version of the Python, where it is known before. */
export async function installPackages(
  work: Work,
  installer: Installer,
  version?: string,
): Promise<Installed | Failure> {
  const { plan, directory } = work;
  const { requirements, onProgress } = plan;
  onProgress(`installing ${plan.label}`);
  const pip = installer.hasPip ? [] : ["pip"];
  const finish = (isPinned: boolean): Installed => {
    rmSync(downloads(directory), { recursive: true, force: true });
    return { isPinned };
  };
  const asGiven = (): readonly string[] => {
    if ("pinned" in requirements) return [...pip, ...requirements.otherwise];
    return "file" in requirements ? [...pip, "-r", requirements.file] : [...pip, ...requirements.packages];
  };

  if ("pinned" in requirements) {
    const file = join(downloads(directory), "requirements.txt");
    mkdirSync(downloads(directory), { recursive: true });
    writeFileSync(file, requirements.pinned);
    // No building: what a package would need for that is not pinned.
    const options = ["--require-hashes", "--only-binary", ":all:", "-r", file];
    const result = await run(work, [...installer.argv, ...options], INSTALL_TIMEOUT_MS);
    if (result.problem === undefined) return finish(true);
    const why = whyUnpinned(work, result, version);
    if (why === undefined) return failed(work, installer, result);
    onProgress(`${why}; installing other versions, unpinned`);
  }
  const result = await run(work, [...installer.argv, ...asGiven()], INSTALL_TIMEOUT_MS);
  return result.problem === undefined ? finish(false) : failed(work, installer, result);
}

function failed(work: Work, { what }: Installer, result: CommandResult): Failure {
  recordFailure(work, what, result);
  const printed = textOf(result);
  // Another Python would be sent the same.
  return OUT_OF_REACH.test(printed) || OTHER_HASH.test(printed) ? "index out of reach" : "failed";
}

/** Why other versions may be installed; undefined when they may not. */
function whyUnpinned({ plan }: Work, result: CommandResult, version: string | undefined): string | undefined {
  const printed = textOf(result);
  if (!NOT_THERE.test(printed) || OTHER_HASH.test(printed) || /from versions: none/.test(printed))
    return undefined;
  if (version !== undefined && isAtLeast(version, [3, NEWEST_PINNED_MINOR + 1])) {
    return `Python ${version} is later than the pinned packages`;
  }
  const isChosen =
    readIndexSettings(plan.env).isChosen || Object.keys(plan.env).some((name) => UV_INDEX.test(name));
  return isChosen ? "your package index lacks the pinned versions" : undefined;
}

const UV_INDEX = /^UV_(INDEX|DEFAULT_INDEX|EXTRA_INDEX_URL|FIND_LINKS|CONFIG_FILE)/;

function textOf({ stdout, stderr }: CommandResult): string {
  return `${stdout}\n${stderr}`;
}
