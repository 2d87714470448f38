/** What code asks omp while it runs: whether a command may run. */

import { expect, test } from "bun:test";
import type { SharedKernel } from "./kernel-contract.ts";

export function questionContract(kernel: SharedKernel): void {
  test("code that asks is answered while it runs, and nothing of that is in its output", async () => {
    const asked: unknown[] = [];
    const answer = async ({ about, command }: Readonly<Record<string, unknown>>) => {
      asked.push([about, command]);
      return { refusal: command === "echo two" ? "not that one" : null };
    };
    const { outputs, stdout, error, evalue } = await kernel.run(
      "!echo one\nimport os\nos.system('true')\nbash('echo three', show=False)\nbash('echo two')",
      { answer },
    );
    expect(asked).toEqual([
      ["command", "echo one"],
      ["command", "true"],
      ["command", "echo three"],
      ["command", "echo two"],
    ]);
    expect([stdout.replaceAll("\r", ""), error, evalue]).toEqual(["one\n", "CommandBlocked", "not that one"]);
    expect(outputs.filter((kind) => !["stdout", "display_data", "error"].includes(kind))).toEqual([]);
  });
}
