/**
 * The parts that a session works with, put together: settings, paths, artifacts, interpreter, environment, tools. Nothing
 * heavy is made before a tool needs it, and `close` ends everything that was.
 */

import { readEnvironment } from "../config/environment.ts";
import { ompPaths, projectPaths } from "../config/paths.ts";
import type { Settings } from "../config/schema.ts";
import { loadSettings } from "../config/settings.ts";
import { ArtifactStore } from "../output/artifacts.ts";
import { sharedWatchdog } from "../process/watchdog.ts";
import type { ToolContext } from "../protocol/index.ts";
import { childEnvironment } from "../runtime/environment.ts";
import { findInterpreter, type Interpreter } from "../runtime/interpreter.ts";
import { type EffectiveToolMode, effectiveToolMode, type ToolMode } from "../runtime/tool-mode.ts";
import { execTool } from "../tools/exec.ts";
import { pythonTool } from "../tools/python/python.ts";
import { pythonRunTool } from "../tools/python-run.ts";
import { ToolRegistry } from "../tools/registry.ts";
import type { ScriptServices } from "../tools/script-services.ts";
import type { ModeIo, ModePlace } from "./io.ts";
import { checkPython, type KernelsOptions, openKernels } from "./kernels.ts";
import { startupMarks } from "./startup-marks.ts";

export interface Services {
  readonly settings: Settings;
  readonly projectRoot: string;
  /** Every tool that is not switched off; who offers tools to a model chooses among them. */
  readonly tools: ToolRegistry;
  /** Which of `python` and `bash` there are once Python has been looked at; it may turn out not to work. */
  toolMode(): Promise<EffectiveToolMode>;
  /** Where the session's calls run; each call adds its own signal and listener. */
  readonly context: Pick<ToolContext, "sessionId" | "cwd" | "projectRoot">;
  close(): Promise<void>;
}

const bytesPerMb = 1_000_000;
const msPerDay = 86_400_000;

/** Throws ConfigError when a settings file or a PI_* variable is bad. */
export async function openServices({ env, cwd }: ModePlace, io: Pick<ModeIo, "stderr">): Promise<Services> {
  const paths = ompPaths({ env });
  const project = projectPaths(cwd, paths);
  const environment = readEnvironment(env);
  const mark = startupMarks(environment.debugStartup, io.stderr);
  for (const warning of environment.warnings) io.stderr(`${warning}\n`);
  const settings = await loadSettings({
    globalFile: paths.settingsFile,
    projectFile: project.settingsFile,
  });
  mark("settings loaded");

  const artifacts = once(() => {
    const store = new ArtifactStore({
      directory: paths.artifacts,
      maxTotalBytes: settings.artifacts.maxTotalMb * bytesPerMb,
      maxAgeMs: settings.artifacts.maxAgeDays * msPerDay,
    });
    store.cleanUp();
    return store;
  });
  const childEnv = (interpreter: Interpreter | undefined) =>
    childEnvironment({ env, pass: settings.environment.pass, interpreter });
  const scripts: ScriptServices = {
    artifacts: artifacts.get,
    findInterpreter: () =>
      findInterpreter({
        setting: settings.python.interpreter,
        cwd,
        projectRoot: project.root,
        env,
        managedEnvironment: paths.pythonEnvironment,
      }),
    environment: childEnv,
  };
  const python: KernelsOptions = {
    settings: settings.python,
    environment,
    paths,
    project,
    findInterpreter: scripts.findInterpreter,
    kernelEnv: childEnv,
    env,
    trace: (line) => io.stderr(`${line}\n`),
    mark,
  };
  const kernels = once(() => openKernels(python));
  const tools = [
    pythonTool({ kernels: kernels.get, artifacts: artifacts.get }),
    execTool(scripts),
    pythonRunTool({ ...scripts, scriptTimeoutSeconds: settings.python.scriptTimeout }),
  ];
  const mode = environment.toolMode ?? settings.python.toolMode;
  mark("tools made");

  return {
    settings,
    projectRoot: project.root,
    tools: new ToolRegistry(tools.filter(({ name }) => isInMode(name, mode))),
    toolMode: async () =>
      effectiveToolMode({
        override: environment.toolMode,
        setting: settings.python.toolMode,
        preflight:
          mode === "bash-only" || environment.skipPythonCheck ? undefined : await checkPython(python),
      }),
    context: { sessionId: crypto.randomUUID(), cwd, projectRoot: project.root },
    close: async () => {
      // A start that failed has nothing to close, and was told to whoever asked for it.
      await kernels.made?.then((open) => open.close()).catch(() => undefined);
      await sharedWatchdog().close();
    },
  };
}

/** `python` and the shell are the two hands of which `PI_PY` may take one away; every other tool is always there. */
function isInMode(tool: string, mode: ToolMode): boolean {
  if (tool === "python") return mode !== "bash-only";
  if (["bash", "bash_output", "kill_shell"].includes(tool)) return mode !== "ipy-only";
  return true;
}

interface Once<T> {
  readonly get: () => T;
  /** What `get` gave, if anybody called it. */
  readonly made: T | undefined;
}

function once<T>(make: () => T): Once<T> {
  let made: { readonly value: T } | undefined;
  return {
    get: () => {
      made ??= { value: make() };
      return made.value;
    },
    get made() {
      return made?.value;
    },
  };
}
