/**
 * A real model server on loopback: llama.cpp with SmolLM2, from the environment that `npm test` makes where there are wheels for the
 * platform. It is small, and what it says makes little sense: tests must hold with any words.
 */

import { join } from "node:path";
import { readEnvironment } from "../../src/python/managed-environment.ts";
import { waitLimitMs, withinLimit } from "./limits.ts";
import { checkout } from "./omp.ts";

const venv = join(checkout, ".venv-real-model");

export const hasRealModel = readEnvironment(venv) !== undefined;

export interface RealModel {
  readonly url: string;
  /** As the system would: nothing is said to its clients. */
  readonly kill: () => Promise<void>;
  /** Again, at the same address. */
  readonly restart: () => Promise<void>;
}

export async function startRealModel(contextTokens: number): Promise<RealModel> {
  let child = spawn(0, contextTokens);
  const url = await addressOf(child);
  const kill = async () => {
    child.kill("SIGKILL");
    await child.exited;
  };
  const restart = async () => {
    child = spawn(Number(new URL(url).port), contextTokens);
    await addressOf(child);
  };
  return { url, kill, restart };
}

const MAX_ANSWER_TOKENS = 150;

function spawn(port: number, contextTokens: number) {
  const script = join(import.meta.dir, "real_model.py");
  const argv = [join(venv, "bin", "python"), script, port, contextTokens, MAX_ANSWER_TOKENS];
  return Bun.spawn(argv.map(String), { stdin: "pipe", stdout: "pipe", stderr: "ignore" });
}

/** Which it prints when it answers. */
async function addressOf({ stdout }: ReturnType<typeof spawn>): Promise<string> {
  const reader = stdout.getReader();
  const read = async () => {
    let text = "";
    while (!text.includes("\n")) {
      const { done, value } = await reader.read();
      if (done) throw new Error("the model server ended");
      text += new TextDecoder().decode(value);
    }
    return text.trim();
  };
  return await withinLimit(read(), waitLimitMs(), () => "the model server did not start");
}
