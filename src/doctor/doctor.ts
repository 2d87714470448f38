/** `omp doctor`: what is found, what is missing, how to mend it. Changes nothing. */

import { version } from "../../package.json" with { type: "json" };
import { type EnvironmentVariables, ompPaths, projectPaths } from "../config/paths.ts";
import type { Check } from "./check.ts";
import { checkModels } from "./models.ts";
import { checkPython } from "./python.ts";
import { readSettingsFiles, readVariables } from "./settings.ts";
import { checkEnvironment, checkHome, checkProgram } from "./surroundings.ts";
import { checkTerminal, hasUnicode, ownTerminal, type TerminalFacts } from "./terminal.ts";

export interface DoctorOptions {
  readonly json?: boolean | undefined;
}

export interface DoctorIo {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

export interface DoctorPlace {
  readonly env: EnvironmentVariables;
  readonly cwd: string;
  /** That of stdout, unless told. */
  readonly terminal?: TerminalFacts | undefined;
}

/** The exit code: 0, or 1 when something keeps the python tool from working. */
export async function runDoctor(options: DoctorOptions, io: DoctorIo, place: DoctorPlace): Promise<number> {
  const terminal = place.terminal ?? ownTerminal(place.env);
  const checks = await allChecks(place, terminal);
  const ok = checks.every(({ status }) => status !== "fail");
  if (options.json) {
    io.stdout(`${JSON.stringify({ ok, checks }, undefined, 2)}\n`);
  } else {
    const { report } = await import("./report.ts");
    io.stdout(
      report(checks, {
        color: terminal.isTerminal && !place.env["NO_COLOR"],
        unicode: !terminal.isTerminal || hasUnicode(place.env),
        columns: terminal.columns || 100,
      }),
    );
  }
  return ok ? 0 : 1;
}

async function allChecks({ env, cwd }: DoctorPlace, terminal: TerminalFacts): Promise<Check[]> {
  const paths = ompPaths({ env });
  const project = projectPaths(cwd, paths);
  const { settings, checks: files } = await readSettingsFiles({
    global: paths.settingsFile,
    project: project.settingsFile,
  });
  const { environment, checks: variables } = readVariables(env);
  return [
    checkProgram(version),
    ...files,
    ...variables,
    ...(await checkPython({ settings, environment, env, cwd, projectRoot: project.root, paths })),
    checkEnvironment(env, settings),
    checkModels(env, settings),
    ...checkHome(paths, settings),
    checkTerminal(terminal, env),
  ];
}
