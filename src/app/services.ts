/** The parts that a session works with, put together. Each part owns what it opens; `close` ends everything. */

import { once } from "../async/once.ts";
import { type AgentDefinition, readAgents } from "../config/agents.ts";
import { ArtifactStore } from "../output/artifacts.ts";
import { keepMemoryPrivate } from "../process/private-memory.ts";
import { holdSharedWatchdog, sharedWatchdog } from "../process/watchdog.ts";
import type { Invocation } from "../protocol/invocation.ts";
import type { McpElicit } from "../protocol/mcp.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { ApprovalSwitch } from "../tools/approval/approval-switch.ts";
import { Grants } from "../tools/approval/grants.ts";
import { ToolRegistry } from "../tools/registry.ts";
import { taskTool } from "../tools/task.ts";
import { AgentModels } from "./agent-model.ts";
import { requireDescriptors } from "./descriptors.ts";
import { openFiles, type SessionFiles } from "./files.ts";
import { SessionInputs } from "./inputs.ts";
import type { CommandIo } from "./io.ts";
import { openSessionMcp, type SessionMcp } from "./mcp.ts";
import type { SessionMoments } from "./moments.ts";
import { type KernelEvents, SessionPython } from "./python.ts";
import { checkHost, openSandbox, type SandboxChoice, type SandboxSetting } from "./sandbox.ts";
import { SessionShells } from "./shells.ts";
import { Strays } from "./strays.ts";
import { type ApprovalChoice, openToolbox } from "./toolbox.ts";
import { openWorkspace, type Workspace } from "./workspace.ts";

export type Services = Awaited<ReturnType<typeof openServices>>;

const BYTES_PER_MB = 1_000_000;
const MS_PER_DAY = 86_400_000;

/** Called when something changes by itself. */
export type ServiceEvents = KernelEvents & {
  /** A background shell has started, or `ended`, with a line about it. */
  readonly onBackgroundShells: (ended?: string) => void;
  /** What of the project's files cannot be taken back: a sentence. */
  readonly onNotCovered: (sentence: string) => void;
  /** What MCP servers offer has changed. */
  readonly onMcpServers?: () => void;
};

export interface ServicesChoice extends ApprovalChoice {
  /** The connection file of an existing kernel; without it kernels live where the settings say. */
  readonly kernel?: string | undefined;
  readonly events?: ServiceEvents | undefined;
  /** `--sandbox`. */
  readonly sandbox?: SandboxChoice;
  /** Puts the question of an MCP server to the user; without it every question is declined. */
  readonly elicit?: McpElicit | undefined;
  /** For a subagent. */
  readonly shared?: SharedServices | undefined;
  /** The subagent's name, for questions. */
  readonly asker?: string | undefined;
  /** The subagent works in its parent's kernel. */
  readonly sharesKernel?: boolean | undefined;
  /** In this copy of it, which is given up when room is needed for another, once the subagent is done. */
  readonly branch?: string | undefined;
}

/** What a subagent has in common with its parent, who closes it. Shells are its own, and so is its kernel unless it shares that, too. */
export interface SharedServices {
  readonly python: SessionPython;
  readonly context: { readonly sessionId: string };
  readonly workspace: Workspace;
  readonly artifacts: () => ArtifactStore;
  readonly approval: ApprovalSwitch;
  readonly grants: Grants;
  readonly sandbox: Sandbox | undefined;
  readonly mcp: SessionMcp | undefined;
  readonly inputs: SessionInputs;
  readonly files: () => SessionFiles;
  readonly agents: readonly AgentDefinition[];
  readonly agentModels: AgentModels;
}

