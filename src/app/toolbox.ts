/** Every tool of a session, each behind the approval policy. Which of them a model is given is decided in tool-choice.ts. */

import { dirname } from "node:path";
import type { ArtifactStore } from "../output/artifacts.ts";
import type { Tool } from "../protocol/index.ts";
import type { ToolMode } from "../python/tool-mode.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { readLiveShell } from "../shell/safety/index.ts";
import { type ApprovalPolicy, withApproval } from "../tools/approval/approved-tool.ts";
import type { ApprovalMode } from "../tools/approval/decide.ts";
import type { GrantStore, Grants } from "../tools/approval/grants.ts";
import { bashTool } from "../tools/bash.ts";
import { bashOutputTool } from "../tools/bash-output.ts";
import { execTool } from "../tools/exec.ts";
import { fileTools } from "../tools/files/index.ts";
import { killShellTool } from "../tools/kill-shell.ts";
import { pythonTool } from "../tools/python/python.ts";
import { pythonRunTool } from "../tools/python-run.ts";
import { withSandbox } from "../tools/sandboxed-tool.ts";
import type { SessionPython } from "./python.ts";
import type { SessionShells } from "./shells.ts";
import type { Workspace } from "./workspace.ts";

export type { ApprovalAnswer, ApprovalQuestion } from "../tools/approval/approved-tool.ts";
export type { ApprovalMode } from "../tools/approval/decide.ts";

/** What the caller decides about approval; what is absent is as the settings say. */
export interface ApprovalChoice {
  readonly approval?: ApprovalMode | undefined;
  /** Asks the user; without it every question is answered with no. */
  readonly ask?: ApprovalPolicy["ask"];
  /** Where "always" is kept. */
  readonly grantStore?: GrantStore | undefined;
}

export interface ToolboxParts {
  readonly workspace: Workspace;
  readonly artifacts: () => ArtifactStore;
  readonly python: Pick<SessionPython, "kernels" | "toolFacts">;
  readonly shells: Pick<SessionShells, "open" | "directory">;
  readonly approval: Pick<ApprovalChoice, "ask"> & { readonly mode: () => ApprovalMode };
  readonly grants: Grants;
  /** The one of the moment. */
  readonly sandbox: () => Sandbox | undefined;
}

export interface Toolbox {
  /** The tools of a mode: what is left of them when Python turns out not to work is those of another one. */
  readonly toolsIn: (mode: ToolMode) => readonly Tool[];
  /** Puts a tool that comes later, such as one of an MCP server, behind the same policy. */
  readonly approve: <Input>(tool: Tool<Input>) => Tool<Input>;
}

export function openToolbox(parts: ToolboxParts): Toolbox {
  const { workspace, artifacts, python, shells, approval, grants, sandbox } = parts;
  const { settings, paths, project, env } = workspace;
  const scripts = {
    artifacts,
    findInterpreter: workspace.findInterpreter,
    environment: workspace.childEnv,
    confinement: sandbox,
  };
  const canLeave = () =>
    sandbox() !== undefined && approval.ask !== undefined && approval.mode() !== "read-only";
  const search = { home: paths.userHome, searchPath: env["PATH"], cache: dirname(paths.interpreterCache) };
  const tools = [
    pythonTool({
      ...python.toolFacts,
      kernels: python.kernels,
      artifacts,
      // The kernel may be moved.
      get elsewhere() {
        return python.toolFacts.elsewhere;
      },
    }),
    bashTool({ shells: shells.open, artifacts, canLeaveSandbox: canLeave }),
    bashOutputTool({ shells: shells.open, ...search }),
    killShellTool({ shells: shells.open }),
    ...fileTools({ artifacts, ...search, confinement: sandbox }),
    execTool(scripts),
    pythonRunTool({ ...scripts, scriptTimeoutSeconds: settings.python.scriptTimeout }),
  ];
  // Around every tool: nothing that omp runs gets past the dangerous patterns, with a model or without.
  const policy: ApprovalPolicy = {
    get mode() {
      return approval.mode();
    },
    rules: { home: paths.userHome, projectRoot: project.root, ...settings.bash },
    ask: approval.ask,
    grants,
    shellDirectory: () => shells.directory,
    // Only the session's own shell has aliases, functions and variables that a command may have left there.
    shell: async (tool, where) =>
      tool === "bash" ? await shells.open().look(where) : readLiveShell("", workspace.childEnv(undefined)),
  };
  const approvedTools = tools
    .map((tool) => withSandbox(tool, { sandbox, canLeave }))
    .map((tool) => withApproval(tool, policy));
  return {
    toolsIn: (mode) => approvedTools.filter(({ name }) => isInMode(name, mode)),
    approve: (tool) => withApproval(tool, policy),
  };
}

/** `PI_PY` may take `python` or the shell's tools away; every other tool is always there. */
function isInMode(tool: string, mode: ToolMode): boolean {
  if (tool === "python") return mode !== "bash-only";
  if (["bash", "bash_output", "kill_shell"].includes(tool)) return mode !== "ipy-only";
  return true;
}
