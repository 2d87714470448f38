/**
 * The parts that a session works with, put together: settings, paths, artifacts, interpreter, environment, tools. Nothing
 * heavy is made before a tool needs it, and `close` ends everything that was.
 */

import { once } from "../async/once.ts";
import { readEnvironment } from "../config/environment.ts";
import { type OmpPaths, ompPaths, projectPaths } from "../config/paths.ts";
import type { Settings } from "../config/schema.ts";
import { loadSettingsWithOrigins } from "../config/settings.ts";
import { type PlaceWords, placeWords } from "../kernel/hosts/kernel-place.ts";
import {
  checkPython,
  type KernelNews,
  type KernelsOptions,
  openKernels,
  type PythonFacts,
  placeOf,
  pythonFacts,
} from "../kernel/hosts/kernels.ts";
import type { KernelQuestion, MessageContent } from "../kernel/kernel.ts";
import type { Look } from "../kernel/pool/pool.ts";
import { closed } from "../kernel/pool/words.ts";
import { ArtifactStore } from "../output/artifacts.ts";
import { sharedWatchdog } from "../process/watchdog.ts";
import type { Tool, ToolContext } from "../protocol/index.ts";
import type { Invocation } from "../protocol/invocation.ts";
import { childEnvironment } from "../python/environment.ts";
import { findInterpreter, type Interpreter } from "../python/interpreter.ts";
import { type EffectiveToolMode, effectiveToolMode, type ToolMode } from "../python/tool-mode.ts";
import { openShells } from "../shell/shells.ts";
import {
  type ApprovalMode,
  type ApprovalPolicy,
  approvalPolicy,
  approved,
  type GrantStore,
  Grants,
} from "../tools/approval/index.ts";
import { bashTool } from "../tools/bash.ts";
import { bashOutputTool } from "../tools/bash-output.ts";
import { execTool } from "../tools/exec.ts";
import { fileTools } from "../tools/files/index.ts";
import { killShellTool } from "../tools/kill-shell.ts";
import { pythonTool } from "../tools/python/python.ts";
import { pythonRunTool } from "../tools/python-run.ts";
import { ToolRegistry } from "../tools/registry.ts";
import type { ScriptServices } from "../tools/script-services.ts";
import type { CommandIo } from "./io.ts";
import {
  leftRunningLines,
  newSnapshotPath,
  runtimeBase,
  type ShellsPlace,
  snapshotFile,
  snapshotVariable,
} from "./shells.ts";
import { startupMarks } from "./startup-marks.ts";

export interface Services {
  readonly settings: Settings;
  readonly paths: OmpPaths;
  readonly projectRoot: string;
  /** Every tool that is not switched off; who offers tools to a model chooses among them. */
  readonly tools: ToolRegistry;
  /** Those of another mode than the one that was asked for: what is left when Python turns out not to work. */
  readonly toolsIn: (mode: ToolMode) => readonly Tool[];
  /** Which of `python` and `bash` there are once Python has been looked at; it may turn out not to work. */
  toolMode(): Promise<EffectiveToolMode>;
  /** The interpreter that kernels run in, for the model; undefined when there is none that works. */
  pythonFacts(): Promise<PythonFacts | undefined>;
  /** Where kernels live, for people and for the model. */
  readonly kernelPlace: PlaceWords;
  /**
   * Starts the session's kernel, so that the first cell need not wait for it, and gives its Python's version; undefined where none
   * outlives a call. Throws KernelError.
   */
  warmUp(signal: AbortSignal): Promise<string | undefined>;
  /** Asks the session's kernel what runs no code; starts it when there is none. Throws KernelError. */
  askKernel(
    question: KernelQuestion,
    content: MessageContent,
    signal: AbortSignal,
  ): Promise<Look<MessageContent>>;
  /** Full outputs, those that are being written too. */
  artifacts(): Pick<ArtifactStore, "find" | "newestOpen">;
  /** Background shells, those that have ended too. */
  backgroundShells(): readonly BackgroundShellFacts[];
  /** @returns whether it was ended by this; undefined when there is none of that id. */
  killShell(id: string): Promise<boolean | undefined>;
  /** What ended in the background since the last call, for the model. */
  readonly announcements: () => readonly string[];
  /** Where the session's calls run; each call adds its own signal and listener. */
  readonly context: Pick<ToolContext, "sessionId" | "cwd" | "projectRoot">;
  /** Ends everything. Returns lines about work that was still running. */
  close(): Promise<readonly string[]>;
}

export interface BackgroundShellFacts {
  readonly id: string;
  readonly command: string;
  readonly status: string;
}

/** What the caller says about approval; the setting holds where it says nothing. */
export interface ApprovalChoice {
  readonly approval?: ApprovalMode | undefined;
  /** Puts a question to the user; without it every question is answered with no. */
  readonly ask?: ApprovalPolicy["ask"];
  /** Where a yes for always is kept. */
  readonly grantStore?: GrantStore | undefined;
}

/** What changes by itself, for who shows it: how the kernel stands, and that a background shell has started or ended. */
export type ServiceNews = KernelNews & { readonly onBackgroundShells: (ended?: string) => void };

export interface ServicesChoice extends ApprovalChoice {
  /** The connection file of a kernel that is running already; kernels live where the settings say when not given. */
  readonly kernel?: string | undefined;
  readonly news?: ServiceNews | undefined;
}

const bytesPerMb = 1_000_000;
const msPerDay = 86_400_000;

