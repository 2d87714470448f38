/** What `omp -p` says about an answer that is not what was hoped for: cut, empty, never reached, or after a compaction. */

import { beforeEach, expect, test } from "bun:test";
import { compatible } from "../models/formats/compatible.ts";
import { AgentPlace, answering, bash, linesOf } from "./agent-place.ts";

let omp: AgentPlace;
beforeEach(() => {
  omp = new AgentPlace();
});

test("the same call with the same result over and over: exit code 5, and why", async () => {
  const model = omp.script(...Array(9).fill({ text: "Once more.", toolCalls: [bash("echo hi")] }));
  const { exitCode, stdout, stderr } = await omp.run(["-m", model, "go", "--output-format", "json"]);
  const line =
    "omp: stopped: the model made the same bash call with the same result 5 times in a row (REPEATED_CALL)";
  expect({ exitCode, result: linesOf(stdout)[0] }).toMatchObject({
    exitCode: 5,
    result: { status: "repeated_call", turns: 5, error: { code: "REPEATED_CALL", message: line } },
  });
  expect(stderr.split("\n").slice(-2)).toEqual([line, ""]);
});

test("json says that an answer was cut, or is empty", async () => {
  const turn = (text: string, reason: string) => ({
    body: compatible.turn({ text: [text] }).map((each) => each.replace('"stop"', `"${reason}"`)),
  });
  const { args, env } = await answering(turn("Half an", "length"), turn("", "stop"), "Whole.");
  const results = [];
  for (let run = 0; run < 3; run += 1) {
    const { stdout } = await omp.run([...args, "hi", "--output-format", "json"], { env });
    const [line] = linesOf(stdout);
    results.push([line?.["status"], line?.["text"], line?.["cut"], line?.["empty"]]);
  }
  expect(results).toEqual([
    ["done", "Half an", true, undefined],
    ["done", "", undefined, true],
    ["done", "Whole.", undefined, undefined],
  ]);
});

test("a compaction is told on stderr and in the stream, and the task is in the next request", async () => {
  const { args, env, server } = await answering("They talked.", "Done.");
  const { exitCode, stdout, stderr } = await omp.run(
    [
      ...args,
      "--tools",
      "bash",
      `Rename foo to bar. ${"x".repeat(120_000)}`,
      "--output-format",
      "stream-json",
    ],
    { env },
  );
  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr: expect.stringMatching(
      /^omp: the conversation \(3\dk tokens\) was replaced by a summary; your messages and the latest ones are kept\n$/,
    ),
  });
  const compacted = linesOf(stdout).find(({ type }) => type === "compacted");
  expect(compacted?.["summary"]).toBe("They talked.");
  expect(Number(compacted?.["tokens_before"])).toBeGreaterThan(30_000);
  expect(Number(compacted?.["tokens_after"])).toBeLessThan(10_000);
  expect(JSON.stringify(compatible.conversationOf(server.asked[1]?.body ?? {}))).toContain(
    "Rename foo to bar.",
  );
});
