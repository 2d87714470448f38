/** The parts that a session works with, put together. Each part owns what it opens; `close` ends everything. */

import { sharedWatchdog } from "../process/watchdog.ts";
import type { Tool, ToolContext } from "../protocol/index.ts";
import type { Invocation } from "../protocol/invocation.ts";
import type { ToolMode } from "../python/tool-mode.ts";
import { ToolRegistry } from "../tools/registry.ts";
import { type Artifacts, sessionArtifacts } from "./artifacts.ts";
import type { CommandIo } from "./io.ts";
import { type KernelEvents, openPython, type SessionPython } from "./python.ts";
import { SessionShells } from "./shells.ts";
import { type ApprovalChoice, openToolbox } from "./toolbox.ts";
import { openWorkspace, type Workspace } from "./workspace.ts";

export interface Services {
  readonly workspace: Workspace;
  readonly artifacts: () => Artifacts;
  readonly python: SessionPython;
  readonly shells: SessionShells;
  /** Every tool that is not switched off. */
  readonly tools: ToolRegistry;
  /** The tools of another mode than the one that was asked for. */
  readonly toolsIn: (mode: ToolMode) => readonly Tool[];
  /** Where the session's calls run; each call adds its own signal and listener. */
  readonly context: Pick<ToolContext, "sessionId" | "cwd" | "projectRoot">;
  /** @returns lines about work that was still running. */
  close(): Promise<readonly string[]>;
}

/** Called when something changes by itself. */
export type ServiceEvents = KernelEvents & {
  /** A background shell has started, or `ended`, with a line about it. */
  readonly onBackgroundShells: (ended?: string) => void;
};

export interface ServicesChoice extends ApprovalChoice {
  /** The connection file of an existing kernel; without it kernels live where the settings say. */
  readonly kernel?: string | undefined;
  readonly events?: ServiceEvents | undefined;
}

/** Throws ConfigError when a settings file or a PI_* variable is bad. */
export async function openServices(
  invocation: Invocation,
  io: Pick<CommandIo, "stderr">,
  { kernel, events, ...approval }: ServicesChoice = {},
): Promise<Services> {
  const workspace = await openWorkspace(invocation, io);
  const context = {
    sessionId: crypto.randomUUID(),
    cwd: workspace.cwd,
    projectRoot: workspace.project.root,
  };
  const artifacts = sessionArtifacts(workspace);
  const shells = new SessionShells(workspace, events?.onBackgroundShells);
  const python = await openPython({
    workspace,
    sessionId: context.sessionId,
    kernel,
    events,
    snapshotPath: shells.snapshotPath,
    trace: (line) => io.stderr(`${line}\n`),
  });
  const toolsIn = openToolbox({ workspace, artifacts, python, shells, approval });
  workspace.mark("tools made");
  return {
    workspace,
    artifacts,
    python,
    shells,
    tools: new ToolRegistry(toolsIn(workspace.toolMode)),
    toolsIn,
    context,
    close: async () => {
      await python.close();
      const left = await shells.close();
      await sharedWatchdog().close();
      return left;
    },
  };
}
