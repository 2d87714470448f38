/** Environments that are made, changed and removed while omp runs: seen by the next call, or after a reset, without restarting omp. */

import { expect, test } from "bun:test";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openAgentSession } from "../../src/app/agent-session.ts";
import { openServices } from "../../src/app/services.ts";
import { type AgentEvent, userMessage } from "../../src/protocol/index.ts";
import { addPackage, bareEnvironment } from "../support/environments.ts";
import { type TestPlace, temporaryPlace } from "../support/home.ts";
import { userEnvironment } from "../support/omp.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { scriptModel } from "../support/script-model.ts";
import { tinyIndex } from "../support/wheel.ts";

const PREFIX = "import sys; print(sys.prefix)";

describeWithPython(testPython, "an environment", () => {
  async function open(place: TestPlace) {
    const env = { ...userEnvironment(place), SHELL: "/bin/bash", PATH: "/usr/bin:/bin" };
    const services = await openServices(
      { env, cwd: place.project, isTrusted: true },
      { stderr: () => undefined },
    );
    const run = async (tool: string, input: unknown) => {
      const { signal } = new AbortController();
      const { tools, context } = services;
      return (await tools.run(tool, input, { ...context, signal, onUpdate: () => undefined })).output.trim();
    };
    const cell = (code: string, reset = false) => run("python", { cells: [{ code }], reset });
    return { ...services, run, cell, bash: (command: string) => run("bash", { command }) };
  }
  function managed({ home }: TestPlace): string {
    const path = join(home, ".omp/python-env");
    mkdirSync(join(home, ".omp"), { mode: 0o700 });
    symlinkSync(testPython.venv, path);
    return path;
  }

  test("that is made, filled and removed is followed by the shell at once, and by the kernel after a reset", async () => {
    const place = temporaryPlace();
    const before = managed(place);
    const { run, cell, bash, shells, close } = await open(place);
    try {
      const ask = "command -v python; echo $VIRTUAL_ENV";
      expect(await bash(`PATH=\${PATH%%:*}:/mine:/usr/bin:/bin; cd /; ${ask}`)).toBe(
        `${before}/bin/python\n${before}`,
      );
      expect(await cell(`kept = 1\n${PREFIX}`)).toBe(before);
      const { directory, packages } = bareEnvironment(join(place.project, ".venv"));
      // What the shell's commands have changed stays.
      const rest = `${directory}/bin/python\n${directory}`;
      expect(await bash(`echo $?; ${ask}; echo $PATH; pwd`)).toBe(
        `0\n${rest}\n${directory}/bin:${place.home}/.omp/python-loans/bin:/mine:/usr/bin:/bin\n/`,
      );
      await run("bash", { command: ask, run_in_background: true });
      await shells.open().background.get("bash_1")?.ended;
      expect(await run("bash_output", { bash_id: "bash_1" })).toContain(rest);
      // Its variables are worth more than the other interpreter.
      expect(await cell("kept")).toBe("1");
      expect(await cell(PREFIX, true)).toBe(directory);
      expect(await cell("import demo")).toContain("No module named 'demo'");
      addPackage(packages, "demo", "1.0", "answer = 42\n");
      // As `pip install -e` does: such a line is read when Python starts.
      writeFileSync(join(packages, "editable.pth"), `${place.home}/editable\n`);
      mkdirSync(join(place.home, "editable"));
      writeFileSync(join(place.home, "editable/edited.py"), "answer = 43\n");
      expect(await cell("import demo; demo.answer")).toBe("42");
      expect(await cell("import edited; edited.answer", true)).toBe("43");
      rmSync(directory, { recursive: true });
      expect(await cell(PREFIX, true)).toBe(before);
      expect(await bash(ask)).toBe(`${before}/bin/python\n${before}`);
    } finally {
      await close();
    }
  });

  test("without pip is lent one that installs into it, also by %pip", async () => {
    const place = temporaryPlace();
    managed(place);
    const { packages } = bareEnvironment(join(place.project, ".venv"));
    const index = tinyIndex("1.0");
    const { bash, cell, close } = await open(place);
    try {
      const install = `install --quiet --no-index --find-links ${index} omp-tiny`;
      const file = join(packages, "omp_tiny/__init__.py");
      expect(await bash(`pip ${install} && python -c "import omp_tiny; print(omp_tiny.__file__)"`)).toBe(
        file,
      );
      expect(await bash("pip uninstall --quiet --yes omp-tiny; python -c 'import omp_tiny'")).toContain(
        "No module named",
      );
      await cell(`%pip ${install}`);
      expect(await cell("import omp_tiny; omp_tiny.__file__")).toBe(`'${file}'`);
    } finally {
      await close();
    }
  });

  test("is used at once by a kernel that was started ahead", async () => {
    const place = temporaryPlace();
    managed(place);
    const { cell, python, close } = await open(place);
    try {
      await python.warmUp(new AbortController().signal);
      const { directory } = bareEnvironment(join(place.project, ".venv"));
      expect(await cell(PREFIX)).toBe(directory);
      expect((await python.facts())?.label).toBe(".venv");
    } finally {
      await close();
    }
  });

  test("that was broken works as soon as it is repaired", async () => {
    const place = temporaryPlace();
    managed(place);
    const venv = join(place.project, ".venv");
    mkdirSync(join(venv, "bin"), { recursive: true });
    writeFileSync(join(venv, "bin/python"), "#!/bin/sh\nexit 3\n", { mode: 0o755 });
    const { cell, close } = await open(place);
    try {
      expect(await cell(PREFIX)).toBe(
        `python: ${venv}/bin/python failed with exit code 3; to fix it: recreate ${venv} with a later Python, or remove it (PYTHON_UNUSABLE)`,
      );
      rmSync(venv, { recursive: true });
      expect(await cell(PREFIX)).toBe(join(place.home, ".omp/python-env"));
    } finally {
      await close();
    }
  });

  test("that is made where no Python worked gives the model its tool with the next prompt", async () => {
    const place = temporaryPlace();
    const call = { name: "python", input: { cells: [{ code: PREFIX }] } };
    const model = scriptModel(place, [{ text: "no Python" }, { toolCalls: [call] }, { text: "done" }]);
    const said: string[] = [];
    const io = { stdout: () => undefined, stderr: (text: string) => said.push(text) };
    const env = { ...userEnvironment(place), SHELL: "/bin/bash", PATH: "/nowhere" };
    const options = { model, session: { kind: "none" }, maxTurns: 5 } as const;
    const session = await openAgentSession(options, io, { env, cwd: place.project, isTrusted: true });
    const ask = async (text: string) => {
      const events: AgentEvent[] = [];
      for await (const event of session.run(userMessage(text), new AbortController().signal))
        events.push(event);
      return events.flatMap((event) => (event.type === "tool_result" ? [event.result.output.trim()] : []));
    };
    try {
      expect(await ask("hello")).toEqual([]);
      expect([said.length, session.toolNames.includes("python")]).toEqual([1, false]);
      managed(place);
      const { directory } = bareEnvironment(join(place.project, ".venv"));
      expect(await ask("hello again")).toEqual([directory]);
      expect(session.toolNames).toContain("python");
    } finally {
      await session.close();
    }
  });
});
