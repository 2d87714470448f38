/** `omp doctor`: what was found, what is missing, how to fix it. Changes nothing. */

import { name, version } from "../../package.json" with { type: "json" };
import type { CommandIo } from "../app/io.ts";
import { jsonText, tableText } from "../app/printing.ts";
import { ompPaths } from "../config/paths.ts";
import { settingsFiles } from "../config/settings.ts";
import { openProject } from "../config/trust.ts";
import type { Invocation } from "../protocol/invocation.ts";
import type { Check } from "./check.ts";
import { checkCommand } from "./command.ts";
import { checkMachine } from "./machine.ts";
import { checkMcp } from "./mcp.ts";
import { checkModels } from "./models.ts";
import { checkPython } from "./python.ts";
import { checkSnapshots } from "./rewind.ts";
import { checkSandbox } from "./sandbox.ts";
import { checkTrust, readSettingsFiles, readVariables } from "./settings.ts";
import { checkEnvironment, checkHome, checkProgram, environmentRows } from "./surroundings.ts";
import { checkTerminal, hasUnicode, ownTerminal, type TerminalFacts } from "./terminal.ts";

export interface DoctorOptions {
  readonly json?: boolean | undefined;
  /** Only the variables that programs get, and why. */
  readonly env?: boolean | undefined;
}

export interface DoctorInvocation extends Invocation {
  /** stdout's own unless given. */
  readonly terminal?: TerminalFacts | undefined;
}

/** The exit code: 0, or 1 when something keeps the python tool from working. */
export async function runDoctor(
  options: DoctorOptions,
  io: CommandIo,
  invocation: DoctorInvocation,
): Promise<number> {
  const { env, terminal = ownTerminal(env) } = invocation;
  if (options.env) return printEnvironment(options, io, invocation);
  const checks = await allChecks(invocation, terminal);
  const ok = checks.every(({ status }) => status !== "fail");
  if (options.json) {
    io.stdout(jsonText({ ok, checks }));
  } else {
    const { report } = await import("./report.ts");
    io.stdout(
      report(checks, {
        color: terminal.isTerminal && !env["NO_COLOR"],
        unicode: !terminal.isTerminal || hasUnicode(env),
        columns: terminal.columns || 100,
      }),
    );
  }
  return ok ? 0 : 1;
}

async function printEnvironment(
  { json }: DoctorOptions,
  io: CommandIo,
  invocation: Invocation,
): Promise<number> {
  const { settings } = await readProject(invocation);
  const rows = environmentRows(invocation.env, settings);
  const words = rows.map(({ name, passed, why }) => [name, passed ? "passed" : "withheld", why]);
  io.stdout(json ? jsonText(rows) : tableText(words));
  return 0;
}

async function readProject({ env, cwd, isTrusted }: Invocation) {
  const paths = ompPaths({ env });
  const project = openProject({ cwd, isTrusted }, paths);
  const { settings, checks } = await readSettingsFiles(settingsFiles({ env, cwd, isTrusted }));
  return { paths, project, settings, files: checks };
}

async function allChecks(invocation: Invocation, terminal: TerminalFacts): Promise<Check[]> {
  const { env, cwd } = invocation;
  const { paths, project, settings, files } = await readProject(invocation);
  const { environment, checks: variables } = readVariables(env);
  return [
    checkProgram(version),
    ...files,
    checkTrust(project),
    ...variables,
    ...(await checkPython({ settings, environment, env, cwd, project, paths })),
    checkSnapshots({ settings, paths, env }, project.root),
    ...(await checkMachine(invocation, paths)),
    checkCommand(invocation, { name, program: process.execPath }),
    await checkSandbox({ env, settings, paths, project }),
    checkEnvironment(env, settings),
    checkModels(env, settings),
    checkMcp({ env, settings, paths, project }),
    ...checkHome(paths, settings),
    checkTerminal(terminal, env),
  ];
}
