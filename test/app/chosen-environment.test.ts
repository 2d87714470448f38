/** The chosen environment in everything that runs code: first on PATH and in VIRTUAL_ENV, also where a login profile makes a new PATH. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openServices, type Services } from "../../src/app/services.ts";
import { type TestPlace, temporaryPlace, trustPlace } from "../support/home.ts";
import { userEnvironment } from "../support/omp.ts";
import { describeWithPython, testPython } from "../support/python.ts";

const ASK = 'command -v python; echo "$VIRTUAL_ENV"';

describeWithPython(testPython, "the project's .venv", () => {
  let place: TestPlace;
  let services: Services;
  beforeAll(async () => {
    place = temporaryPlace({ lasts: "file" });
    symlinkSync(testPython.venv, join(place.project, ".venv"));
    const profile = "PATH=/usr/bin:/bin\ngreet() { echo hello; }\n";
    writeFileSync(join(place.home, ".bash_profile"), profile);
    // Stands for zsh, which reads ~/.zshenv for every command.
    writeFileSync(join(place.home, "zsh"), '#!/bin/sh\nPATH=/usr/bin:/bin\nexec /bin/sh "$@"\n', {
      mode: 0o755,
    });
    trustPlace(place);
    const env = {
      ...userEnvironment(place),
      VIRTUAL_ENV: undefined,
      PATH: "/usr/bin:/bin",
      SHELL: "/bin/bash",
    };
    services = await openServices({ env, cwd: place.project }, { stderr: () => undefined });
  });
  afterAll(() => services.close());

  const expected = () => `${place.project}/.venv/bin/python\n${place.project}/.venv`;
  async function run(name: string, input: unknown): Promise<string> {
    const { signal } = new AbortController();
    const { tools, context } = services;
    return (await tools.run(name, input, { ...context, signal, onUpdate: () => undefined })).output;
  }

  // Before any shell: nothing has taken the snapshot yet.
  test("bash() and ! in cells, from the first call on with the user's functions", async () => {
    const cells = (code: string) => run("python", { cells: [{ code }] });
    expect(await cells(`r = bash('greet; ${ASK}')`)).toBe(`hello\n${expected()}`);
    expect(await cells(`!${ASK}`)).toBe(expected());
    const zsh = `import os; os.environ["SHELL"] = "${place.home}/zsh"`;
    const again = "from IPython.utils._process_posix import system; system.__self__._sh = None";
    expect(await cells(`${zsh}\n${again}\n!${ASK}`)).toBe(expected());
    // Without the snapshot, as in a kernel that omp did not start.
    const without = "del os.environ['OMP_SHELL_SNAPSHOT']";
    expect(await cells(`${without}\nr = bash('greet; ${ASK}')`)).toBe(`hello\n${expected()}`);
  });

  test("bash, and in the background", async () => {
    expect(await run("bash", { command: `greet; ${ASK}` })).toBe(`hello\n${expected()}`);
    await run("bash", { command: `greet; ${ASK}`, run_in_background: true });
    await services.shells.open().background.get("bash_1")?.ended;
    expect((await run("bash_output", { bash_id: "bash_1" })).split("\n").slice(1, 4)).toEqual([
      "hello",
      ...expected().split("\n"),
    ]);
  });

  test("exec and python_run", async () => {
    expect(await run("exec", { language: "bash", code: ASK })).toBe(expected());
    const code = 'import os, shutil; print(shutil.which("python")); print(os.environ["VIRTUAL_ENV"])';
    expect(await run("exec", { language: "python", code })).toBe(expected());
    expect(await run("python_run", { code })).toBe(expected());
  });
});