/** Throws ConfigError when a settings file or a PI_* variable is bad. */
export async function openServices(
  { env, cwd }: Invocation,
  io: Pick<CommandIo, "stderr">,
  { approval, ask, grantStore, news, kernel }: ServicesChoice = {},
): Promise<Services> {
  const paths = ompPaths({ env });
  const project = projectPaths(cwd, paths);
  const environment = readEnvironment(env);
  const mark = startupMarks(environment.debugStartup, io.stderr);
  for (const warning of environment.warnings) io.stderr(`${warning}\n`);
  const { settings, origin } = await loadSettingsWithOrigins({
    globalFile: paths.settingsFile,
    projectFile: project.settingsFile,
  });
  const mode = environment.toolMode ?? settings.python.toolMode;
  const existing =
    kernel === undefined
      ? undefined
      : (await import("../kernel/hosts/existing-connection.ts")).existingConnection(kernel, {
          env,
          cwd,
          paths,
          mode,
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
  const snapshotPath = newSnapshotPath(paths);
  const python: KernelsOptions = {
    settings,
    environment,
    paths,
    project,
    cwd,
    existing,
    findInterpreter: scripts.findInterpreter,
    kernelEnv: (interpreter) => ({ ...childEnv(interpreter), [snapshotVariable]: snapshotPath }),
    env,
    trace: (line) => io.stderr(`${line}\n`),
    mark,
    keepsState: news !== undefined && origin("python.idleTimeout") === "default",
    news,
  };
  const place = placeOf(python);
  let isClosed = false;
  const kernels = once(async () => {
    // Whoever asks for one too late would leave a kernel behind, and omp with it.
    if (isClosed) throw closed();
    return await openKernels(python);
  });
  const shellsPlace: ShellsPlace = { cwd, env, shellEnv: childEnv(undefined), snapshotPath, warn: mark };
  const shells = once(() =>
    openShells({
      cwd,
      env: shellsPlace.shellEnv,
      snapshot: () => snapshotFile(shellsPlace),
      runtimeBase: runtimeBase(env),
      onBackgroundChange: news?.onBackgroundShells,
    }),
  );
  const tools = [
    pythonTool({
      kernels: kernels.get,
      artifacts: artifacts.get,
      elsewhere: place.kind === "external" ? placeWords(place).name : undefined,
      existing: existing?.file,
    }),
    bashTool({ shells: shells.get, artifacts: artifacts.get }),
    bashOutputTool({ shells: shells.get }),
    killShellTool({ shells: shells.get }),
    ...fileTools({ artifacts: artifacts.get, home: paths.userHome, searchPath: env["PATH"] }),
    execTool(scripts),
    pythonRunTool({ ...scripts, scriptTimeoutSeconds: settings.python.scriptTimeout }),
  ];
  // Here, around every tool: nothing that omp runs gets past the dangerous patterns, with a model or without.
  const policy = approvalPolicy({
    mode: approval ?? settings.approval,
    rules: { home: paths.userHome, projectRoot: project.root, ...settings.bash },
    ask,
    grants: new Grants(grantStore),
    shellDirectory: () => shells.made?.cwd,
  });
  const approvedTools = tools.map((tool) => approved(tool, policy));
  const toolsIn = (wanted: ToolMode) => approvedTools.filter(({ name }) => isInMode(name, wanted));
  const context = { sessionId: crypto.randomUUID(), cwd, projectRoot: project.root };
  mark("tools made");

  return {
    settings,
    paths,
    projectRoot: project.root,
    tools: new ToolRegistry(toolsIn(mode)),
    toolsIn,
    toolMode: async () =>
      effectiveToolMode({
        override: environment.toolMode,
        setting: settings.python.toolMode,
        preflight:
          mode === "bash-only" || environment.skipPythonCheck ? undefined : await checkPython(python),
      }),
    pythonFacts: () => pythonFacts(python),
    kernelPlace: placeWords(place),
    warmUp: async (signal) => {
      const { pool } = await kernels.get();
      const look = await pool.look(
        { sessionId: context.sessionId, cwd, signal },
        async ({ facts }) => facts.pythonVersion,
      );
      return look.kind === "answer" ? look.value : undefined;
    },
    askKernel: async (question, content, signal) => {
      const { pool, operations } = await kernels.get();
      const place = { sessionId: context.sessionId, cwd, signal };
      return await pool.look(place, (kernel) => operations.ask(kernel, question, content));
    },
    artifacts: artifacts.get,
    backgroundShells: () =>
      shells.made?.background.list().map(({ id, command, status }) => ({ id, command, status })) ?? [],
    killShell: async (id) => await shells.made?.background.get(id)?.kill(),
    announcements: () => shells.made?.takeAnnouncements() ?? [],
    context,
    close: async () => {
      isClosed = true;
      // A start that failed has nothing to close, and was told to whoever asked for it.
      await kernels.made?.then((open) => open.close()).catch(() => undefined);
      const left = await shells.made?.close();
      await sharedWatchdog().close();
      return left ? leftRunningLines(left) : [];
    },
  };
}

/** `python` and the shell are the two hands of which `PI_PY` may take one away; every other tool is always there. */
function isInMode(tool: string, mode: ToolMode): boolean {
  if (tool === "python") return mode !== "bash-only";
  if (["bash", "bash_output", "kill_shell"].includes(tool)) return mode !== "ipy-only";
  return true;
}
