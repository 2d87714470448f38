/** Subagents in a copy of their parent's kernel. */

import { expect, test } from "bun:test";
import { readSession } from "../../src/history/read.ts";
import { processesWith } from "../support/processes.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { until } from "../support/until.ts";
import { AgentPlace, linesOf, python } from "./agent-place.ts";
import { defineAgent } from "./define-agent.ts";

const TRY_TO_KEEP = "try: omp.branch('other').keep()\nexcept omp.ToolError as error: print(error)";

const parentCode = [
  "data = [1, 2]",
  "data.append(5)",
  "answer = omp.agent('t', agent='trier', kernel='branch')",
  "print(answer, answer.branch.get('best'), data, 'best' in globals())",
  "data.append(100)",
  "handle = omp.agent.start('t', agent='trier', kernel='branch')",
  "data.clear()",
  "print(handle.result(), handle.branch.get('data'), data)",
  "try: omp.agent('t', agent='nobody', kernel='branch')",
  "except omp.ToolError as error: print(error)",
];

describeWithPython(testPython, "a subagent in a branch", () => {
  test("sees every variable of its parent, changes none, and its values come back", async () => {
    const omp = new AgentPlace();
    const calls = [
      python("data.append(3)\nbest = {'sum': sum(data)}\nprint(data)"),
      python(TRY_TO_KEEP),
      { name: "python", input: { cells: [{ code: "1" }], reset: true } },
    ];
    defineAgent(omp, "trier", calls, "best is there");
    const model = omp.script(
      { toolCalls: [python(parentCode.join("\n"))] },
      { toolCalls: [python("print(handle.branch.get('best'), data)")] },
      { text: "Done." },
    );
    const { stdout } = await omp.run(["-m", model, "go", "--output-format", "stream-json"]);
    const outputs = linesOf(stdout).flatMap(({ type, parent_id, output }) =>
      type === "tool_result" && parent_id === undefined ? [String(output).trim()] : [],
    );
    expect(outputs).toEqual([
      [
        "best is there {'sum': 11} [1, 2, 5] False",
        "best is there [1, 2, 5, 100, 3] []",
        "task: unknown agent 'nobody'; use one of trier (UNKNOWN_AGENT)",
      ].join("\n"),
      "{'sum': 111} []",
    ]);
    const child = omp
      .logs()
      .map(readSession)
      .find(({ header }) => header.agent === "trier-1");
    const said = (child?.entries ?? []).flatMap((entry) =>
      entry.type === "tool_result" ? [entry.result.output.trim()] : [],
    );
    expect(said).toEqual([
      "[1, 2, 5, 3]",
      "omp.branch: a subagent in a branch cannot replace its parent's kernel (NO_BRANCH)",
      expect.stringContaining("reset is not possible in a branch"),
    ]);
    await until("nothing is left", () => processesWith(`HOME=${omp.place.home}`).length === 0);
  });
});
