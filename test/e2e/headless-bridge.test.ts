/** Calls that a model's cell makes, as scripts, the log, exports and the next request see them. */

import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { omp as runOmp } from "../support/omp.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { AgentPlace, answering, linesOf, python } from "./agent-place.ts";

describeWithPython(testPython, "calls that a cell makes", () => {
  test("are in the stream and in the log under the cell's call, in exports, and in no request", async () => {
    const omp = new AgentPlace();
    writeFileSync(join(omp.project, "long.txt"), "needle\n".repeat(1_000));
    const code =
      "print(len(omp.tools.read(path='long.txt').text))\ntry: omp.tools.read(path='no')\nexcept omp.ToolError: pass\nprint(omp.llm('Say hi'))";
    const model = omp.script({ toolCalls: [python(code)] }, { text: "Hi." }, { text: "Done." });
    const { exitCode, stdout } = await omp.run(["-m", model, "go", "--output-format", "stream-json"]);
    expect(exitCode).toBe(0);
    const calls = linesOf(stdout).filter(({ type }) => type === "tool_call" || type === "tool_result");
    expect(calls.map(({ type, id, name, parent_id }) => [type, id, name, parent_id])).toEqual([
      ["tool_call", "call_1_1", "python", undefined],
      ["tool_call", "call_1_1.1", "read", "call_1_1"],
      ["tool_result", "call_1_1.1", "read", "call_1_1"],
      ["tool_call", "call_1_1.2", "read", "call_1_1"],
      ["tool_result", "call_1_1.2", "read", "call_1_1"],
      ["tool_call", "call_1_1.3", "llm", "call_1_1"],
      ["tool_result", "call_1_1.3", "llm", "call_1_1"],
      ["tool_result", "call_1_1", "python", undefined],
    ]);
    const used = linesOf(stdout).filter(({ type }) => type === "usage");
    expect(used.map(({ parent_id }) => parent_id)).toEqual([undefined, "call_1_1", undefined]);
    const sum = used.reduce((total, { input }) => total + Number(input), 0);
    expect(linesOf(stdout).at(-1)).toMatchObject({ type: "result", usage: { input: sum } });
    const logged: unknown[] = omp.entries().flatMap((entry) => {
      if (entry.type === "tool_call") return [["call", entry.id, entry.parent]];
      return entry.type === "tool_result" ? [["result", entry.id, entry.parent]] : [];
    });
    expect(logged).toEqual(
      calls.map(({ type, id, parent_id }) => [String(type).replace("tool_", ""), id, parent_id]),
    );
    const result = omp.entries().find((entry) => entry.type === "tool_result");
    // Only the cell has read it: the log keeps its beginning.
    expect(result?.type === "tool_result" ? result.result.output.slice(-60) : "").toMatch(
      /\n\[… [\d,]+ more characters, for the cell alone\]$/,
    );

    const id = String(linesOf(stdout).at(-1)?.["session_id"]);
    const exported = async (format: string) =>
      (await runOmp(["sessions", "export", id, "--format", format], omp)).stdout;
    const markdown = await exported("markdown");
    expect(markdown.match(/^#+ `.*$/gm)).toEqual([
      "### `python`",
      "#### `read`, called by `python`",
      "#### `read`, called by `python` (failed)",
      "#### `llm`, called by `python`",
    ]);
    expect((await exported("html")).match(/<details/g)).toHaveLength(4);

    const next = await answering("ok");
    await omp.run([...next.args, "-c", "and now?"], { env: next.env });
    const request = JSON.stringify(next.server.asked[0]?.body);
    expect(request).toContain("call_1_1");
    expect(request).not.toContain("call_1_1.1");
    expect(request).not.toContain("needle");
  });
});
