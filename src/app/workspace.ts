/**
 * What a session starts from: the invocation, paths, project, settings and PI_* variables, and what follows directly from them (the
 * interpreter and the environment of child processes). Starts no process.
 */

import { once } from "../async/once.ts";
import { type OmpEnvironment, readEnvironment } from "../config/environment.ts";
import { type OmpPaths, ompPaths } from "../config/paths.ts";
import { type LoadedSettings, loadSettingsWithOrigins, settingsFiles } from "../config/settings.ts";
import { openProject, type Project, untrustedNotice } from "../config/trust.ts";
import type { Invocation } from "../protocol/invocation.ts";
import { childEnvironment } from "../python/environment.ts";
import {
  brokenActivations,
  findInterpreter,
  type Interpreter,
  type InterpreterSearch,
} from "../python/interpreter.ts";
import { writeLentPip } from "../python/lent-pip.ts";
import { ToolEnvironments } from "../python/tool-environments.ts";
import type { ToolMode } from "../python/tool-mode.ts";
import { copyEarlierSettings } from "./copy-earlier.ts";
import type { CommandIo } from "./io.ts";

export interface Workspace extends Invocation, LoadedSettings {
  readonly paths: OmpPaths;
  readonly project: Project;
  /** The PI_* variables. */
  readonly environment: OmpEnvironment;
  /** Which of `python` and `bash` were asked for. */
  readonly toolMode: ToolMode;
  readonly findInterpreter: () => Promise<InterpreterSearch>;
  /** The filtered environment that child processes get. */
  readonly childEnv: (interpreter: Interpreter | undefined) => Record<string, string>;
  /** `PI_DEBUG_STARTUP=1`: a line on stderr for each stage of the start. */
  readonly mark: (stage: string) => void;
}

const TCP_WARNING =
  "omp: python.transport is tcp: every user of this machine can read what cells print, because kernels send it to anyone who connects (TCP)";

/** Throws ConfigError when a settings file or a PI_* variable is bad. */
export async function openWorkspace(
  invocation: Invocation,
  { stderr }: Pick<CommandIo, "stderr">,
): Promise<Workspace> {
  const { env, cwd } = invocation;
  const paths = ompPaths(invocation);
  const project = openProject(invocation, paths);
  const environment = readEnvironment(env);
  const mark = (stage: string) => {
    if (environment.debugStartup) stderr(`[startup] ${performance.now().toFixed(1)} ms ${stage}\n`);
  };
  const copied = copyEarlierSettings(paths);
  if (copied !== undefined) stderr(`${copied}\n`);
  const { settings, origin, projectApproval, warnings } = await loadSettingsWithOrigins(
    settingsFiles(invocation),
  );
  for (const warning of [...environment.warnings, ...warnings]) stderr(`${warning}\n`);
  if (settings.python.transport === "tcp") stderr(`${TCP_WARNING}\n`);
  const untrusted = untrustedNotice(project);
  if (untrusted !== undefined) stderr(`omp: ${untrusted}\n`);
  const activation = { setting: settings.python.interpreter, env, cwd };
  for (const line of brokenActivations(activation)) stderr(`omp: ${line}\n`);
  mark("settings loaded");
  const { findInterpreter, childEnv } = interpreterChoice({ env, cwd, paths, project, settings });
  const lendPip = once(() => writeLentPip(paths.lentPrograms, paths.pythonEnvironment));
  return {
    env,
    cwd,
    paths,
    project,
    environment,
    settings,
    origin,
    projectApproval,
    warnings,
    toolMode: environment.toolMode ?? settings.python.toolMode,
    findInterpreter,
    childEnv: (interpreter) => {
      const child = childEnv(interpreter);
      if (child["PATH"]?.split(":").includes(paths.lentPrograms)) lendPip.get();
      return child;
    },
    mark,
  };
}

/** The interpreter that kernels, shells and scripts use here, and the environment that they get. */
export function interpreterChoice({
  env,
  cwd,
  paths,
  project,
  settings,
}: Pick<Workspace, "env" | "cwd" | "paths" | "project" | "settings">): Pick<
  Workspace,
  "findInterpreter" | "childEnv"
> {
  const childEnv = (interpreter: Interpreter | undefined) =>
    childEnvironment({
      env,
      pass: settings.environment.pass,
      interpreter,
      lentPrograms: paths.lentPrograms,
    });
  const tools = new ToolEnvironments({
    cwd,
    projectRoot: project.root,
    env,
    childEnv: childEnv(undefined),
    cacheFile: paths.toolEnvironmentCache,
  });
  const search = {
    setting: settings.python.interpreter,
    cwd,
    projectRoot: project.root,
    isProjectTrusted: project.isTrusted,
    env,
    managedEnvironment: paths.pythonEnvironment,
    namedByTools: tools.find,
  };
  return { findInterpreter: () => findInterpreter(search), childEnv };
}
