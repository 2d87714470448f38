/** `--max-time`, `--max-cost` and `--output-schema`. */

import { beforeEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { compatible } from "../models/formats/compatible.ts";
import { serve, type WireServer } from "../models/wire-server.ts";
import { nothingLeft } from "../support/processes.ts";
import { AgentPlace, bash, linesOf } from "./agent-place.ts";

let omp: AgentPlace;
beforeEach(() => {
  omp = new AgentPlace();
});

test("--max-time stops a run with everything that it started", async () => {
  const model = omp.script({ text: "Wait.", toolCalls: [bash("sleep 1000")] }, { text: "Never." });
  const run = await omp.run(["-m", model, "go", "--max-time", "0.5", "--output-format", "json"]);
  expect(run.exitCode).toBe(6);
  expect(linesOf(run.stdout)).toMatchObject([{ type: "result", status: "time_limit" }]);
  expect(run.stderr).toBe("omp: stopped after 0.5 s (TIME_LIMIT)\n");
  await nothingLeft(omp.place);
});

describe("--max-cost", () => {
  let server: WireServer;

  async function spend(limit: string) {
    const call = { id: "c1", name: "bash", pieces: [JSON.stringify({ command: "echo hi" })] };
    server = await serve(
      { body: compatible.turn({ calls: [call] }) },
      { body: compatible.turn({ text: ["Done."] }) },
    );
    const price = { input: 10_000, output: 20_000, cacheRead: 0 };
    omp.settings({
      endpoints: [{ name: "mine", baseUrl: `${server.url}/v1`, models: [{ id: "m", price }] }],
    });
    return await omp.run(["-m", "mine/m", "go", "--max-cost", limit]);
  }

  test("stops a run that has cost more, before it does anything else", async () => {
    const run = await spend("0.001");
    expect([run.exitCode, run.stdout]).toEqual([6, ""]);
    expect(run.stderr).toMatch(/^omp: stopped: \$\d+\.\d+ is more than \$0\.001 \(COST_LIMIT\)\n$/);
    expect(server.asked).toHaveLength(1);
  });

  test("lets one run that costs less", async () => {
    const run = await spend("1000");
    expect([run.exitCode, run.stdout, run.stderr]).toEqual([0, "Done.\n", ""]);
  });

  test("stops a model whose price is not known: the limit could not hold", async () => {
    const model = omp.script({ toolCalls: [bash("touch made")] }, { text: "Done." });
    const run = await omp.run(["-m", model, "go", "--max-cost", "1"]);
    expect([run.exitCode, run.stderr]).toEqual([
      6,
      "omp: stopped: the model's price is unknown, so --max-cost cannot be enforced (COST_LIMIT)\n",
    ]);
  });
});

describe("--output-schema", () => {
  const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
  const file = () => join(omp.place.home, "schema.json");
  const run = (...texts: string[]) => {
    writeFileSync(file(), JSON.stringify(schema));
    const model = omp.script(...texts.map((text) => ({ text })));
    return omp.run(["-m", model, "go", "--output-schema", file()]);
  };

  test("prints JSON that fits, without the fence that models like to put around it", async () => {
    expect(await run('```json\n{"n": 1}\n```')).toEqual({ exitCode: 0, stdout: '{"n": 1}\n', stderr: "" });
  });

  test("asks once more where the answer does not fit", async () => {
    expect(await run("It is one.", '{"n": 1}')).toEqual({ exitCode: 0, stdout: '{"n": 1}\n', stderr: "" });
    expect(JSON.stringify(omp.entries())).toContain("does not fit the JSON schema: it is not JSON");
  });

  test("fails with the reason where it does not fit then", async () => {
    expect(await run("{}", '{"n": "one"}')).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: "omp --output-schema: the answer does not fit: field 'n' must be integer (OUTPUT_SCHEMA)\n",
    });
  });

  test("is told to the model, and a file that is no schema is bad input", async () => {
    const missing = await omp.run(["-m", omp.script(), "go", "--output-schema", "missing.json"]);
    expect([missing.exitCode, missing.stderr]).toEqual([
      2,
      `omp --output-schema: cannot read '${join(omp.project, "missing.json")}' (ENOENT)\n`,
    ]);
    writeFileSync(file(), "[]");
    const wrong = await omp.run(["-m", omp.script(), "go", "--output-schema", file()]);
    expect([wrong.exitCode, wrong.stderr]).toEqual([
      2,
      `omp --output-schema: '${file()}' is not a JSON schema (INVALID_SCHEMA)\n`,
    ]);
  });
});

describe("--input-format stream-json", () => {
  const converse = (stdin: string, ...texts: string[]) => {
    const model = omp.script(...texts.map((text) => ({ text })));
    return omp.run(["-m", model, "--input-format", "stream-json", "--output-format", "json"], { stdin });
  };

  test("answers one line after the other in one session", async () => {
    const run = await converse(
      '{"type":"user","text":"one"}\n\n{"type":"user","text":"two"}\n',
      "First.",
      "Second.",
    );
    expect(linesOf(run.stdout)).toMatchObject([
      { type: "result", status: "done", text: "First." },
      { type: "result", status: "done", text: "Second." },
    ]);
    expect([run.exitCode, run.stderr, omp.logs().length]).toEqual([0, "", 1]);
  });

  test("a line that is no prompt is bad input", async () => {
    const run = await converse('{"type":"user","text":"one"}\n{"text":"two"}\n', "First.");
    expect([run.exitCode, run.stderr]).toEqual([
      2,
      'omp: line 2 of stdin is not {"type": "user", "text": "…"} (INVALID_INPUT)\n',
    ]);
  });
});
