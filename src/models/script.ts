/** `script:<file.json>`: a model that replays turns from a file. For tests, demos and bug reports. */

import { readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { z } from "zod";
import { systemCode } from "../protocol/error.ts";
import type { Model } from "../protocol/model.ts";
import { ModelError } from "./errors.ts";
import { defaultRetryPolicy, type RetryPolicy } from "./retry.ts";
import { ScriptedModel, type ScriptedTurn } from "./scripted-model.ts";

const turn = z.strictObject({
  text: z.string().optional(),
  reasoning: z.string().optional(),
  toolCalls: z.array(z.strictObject({ name: z.string().min(1), input: z.unknown() })).optional(),
  delayMs: z.number().min(0).max(600_000).optional(),
  error: z.strictObject({ status: z.int().min(400).max(599), message: z.string() }).optional(),
});
const script = z.strictObject({ turns: z.array(turn) });

/** There is no server to spare. */
const BASE_DELAY_MS = 10;

export function openScript(
  file: string,
  { cwd, retry }: { readonly cwd: string; readonly retry?: Partial<RetryPolicy> | undefined },
): Model {
  const path = resolve(cwd, file);
  const turns = readScript(path);
  let taken = 0;
  return new ScriptedModel({
    facts: {
      name: `script:${file}`,
      contextTokens: 200_000,
      maxOutputTokens: 32_000,
      acceptsImages: true,
      takesEffort: true,
    },
    service: {
      provider: "script",
      modelId: basename(path),
      baseUrl: path,
      keyVariables: [],
      apiKey: undefined,
    },
    retry: { ...defaultRetryPolicy, baseDelayMs: BASE_DELAY_MS, ...retry },
    paceMs: 0,
    nextTurn: () => {
      const next = turns[taken];
      if (next === undefined) {
        const count = turns.length === 1 ? "its only turn is" : `all ${turns.length} turns are`;
        throw new ModelError({ kind: "script-ended", issue: `${path} has no turns left: ${count} used up` });
      }
      taken += 1;
      return next;
    },
  });
}

function readScript(path: string): readonly ScriptedTurn[] {
  const text = readText(path);
  const errors: ParseError[] = [];
  const tree = treeOf(text, errors, path);
  const [broken] = errors;
  if (broken !== undefined || tree === undefined) {
    const problem = broken ? splitWords(printParseErrorCode(broken.error)) : "it is empty";
    throw scriptError(path, lineAt(text, broken?.offset ?? 0), `not JSON: ${problem}`);
  }
  const checked = script.safeParse(JSON.parse(text));
  if (checked.success) return checked.data.turns;
  const [issue] = checked.error.issues;
  const where = issue?.path.map((step) => (typeof step === "symbol" ? String(step) : step)) ?? [];
  const field = where.length === 0 ? "" : `${where.join(".")}: `;
  throw scriptError(
    path,
    lineAt(text, nearestNode(tree, where).offset),
    `${field}${issue?.message ?? "not a script"}`,
  );
}

function treeOf(text: string, errors: ParseError[], path: string): Node | undefined {
  try {
    return parseTree(text, errors, { disallowComments: true });
  } catch (error) {
    // The parser calls itself for every level.
    if (!(error instanceof RangeError)) throw error;
    throw new ModelError({ kind: "bad-script", issue: `${path}: nested too deeply`, cause: error });
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    const problem = code === "ENOENT" ? "no such file" : `cannot be read (${code})`;
    throw new ModelError({ kind: "bad-script", issue: `${path}: ${problem}`, cause: error });
  }
}

/** The node at the path, or the nearest parent if the field is missing. */
function nearestNode(tree: Node, path: readonly (string | number)[]): Node {
  for (let length = path.length; length > 0; length -= 1) {
    const found = findNodeAtLocation(tree, path.slice(0, length));
    if (found) return found;
  }
  return tree;
}

function scriptError(path: string, line: number, problem: string): ModelError {
  return new ModelError({ kind: "bad-script", issue: `${path}:${line}: ${problem}` });
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

/** `CommaExpected` → `comma expected`. */
function splitWords(code: string): string {
  return code.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
}
