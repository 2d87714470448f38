/** `omp setup`: makes or repairs the managed Python environment, unless it works already. */

import { interruptible } from "../app/interruption.ts";
import type { CommandIo } from "../app/io.ts";
import { jsonText } from "../app/printing.ts";
import { interpreterChoice } from "../app/workspace.ts";
import { defaultSettings } from "../config/defaults.ts";
import { ConfigError } from "../config/errors.ts";
import { type OmpPaths, ompPaths } from "../config/paths.ts";
import type { Settings } from "../config/schema.ts";
import { loadSettingsFor } from "../config/settings.ts";
import { openProject } from "../config/trust.ts";
import type { Invocation } from "../protocol/invocation.ts";
import type { Interpreter } from "../python/interpreter.ts";
import { describeInterpreter } from "../python/interpreter-words.ts";
import { type Ensured, ensureEnvironment, managedPlan } from "../python/managed-environment.ts";
import { EnvironmentError, UnwritableError } from "../python/managed-environment-errors.ts";
import { type Preflight, preflight } from "../python/preflight.ts";
import { probeInterpreter } from "../python/probe.ts";
import { failureReport, fixFor } from "./setup-report.ts";

export interface SetupOptions {
  readonly json?: boolean | undefined;
  /** Build it again even if it works. */
  readonly force?: boolean | undefined;
}

export const UNTIL_THEN = "Until then the python tool is off; everything else works.";

/** The exit code: 0 when the environment is ready, 1 when it could not be made. */
export async function runSetup(
  options: SetupOptions,
  io: CommandIo,
  invocation: Invocation,
): Promise<number> {
  const { env } = invocation;
  const paths = ompPaths({ env });
  return await interruptible(async (interruption) => {
    const { signal } = interruption;
    const onProgress = (line: string) => io.stderr(`setup: ${line}\n`);
    const plan = managedPlan({ target: paths.pythonEnvironment, env, signal, onProgress });
    try {
      const ensured = await ensureEnvironment(plan, { force: options.force ?? false });
      const choice = await chooseInterpreter(paths, invocation);
      io.stdout(options.json ? jsonReport(paths, ensured, choice) : textReport(paths, ensured, choice));
      return 0;
    } catch (error) {
      if (signal.aborted) {
        io.stderr("setup: stopped; nothing was changed (INTERRUPTED)\n");
        return interruption.exitCode ?? 1;
      }
      if (!(error instanceof EnvironmentError || error instanceof UnwritableError)) throw error;
      if (options.json) {
        const tried = error instanceof EnvironmentError ? error.tried : [];
        io.stdout(jsonText({ ok: false, error: error.message, tried, fix: fixFor(error) }));
      } else {
        io.stderr(`${failureReport(error)}\n${UNTIL_THEN}\n`);
      }
      return 1;
    }
  });
}

/** What omp uses in this directory: not the managed environment where the user has chosen another, or the project has its own. */
export interface Choice {
  readonly interpreter: Interpreter | undefined;
  readonly preflight: Preflight;
  /** Where the interpreter's packages are; undefined when it could not be asked. */
  readonly prefix: string | undefined;
  readonly ipykernel: string | undefined;
  /** Of a settings file that cannot be read; the defaults were used. */
  readonly settingsProblem: string | undefined;
}

export async function chooseInterpreter(paths: OmpPaths, invocation: Invocation): Promise<Choice> {
  let settings: Settings = defaultSettings;
  let settingsProblem: string | undefined;
  try {
    settings = await loadSettingsFor(invocation);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    settingsProblem = error.message;
  }
  const project = openProject(invocation, paths);
  const { findInterpreter, childEnv } = interpreterChoice({ ...invocation, paths, project, settings });
  const search = await findInterpreter();
  const interpreter = search.found;
  const facts = interpreter && (await probeInterpreter(interpreter.path, { env: childEnv(interpreter) }));
  return {
    interpreter,
    preflight: preflight(search, facts),
    prefix: facts?.prefix,
    ipykernel: facts?.packages.ipykernel,
    settingsProblem,
  };
}

function textReport(paths: OmpPaths, { record, changed, lost }: Ensured, choice: Choice): string {
  const python = `${paths.pythonEnvironment}/bin/python`;
  const ipykernel = record.packages["ipykernel"] ?? "unknown";
  const lines = [
    `${changed ? "Ready" : "Already set up"}: ${python}`,
    `Python ${record.python}, ipykernel ${ipykernel}`,
  ];
  if (record.way === "borrowed") {
    lines.push(
      "The package index could not be reached, so it uses the packages of another Python on this machine.",
    );
  }
  if ((record.way === "pip" || record.way === "uv") && !record.isPinned) {
    lines.push(
      "The package index does not have the versions that omp is tested with, so other versions were installed.",
    );
  }
  if (lost.length > 0)
    lines.push(
      `The previous environment had other packages, too; to reinstall them: ${python} -m pip install ${lost.join(" ")}`,
    );
  if (choice.settingsProblem !== undefined) lines.push(choice.settingsProblem);
  if (choice.interpreter !== undefined && choice.interpreter.source !== "managed") {
    lines.push(`In this directory omp uses ${describeInterpreter(choice.interpreter)}.`);
  }
  lines.push(choice.preflight.ok ? "Next: omp doctor" : choice.preflight.reason);
  return `${lines.join("\n")}\n`;
}

function jsonReport(paths: OmpPaths, { record, changed, lost }: Ensured, choice: Choice): string {
  return jsonText({
    ok: true,
    changed,
    python: `${paths.pythonEnvironment}/bin/python`,
    version: record.python,
    ipykernel: record.packages["ipykernel"] ?? null,
    way: record.way,
    pinned: record.isPinned,
    lost,
    used: choice.interpreter ?? null,
    problem: choice.preflight.ok ? null : choice.preflight.reason,
  });
}
