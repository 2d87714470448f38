/** A session for tests of `exec` and `python_run`: real artifacts, the real environment filter, a project of its own. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ArtifactStore } from "../../src/output/artifacts.ts";
import type { Tool, ToolContext, ToolResult } from "../../src/protocol/index.ts";
import { childEnvironment } from "../../src/python/environment.ts";
import { findInterpreter } from "../../src/python/interpreter.ts";
import { ToolRegistry } from "../../src/tools/registry.ts";
import type { ScriptServices } from "../../src/tools/run-script.ts";
import { temporaryPlace } from "../support/home.ts";

export interface ScriptPlace {
  readonly project: string;
  readonly services: ScriptServices;
  readonly artifact: (id: unknown) => string;
}

export function scriptPlace(options: { env?: Record<string, string>; setting?: string } = {}): ScriptPlace {
  const { home, project } = temporaryPlace();
  const env = { PATH: process.env["PATH"], HOME: home, LANG: "C.UTF-8", ...options.env };
  const directory = join(home, "artifacts");
  const store = new ArtifactStore({ directory, maxTotalBytes: 1e9, maxAgeMs: 1e9 });
  const managedEnvironment = join(home, "python-env");
  return {
    project,
    services: {
      artifacts: () => store,
      findInterpreter: () =>
        findInterpreter({
          isProjectTrusted: true,
          setting: options.setting,
          cwd: project,
          env,
          managedEnvironment,
        }),
      environment: (interpreter) => childEnvironment({ env, pass: [], interpreter }),
    },
    artifact: (id) => readFileSync(store.find(String(id)) ?? "", "utf8"),
  };
}

export function call(
  tool: Tool,
  input: unknown,
  place: ScriptPlace,
  context: Partial<ToolContext> = {},
): Promise<ToolResult> {
  return new ToolRegistry([tool]).run(tool.name, input, {
    sessionId: "test",
    cwd: place.project,
    projectRoot: place.project,
    signal: new AbortController().signal,
    onUpdate: () => undefined,
    ...context,
  });
}
