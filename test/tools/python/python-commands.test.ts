/** Commands that cells run are judged where the kernel runs them, however they are written. */

import { beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { StartedCommand } from "../../../src/protocol/index.ts";
import { refusalOf } from "../../../src/tools/approval/decide.ts";
import { describeWithPython, testPython } from "../../support/python.ts";
import { rules } from "../approval-calls.ts";
import { cellsOf, type PythonSession, pythonSession } from "./python-session.ts";

describeWithPython(testPython, "commands of cells", () => {
  let python: PythonSession;
  /** Taken for the user's home: it is there to be lost. */
  let home: string;
  let asked: StartedCommand[] = [];

  beforeAll(async () => {
    python = await pythonSession({ python: testPython, lasts: "file" });
    home = join(python.project, "home");
    mkdirSync(home);
  });

  const run = async (code: string) => {
    mkdirSync(home, { recursive: true });
    asked = [];
    const mine = { ...rules, home, deny: ["git push"] };
    const judge = (command: StartedCommand) => {
      asked.push(command);
      return refusalOf(command, mine);
    };
    return await python.call({ cells: [{ code: code.replaceAll("HOME", home) }] }, { refusalOf: judge });
  };

  test.each([
    "!rm -rf HOME",
    "!!rm -rf HOME",
    "x = !rm -rf HOME",
    "!rm \\\n  -rf HOME",
    "%sx rm -rf HOME",
    "%%sx\nrm -rf HOME",
    "%%!\nrm -rf HOME",
    "%%bash\nrm -rf HOME",
    "%%sh\nrm -rf HOME",
    "%%script --out found bash\nls\nrm -rf HOME",
    "%%capture out\n%%bash\nrm -rf HOME",
    "get_ipython().run_cell_magic('bash', '', 'rm -rf HOME')",
    "%rm -rf HOME",
    "rm -rf HOME",
    "%system rm -rf HOME",
    "bash('rm -rf HOME')",
    "bash(\n  'rm -rf '\n  'HOME')",
    "command = ' '.join(['rm', '-rf', 'HOME'])\nbash(command)",
    "target = 'HOME'\n!rm -rf {target}",
    "target = 'HOME'\n!rm -rf $target",
    "import os; os.environ['TARGET'] = 'HOME'\n!rm -rf \"$TARGET\"",
    "get_ipython().system('rm -rf HOME')",
    "get_ipython().getoutput('rm -rf HOME')",
    "get_ipython().system_raw('rm -rf HOME')",
    "import os; os.system('rm -rf HOME')",
    "import os; os.popen('rm -rf HOME')",
    "import subprocess; subprocess.run('rm -rf HOME', shell=True)",
    "import subprocess; subprocess.run(['rm', '-rf', 'HOME'])",
    "import subprocess; subprocess.Popen(['rm', '-rf', '.'], cwd='HOME')",
    "import subprocess; subprocess.getoutput('sh -c \"rm -rf HOME\"')",
    "import os; os.posix_spawn('/bin/rm', ['rm', '-rf', 'HOME'], {})",
    "import asyncio; await asyncio.create_subprocess_shell('rm -rf HOME')",
    "bash('rm -rf *', cwd='HOME')",
    "import shutil; shutil.rmtree('HOME')",
    "import shutil, pathlib; shutil.rmtree(pathlib.Path('HOME') / '..' / 'home', ignore_errors=True)",
    "import os, shutil; os.chdir('HOME'); shutil.rmtree('.')",
    "import os; os.chdir('HOME')\n!rm -rf *",
    "import threading; t = threading.Thread(target=bash, args=('rm -rf HOME',)); t.start(); t.join()",
  ])("%j is blocked", async (code) => {
    const { output } = await run(code);
    expect(output).toContain("CommandBlocked: blocked: it would delete");
    expect(output).toContain("(DANGEROUS)");
    expect(existsSync(home)).toBe(true);
  });

  test("the refusal is the error of the cell, in one line, and what was denied is, too", async () => {
    const [cell] = cellsOf(await run("!git push"));
    expect(cell?.error).toEqual({
      name: "CommandBlocked",
      value: "blocked: the settings deny 'git push' (DENIED)",
    });
  });

  test("other commands run, after one question each that says where they run and what the variables hold", async () => {
    const code =
      "import os; os.chdir('HOME'); os.environ['GREETING'] = 'hi'\n!echo $$GREETING $$OTHER; echo done";
    const { isError, output } = await run(code);
    expect([isError, output]).toEqual([false, "hi\ndone"]);
    expect(asked).toEqual([
      { command: "echo $GREETING $OTHER; echo done", cwd: home, variables: { GREETING: "hi" } },
    ]);
    expect((await run("%%bash\necho one\necho two")).output).toBe("one\ntwo");
    expect((await run("%%script --out found sh -e\necho three")).output).toBe("(no output)");
    expect((await run("found")).output).toBe("'three\\n'");
    await run("bash('true')\nimport subprocess\nsubprocess.run(['echo', 'a b', '*'])");
    expect(asked.map(({ command }) => command)).toEqual(["true", "echo 'a b' '*'"]);
  });

  test("a thread that a cell has left is judged as well, and does not wait", async () => {
    await run(
      "import threading\ngo = threading.Event(); done = []\nthreading.Thread(target=lambda: (go.wait(), done.append(bash('echo late').text))).start()",
    );
    const { output } = await run("go.set()\nimport time\nwhile not done: time.sleep(0.01)\ndone");
    expect(output).toContain("['late\\n']");
    expect(asked.map(({ command }) => command)).toEqual(["echo late"]);
  });

  test("where nobody judges, nothing is asked", async () => {
    const { output } = await python.call({ cells: [{ code: "!echo plain" }] }, { sessionId: "other" });
    expect(output).toBe("plain");
  });
});
