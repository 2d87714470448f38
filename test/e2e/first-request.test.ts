/** What a model is sent first, seen on the wire. */

import { beforeEach, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { omp as runOmp } from "../support/omp.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { AgentPlace, answering } from "./agent-place.ts";

let omp: AgentPlace;
beforeEach(() => {
  omp = new AgentPlace();
});

async function firstRequest(args: readonly string[] = [], env: Record<string, string> = {}) {
  const model = await answering("ok");
  const { exitCode, stderr } = await omp.run([...model.args, ...args, "hi"], {
    env: { ...env, ...model.env },
  });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  const body = model.server.asked[0]?.body ?? {};
  return { text: JSON.stringify(body), system: JSON.stringify(body["messages"]) };
}

describeWithPython(testPython, "with a Python", () => {
  test("the default tools and the system prompt take at most 13 KB", async () => {
    const { text, system } = await firstRequest();
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(13_000);
    expect(system).toContain(`at ${testPython.path}`);
  });

  test("the interpreter is named whichever Python tool there is", async () => {
    const env = { PI_PY: "0" };
    for (const tool of ["python_run", "exec"]) {
      const { system } = await firstRequest(["--tools", tool], env);
      expect(system).toContain("- Python: 3.");
      expect(system).toContain(`at ${testPython.path}`);
    }
  });

  test("ipy-only: not a word of bash", async () => {
    const { text } = await firstRequest([], { PI_PY: "1" });
    expect(text).toMatch(/"name":"python"/);
    expect(text).not.toMatch(/bash|kill_shell/i);
  });
});

test("bash-only: not a word of Python", async () => {
  const { text } = await firstRequest([], { PI_PY: "0" });
  expect(text).toMatch(/"name":"bash"/);
  expect(text).not.toMatch(/python|kernel/i);
});

test("ipy-only where Python does not work leaves bash, and says why", async () => {
  const model = await answering("ok");
  const env = { ...model.env, PI_PY: "1", VIRTUAL_ENV: undefined, PATH: "/usr/bin:/bin" };
  writeFileSync(join(omp.place.home, "python"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  const settings = ["config", "set", "python.interpreter", join(omp.place.home, "python")];
  await runOmp(settings, { place: omp.place });
  const { stderr } = await omp.run([...model.args, "hi"], { env });
  expect(stderr).toMatch(/^omp: continuing without the python tool: python: .*\n$/);
  const text = JSON.stringify(model.server.asked[0]?.body);
  expect(text).toMatch(/"name":"bash"/);
  expect(text).not.toMatch(/"name":"python"/);
});

test("the project's words and the user's are in it", async () => {
  writeFileSync(join(omp.project, "AGENTS.md"), "Use tabs here.");
  const args = ["--system-prompt", "You are a poet.", "--append-system-prompt", "In rhymes.", "--no-tools"];
  const { system, text } = await firstRequest(args);
  for (const words of ["You are a poet.", "Use tabs here.", "In rhymes."]) expect(system).toContain(words);
  expect(text).not.toContain("coding agent");
});
