/** A session for tests of the file tools: a project and a home of its own, real files, real ripgrep. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ArtifactStore } from "../../../src/output/artifacts.ts";
import type { ToolContext, ToolResult } from "../../../src/protocol/index.ts";
import { fileTools } from "../../../src/tools/files/index.ts";
import { ToolRegistry } from "../../../src/tools/registry.ts";
import { temporaryPlace } from "../../support/home.ts";

export interface FilePlace {
  readonly home: string;
  readonly project: string;
  readonly artifacts: ArtifactStore;
  readonly tools: ToolRegistry;
  run(name: string, input: unknown, context?: Partial<ToolContext>): Promise<ToolResult>;
  /** The result's text; what it says about success is checked by `isError` where a test is about that. */
  output(name: string, input: unknown): Promise<string>;
  /** Puts a file behind the tools' back. */
  put(path: string, content: string | Uint8Array): string;
  text(path: string): string;
}

export function filePlace(options: { lasts?: "test" | "file" } = {}): FilePlace {
  const { home, project } = temporaryPlace(options);
  const artifacts = new ArtifactStore({
    directory: join(home, "artifacts"),
    maxTotalBytes: 1e9,
    maxAgeMs: 1e9,
  });
  const tools = new ToolRegistry(
    fileTools({ artifacts: () => artifacts, home, searchPath: process.env["PATH"], cache: home }),
  );
  const made = new Set([project]);
  const place: FilePlace = {
    home,
    project,
    artifacts,
    tools,
    run: (name, input, context = {}) =>
      tools.run(name, input, {
        sessionId: "test",
        cwd: project,
        projectRoot: project,
        signal: new AbortController().signal,
        onUpdate: () => undefined,
        ...context,
      }),
    output: async (name, input) => (await place.run(name, input)).output,
    put: (path, content) => {
      const full = join(project, path);
      const directory = dirname(full);
      // Tests with ten thousand files would make each directory thousands of times.
      if (!made.has(directory)) mkdirSync(directory, { recursive: true });
      made.add(directory);
      writeFileSync(full, content);
      return full;
    },
    text: (path) => readFileSync(join(project, path), "utf8"),
  };
  return place;
}

/** Numbers that look random and are the same in every run. */
export function seeded(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
