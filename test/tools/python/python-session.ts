/** The python tool over real kernels, called as the agent calls it. */

import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { LocalKernels } from "../../../src/kernel/local/local-kernels.ts";
import { KernelPool, type PoolOptions } from "../../../src/kernel/pool/pool.ts";
import type { ExtensionModule } from "../../../src/kernel/python/extension-modules.ts";
import { ArtifactStore } from "../../../src/output/artifacts.ts";
import type { OnUpdate, ToolContext, ToolResult } from "../../../src/protocol/index.ts";
import { pythonTool } from "../../../src/tools/python/python.ts";
import { ToolRegistry } from "../../../src/tools/registry.ts";
import { localKernels, runCell } from "../../support/kernels.ts";
import type { TestPython } from "../../support/python.ts";

export interface CellDetails {
  readonly title?: string;
  readonly status: string;
  readonly durationMs: number;
  readonly executionCount: number | null;
  readonly displays: readonly Record<string, unknown>[];
  readonly events?: readonly unknown[];
  readonly error?: { readonly name: string; readonly value: string };
}

export interface PythonCall {
  readonly signal?: AbortSignal;
  readonly sessionId?: string;
  readonly onUpdate?: OnUpdate;
  readonly refusalOf?: ToolContext["refusalOf"];
}

export interface PythonSession {
  readonly kernels: LocalKernels;
  readonly pool: KernelPool;
  readonly project: string;
  /** One call with whatever a model may send. */
  call(input: unknown, options?: PythonCall): Promise<ToolResult>;
  /** One call with these cells. */
  run(...codes: string[]): Promise<ToolResult>;
  /** The whole of an artifact named in a result. */
  artifact(id: unknown): string;
  readonly artifacts: ArtifactStore;
}

export interface SessionOptions {
  readonly python: TestPython;
  readonly pool?: Partial<PoolOptions>;
  readonly modules?: readonly ExtensionModule[];
  /** Of a kernelspec. */
  readonly argv?: readonly string[];
  readonly lasts?: "test" | "file";
}

export async function pythonSession(options: SessionOptions): Promise<PythonSession> {
  const { python, modules = [], argv, lasts = "test" } = options;
  const { kernels, home } = localKernels(
    { python: python.path, argv, useForkServer: true, extensionModules: () => modules },
    { lasts },
  );
  await kernels.warmUp();
  const pool = new KernelPool({
    host: kernels,
    mode: "session",
    idleMs: 0,
    maxSessions: 4,
    ...options.pool,
  });
  const project = join(home, "project");
  mkdirSync(project);
  const artifacts = new ArtifactStore({
    directory: join(home, "artifacts"),
    maxTotalBytes: 1e9,
    maxAgeMs: 1e9,
  });
  const registry = new ToolRegistry([pythonTool({ kernels: async () => pool, artifacts: () => artifacts })]);
  const call = (input: unknown, { signal, sessionId = "s", onUpdate, refusalOf }: PythonCall = {}) =>
    registry.run("python", input, {
      sessionId,
      cwd: project,
      projectRoot: project,
      refusalOf,
      signal: signal ?? new AbortController().signal,
      onUpdate: onUpdate ?? (() => undefined),
    });
  return {
    kernels,
    pool,
    project,
    artifacts,
    call,
    run: (...codes) => call({ cells: codes.map((code) => ({ code })) }),
    artifact: (id) => readFileSync(artifacts.find(String(id)) ?? "", "utf8"),
  };
}

/** Resolves when everything has arrived that the session's kernel sent before: the end of a silent cell comes after it on the same channel. */
export async function receiveAll({ pool, project }: PythonSession): Promise<void> {
  const session = { sessionId: "s", cwd: project, signal: new AbortController().signal };
  await pool.look(session, (kernel) => runCell(kernel, "pass", { silent: true }));
}

export function cellsOf({ details }: ToolResult): readonly CellDetails[] {
  return details["cells"] as readonly CellDetails[];
}
