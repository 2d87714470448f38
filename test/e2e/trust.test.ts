/** A cloned project: nothing that belongs to it is run or obeyed before the user trusts it. */

import { beforeEach, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { answerWith, hasIdleKernel } from "../support/at-rest.ts";
import { omp as runOmp } from "../support/omp.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { openScreen } from "../support/screen.ts";
import { AgentPlace, python } from "./agent-place.ts";

let omp: AgentPlace;
beforeEach(() => {
  omp = new AgentPlace();
});

/** Left by whatever of the project is executed. */
const canary = () => join(omp.place.home, "canary");
function put(file: string, text: string): void {
  const path = join(omp.project, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}
const evilScript = () => `#!/bin/sh\ntouch ${canary()}\n`;
const evilModule = () => `open(${JSON.stringify(canary())}, "w").close()\n`;

const projects: readonly (readonly [name: string, make: () => void, wants: string])[] = [
  ["an interpreter in .venv", () => put(".venv/bin/python", evilScript()), ".venv/bin/python"],
  ["an interpreter in venv", () => put("venv/bin/python", evilScript()), "venv/bin/python"],
  [
    "settings with an interpreter",
    () => {
      put("evil", evilScript());
      put(".omp/omp.jsonc", '{ "python": { "interpreter": "./evil" } }');
    },
    ".omp/omp.jsonc, evil",
  ],
  ["a module with the name of a standard one", () => put("types.py", evilModule()), ""],
  ["an extension module", () => put(".omp/modules/x.py", evilModule()), ".omp/modules/x.py"],
];

describeWithPython(testPython, "a project that is not trusted", () => {
  test.each(projects)("with %s runs nothing of it, and says so in one line", async (_, make, wants) => {
    make();
    const line =
      wants === ""
        ? ""
        : `omp: This project is not trusted, so these were not used: ${wants}. To use them: omp trust, or --trust for one run.\n`;
    const env = { VIRTUAL_ENV: testPython.venv };
    const run = (...args: string[]) => runOmp(args, { place: omp.place, env });
    const cell = JSON.stringify({ cells: [{ code: "6 * 7" }] });
    expect(await run("tool", "python", cell)).toEqual({ exitCode: 0, stdout: "42\n", stderr: line });
    const report = (await run("doctor")).stdout;
    if (wants !== "") expect(report).toContain("not trusted");
    for (const options of [[], ["--approval", "read-only"], ["--dry-run"]]) {
      const model = omp.script({ toolCalls: [python("6 * 7")] }, { text: "Done." });
      const { stdout, stderr } = await omp.run(["-m", model, ...options, "go"]);
      expect(stdout).toBe("Done.\n");
      expect(stderr).toStartWith(line);
    }
    expect(existsSync(canary())).toBe(false);
  });

  test("is used once it is trusted, and no longer when that is revoked", async () => {
    put(".omp/modules/x.py", "ANSWER = 42\n");
    const env = { VIRTUAL_ENV: testPython.venv };
    const run = (...args: string[]) => runOmp(args, { place: omp.place, env });
    const cell = JSON.stringify({ cells: [{ code: "print('ANSWER' in globals())" }] });
    expect((await run("tool", "--trust", "python", cell)).stdout).toBe("True\n");
    expect((await run("--trust", "tool", "python", cell)).stdout).toBe("True\n");
    expect((await run("tool", "python", cell)).stdout).toBe("False\n");
    expect(await run("trust")).toEqual({
      exitCode: 0,
      stdout: `Trusted: ${omp.project}\nWhat omp now runs and follows:\n  .omp/modules/x.py\n`,
      stderr: "",
    });
    expect(await run("tool", "python", cell)).toEqual({ exitCode: 0, stdout: "True\n", stderr: "" });
    put(".omp/modules/x.py", "ANSWER = 43\n");
    expect((await run("tool", "python", cell)).stderr).toContain(
      "This project changed since you trusted it (.omp/modules/x.py)",
    );
    expect((await run("trust", "--revoke")).stdout).toStartWith(`No longer trusted: ${omp.project}\n`);
    expect((await run("tool", "python", cell)).stdout).toBe("False\n");
  });

  test("has modules that lead out of it left out, also when it is trusted", async () => {
    const outside = join(omp.place.home, "outside.py");
    writeFileSync(outside, evilModule());
    put(".omp/modules/y.py", "ANSWER = 42\n");
    const link = join(omp.project, ".omp/modules/x.py");
    symlinkSync(outside, link);
    const cell = JSON.stringify({ cells: [{ code: "ANSWER" }] });
    const env = { VIRTUAL_ENV: testPython.venv };
    expect(await runOmp(["tool", "--trust", "python", cell], { place: omp.place, env })).toEqual({
      exitCode: 0,
      stdout: `[The extension module x failed to load and was skipped: ImportError: ${link} is a link to a file outside the project]\n42\n`,
      stderr: "",
    });
    expect(existsSync(canary())).toBe(false);
  });

  test("that links AGENTS.md to a file with keys does not get them into the prompt", async () => {
    symlinkSync("/proc/self/environ", join(omp.project, "AGENTS.md"));
    const model = omp.script({ text: "Done." });
    const { stdout } = await omp.run(["-m", model, "go"], { env: { OPENAI_API_KEY: "sk-secret" } });
    expect(stdout).toBe("Done.\n");
    expect(
      omp
        .logs()
        .map((file) => readFileSync(file, "utf8"))
        .join(""),
    ).not.toContain("sk-secret");
  });

  test("is asked about at a terminal: no works without, yes is remembered, a change is named", async () => {
    put(".omp/modules/x.py", "ANSWER = 42\n");
    const env = { VIRTUAL_ENV: testPython.venv };
    const open = () => openScreen({ place: omp.place, env, args: ["-m", "demo"] });
    const ask = async (screen: ReturnType<typeof openScreen>, shown: RegExp) => {
      await screen.waitFor(hasIdleKernel);
      screen.type("$'ANSWER' in globals()\r");
      await screen.waitFor(shown);
      screen.type("\x04");
      await screen.ended();
    };
    const first = open();
    await first.waitFor(
      "Trust this project?\n  It contains things that omp would run or follow: .omp/modules/x.py\n",
    );
    await answerWith(first, "No");
    await ask(first, /^ {2}False$/m);
    const second = open();
    await answerWith(second, "Trust");
    await ask(second, /^ {2}True$/m);
    const third = open();
    await ask(third, /^ {2}True$/m);
    put(".omp/modules/x.py", "ANSWER = 43\n");
    const fourth = open();
    await fourth.waitFor("  Changed since you trusted it: .omp/modules/x.py\n");
    await fourth.waitFor("❯ No");
    fourth.type("\x1b");
    await ask(fourth, /^ {2}False$/m);
  });
});
