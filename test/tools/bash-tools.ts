/** The three shell tools in a registry over real shells. */

import { ArtifactStore } from "../../src/output/artifacts.ts";
import type { ToolContext, ToolResult } from "../../src/protocol/index.ts";
import { bashTool } from "../../src/tools/bash.ts";
import { bashOutputTool } from "../../src/tools/bash-output.ts";
import { killShellTool } from "../../src/tools/kill-shell.ts";
import { ToolRegistry } from "../../src/tools/registry.ts";
import { testShells } from "../shell/open-shell.ts";
import { temporaryDirectory } from "../support/home.ts";

export function shellTools() {
  const { shells, cwd } = testShells();
  const artifacts = new ArtifactStore({ directory: temporaryDirectory(), maxTotalBytes: 1e9, maxAgeMs: 1e9 });
  const options = {
    shells: () => shells,
    artifacts: () => artifacts,
    home: cwd,
    searchPath: undefined,
    cache: cwd,
  };
  const registry = new ToolRegistry([bashTool(options), bashOutputTool(options), killShellTool(options)]);
  const updates: string[] = [];
  const ownContext = (): ToolContext => ({
    sessionId: "test",
    cwd,
    projectRoot: cwd,
    signal: new AbortController().signal,
    onUpdate: (text) => updates.push(text),
  });
  const call = (name: string, input: unknown, context: Partial<ToolContext> = {}): Promise<ToolResult> =>
    registry.run(name, input, { ...ownContext(), ...context });
  const rehearse = async (name: string, input: unknown) =>
    (await registry.rehearse(name, input, ownContext())).output;
  const bash = (command: string, more: Record<string, unknown> = {}) => call("bash", { command, ...more });
  return { shells, cwd, artifacts, registry, updates, call, rehearse, bash };
}