/** Throws ConfigError when a settings file or a PI_* variable is bad, and an OmpError when `kernel` names nothing that can be used. */
export async function openServices(
  invocation: Invocation,
  io: Pick<CommandIo, "stderr">,
  {
    kernel,
    events,
    sandbox: sandboxChoice,
    shared,
    asker,
    sharesKernel,
    branch,
    elicit,
    ...approval
  }: ServicesChoice = {},
) {
  keepMemoryPrivate();
  requireDescriptors();
  const warn = (line: string) => io.stderr(`${line}\n`);
  const workspace = shared?.workspace ?? (await openWorkspace(invocation, io));
  sharedWatchdog().recordIn(workspace.paths.running);
  const inputs = shared?.inputs ?? new SessionInputs(workspace.paths.inputs, limitsOf(workspace));
  let sandbox = shared ? shared.sandbox : await openSandbox(workspace, sandboxChoice, inputs);
  const strays = new Strays();
  const lender = sharesKernel === true ? shared : undefined;
  /** Where the session's calls run; each call adds its own signal and listener. */
  const context = {
    /** Kernels are found by it. */
    sessionId: lender?.context.sessionId ?? crypto.randomUUID(),
    cwd: workspace.cwd,
    projectRoot: workspace.project.root,
    home: workspace.paths.userHome,
    asker,
    branch,
    get sandbox() {
      return sandbox;
    },
  };
  const artifacts = shared?.artifacts ?? once(() => openArtifacts(workspace)).get;
  const ownFiles = once(() => openFiles(workspace, workspace.project.root));
  const files = shared?.files ?? ownFiles.get;
  /** Set by a session that can be taken back. */
  const moments: { current: SessionMoments | undefined } = { current: undefined };
  const shells = new SessionShells(workspace, {
    confinement: sandbox,
    variables: strays.variables,
    onChange: events?.onBackgroundShells,
  });
  const python =
    lender?.python ??
    new SessionPython({
      workspace,
      sessionId: context.sessionId,
      existing: kernel === undefined ? undefined : await findKernel(kernel, workspace),
      events,
      shells,
      confinement: sandbox,
      kernelVariables: strays.variables,
      trace: warn,
    });
  if (sandbox !== undefined && shared === undefined) checkHost(sandbox, python.host, workspace);
  const start = approval.approval ?? workspace.settings.approval;
  const approvalSwitch = shared?.approval ?? new ApprovalSwitch(start, workspace.projectApproval);
  const grants = shared?.grants ?? new Grants(approval.grantStore);
  const mode = () => approvalSwitch.mode;
  const { toolsIn, approve } = openToolbox({
    workspace,
    artifacts,
    python,
    shells,
    approval: { ask: approval.ask, mode },
    grants,
    sandbox: () => sandbox,
  });
  const mcp = shared
    ? shared.mcp
    : openSessionMcp({
        workspace,
        artifacts,
        approve,
        sandbox: () => sandbox,
        elicit,
        warn,
        onChange: events?.onMcpServers,
      });
  const ownTools = new ToolRegistry(toolsIn(workspace.toolMode));
  const agents = shared?.agents ?? readAgents(workspace);
  const releaseWatchdog = holdSharedWatchdog();
  workspace.mark("tools made");
  return {
    workspace,
    artifacts,
    inputs,
    files,
    moments,
    python,
    shells,
    approval: approvalSwitch,
    grants,
    /** For a session whose model may have subagents. */
    taskTool: approve(taskTool(agents)),
    agents,
    agentModels: shared?.agentModels ?? new AgentModels(),
    /** Every tool that is not switched off, with those of MCP servers that have answered. */
    get tools() {
      return mcp === undefined ? ownTools : new ToolRegistry([...ownTools.list(), ...mcp.tools, mcp.search]);
    },
    /** Undefined where no server is configured. */
    mcp,
    /** The tools of another mode than the one that was asked for. */
    toolsIn,
    context,
    /** Undefined: programs may do what the user may. */
    get sandbox() {
      return sandbox;
    },
    /**
     * Kernel and shells are ended, and start again in another sandbox, or without one. Throws SandboxError: nothing has changed then.
     * @returns lines about work that was still running.
     */
    switchSandbox: async (mode: SandboxSetting) => {
      const next = await openSandbox(workspace, mode, inputs);
      if (next !== undefined) checkHost(next, python.host, workspace);
      const before = sandbox;
      sandbox = next;
      await python.restart(next);
      await mcp?.restart();
      const left = await shells.restart(next);
      before?.close();
      return left;
    },
    /** @returns lines about work that was still running. */
    close: async () => {
      const isOwner = shared === undefined;
      if (branch !== undefined) (await python.branches()).giveUp(branch);
      await Promise.all([lender ? undefined : python.close(), isOwner ? mcp?.close() : undefined]);
      const isIdle = !shells.isUsed && !python.isUsed;
      const left = [...(await shells.close()), ...(await strays.end({ isIdle }))];
      if (isOwner) sandbox?.close();
      if (isOwner) inputs.close();
      const kept = ownFiles.made;
      if (kept !== undefined && !("off" in kept)) await kept.close();
      await releaseWatchdog();
      return left;
    },
  };
}

async function findKernel(named: string, workspace: Workspace) {
  const { findExistingKernel } = await import("../kernel/hosts/find-kernel.ts");
  return findExistingKernel(named, workspace);
}

/** Full outputs, also those that are still being written. Old files are removed. */
function openArtifacts(workspace: Workspace): ArtifactStore {
  const store = new ArtifactStore({ directory: workspace.paths.artifacts, ...limitsOf(workspace) });
  store.cleanUp();
  return store;
}

/** Of what is kept on the disk, artifacts and large inputs each. */
function limitsOf({ settings: { artifacts } }: Workspace) {
  return { maxTotalBytes: artifacts.maxTotalMb * BYTES_PER_MB, maxAgeMs: artifacts.maxAgeDays * MS_PER_DAY };
}
