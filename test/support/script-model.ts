/** A model with scripted answers: a `script:` file in the test's project. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestPlace } from "./home.ts";

export interface ScriptTurn {
  readonly text?: string;
  readonly reasoning?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly input: unknown }[];
  readonly delayMs?: number;
  readonly error?: { readonly status: number; readonly message: string };
}

/** @returns the value for `--model`. */
export function scriptModel({ project }: TestPlace, turns: readonly ScriptTurn[]): string {
  const path = join(project, "script.json");
  writeFileSync(path, JSON.stringify({ turns }));
  return `script:${path}`;
}
