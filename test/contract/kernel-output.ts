/** The contract: what a cell shows arrives whole, in order and as it was. */

import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../support/until.ts";
import type { SharedKernel } from "./kernel-contract.ts";

export function outputContract(kernel: SharedKernel): void {
  describe("output", () => {
    test("comes in the order in which it was made", async () => {
      const cell = await kernel.run(
        [
          "import sys",
          "print('one')",
          "display('two')",
          "print('three', file=sys.stderr)",
          "print('four')",
          "display('five')",
          "print('six', end='')",
          "7",
        ].join("\n"),
      );
      expect(cell.outputs).toEqual([
        "stdout",
        "display_data",
        "stderr",
        "stdout",
        "display_data",
        "stdout",
        "execute_result",
      ]);
      expect([cell.stdout, cell.stderr, cell.value]).toEqual(["one\nfour\nsix", "three\n", "7"]);
      const failed = await kernel.run("print('before')\ndisplay('shown')\nprint('also before')\n1 / 0");
      expect(failed.outputs).toEqual(["stdout", "display_data", "stdout", "error"]);
    });

    test("of ten million characters is whole", async () => {
      const cell = await kernel.run(
        "import hashlib\ntext = ''.join(f'{i:07} ähm\\n' for i in range(800_000))\nprint(text, end='')\nhashlib.sha256(text.encode()).hexdigest()",
      );
      const digest = createHash("sha256").update(cell.stdout).digest("hex");
      expect(cell.stdout.length).toBe(800_000 * 12);
      expect(cell.value).toBe(`'${digest}'`);
    });

    test("of many lines to both streams is whole", async () => {
      const cell = await kernel.run(
        "import sys\nfor i in range(20_000):\n  print(i)\n  if i % 40 == 0: print(i, file=sys.stderr)",
      );
      const numbers = (step: number) =>
        Array.from({ length: 20_000 / step }, (_, index) => `${index * step}\n`).join("");
      expect(cell.stdout).toBe(numbers(1));
      expect(cell.stderr).toBe(numbers(40));
    });

    test("may be any text", async () => {
      const cell = await kernel.run(
        "print('h\\u00e9llo \\U0001f40d \\u202e\\x1b[31mred\\x1b[0m\\rover\\x00\\x07|')\n'\\U0001f40d\\n'",
      );
      expect(cell.stdout).toBe("héllo \u{1f40d} \u202e\u001b[31mred\u001b[0m\rover\u0000\u0007|\n");
      expect(cell.value).toBe("'\u{1f40d}\\n'");
    });

    test("that has no UTF-8 form is shown, and does not take its neighbours with it", async () => {
      const surrogate = await kernel.run("print('before'); print('a\\ud800b'); print('after')");
      expect(surrogate.error).toBeUndefined();
      expect(surrogate.stdout).toMatch(/^before\na.+b\nafter\n$/);
      const bytes = await kernel.run(
        "import sys\nprint('before')\nsys.stdout.buffer.write(b'\\xff\\xfe\\x00 caf\\xc3')\nsys.stdout.buffer.write(b'\\xa9\\n')\nsys.stdout.buffer.flush()\nprint('after')",
      );
      expect(bytes.error).toBeUndefined();
      expect(bytes.stdout).toBe("before\n\ufffd\ufffd\u0000 café\nafter\n");
    });

    test("of programs that the cell starts is in it", async () => {
      const cell = await kernel.run(
        "import os, subprocess\nprint('first')\nsubprocess.run(['echo', 'from a child'])\nos.system('echo from a shell; echo problem >&2')\nprint('last')",
      );
      expect(cell.stdout.trim().split("\n").sort()).toEqual([
        "first",
        "from a child",
        "from a shell",
        "last",
      ]);
      expect(cell.stderr).toBe("problem\n");
      expect((await kernel.run("!echo magic")).stdout).toMatch(/^magic\r?\n$/);
    });

    test("that is updated or cleared is told as the kernel tells it", async () => {
      const cell = await kernel.run(
        [
          "from IPython.display import clear_output, display",
          "handle = display('old', display_id='progress')",
          "handle.update('new')",
          "clear_output(wait=True)",
          "print('fresh')",
        ].join("\n"),
      );
      expect(cell.outputs).toEqual(["display_data", "update_display_data", "clear_output", "stdout"]);
      const content = (type: string) => cell.messages.find(({ header }) => header.msg_type === type)?.content;
      expect(content("update_display_data")).toMatchObject({
        data: { "text/plain": "'new'" },
        transient: { display_id: "progress" },
      });
      expect(content("clear_output")).toEqual({ wait: true });
    });

    test("with binary buffers keeps them", async () => {
      const cell = await kernel.run(
        "from ipykernel.comm import Comm\nComm(target_name='omp-test', data={'a': 1}, buffers=[bytes(range(256)), b''])\nNone",
      );
      const message = cell.messages.find(({ header }) => header.msg_type === "comm_open");
      expect(message?.content["data"]).toEqual({ a: 1 });
      expect(message?.buffers.map((buffer) => [...buffer])).toEqual([
        Array.from({ length: 256 }, (_, byte) => byte),
        [],
      ]);
    });

    test("of a thread that outlives its cell is kept for the next", async () => {
      const live = kernel.kernel;
      const over = join(kernel.cwd, "the cells are over");
      await kernel.run(
        `import os, threading, time\ndef report():\n  while not os.path.exists(${JSON.stringify(over)}): time.sleep(0.005)\n  print('late news')\nthreading.Thread(target=report).start()`,
      );
      await kernel.run("pass");
      writeFileSync(over, "");
      let late = "";
      await until("the thread has printed", () => {
        late += live.takeLateOutput();
        return late.includes("\n");
      });
      expect(late).toBe("late news\n");
      expect(live.takeLateOutput()).toBe("");
    });

    test("of a task belongs to the cell that waits for it", async () => {
      const task =
        "import asyncio\nasync def work():\n  await asyncio.sleep(0)\n  print('worked')\n  display('shown')\n  return 7\n";
      await kernel.run(
        `${task}gate = asyncio.Event()\nasync def waiting():\n  await gate.wait()\n  return await work()\ntask = asyncio.ensure_future(waiting())`,
      );
      const cell = await kernel.run("gate.set()\nprint('waiting')\nawait task");
      expect(cell).toMatchObject({ stdout: "waiting\nworked\n", value: "7" });
      expect(cell.outputs).toEqual(["stdout", "display_data", "execute_result"]);
      expect(kernel.kernel.takeLateOutput()).toBe("");
    });

    test("of a thread that prints while the next cell runs is lost neither", async () => {
      const first = await kernel.run(
        "def chatter():\n  for i in range(200):\n    print(f'<{i}>', flush=True)\n    time.sleep(0.0005)\nimport threading, time\nchatting = threading.Thread(target=chatter)\nchatting.start()",
      );
      let text = first.stdout;
      for (let cell = 0; cell < 10; cell += 1) text += (await kernel.run("time.sleep(0.01)")).stdout;
      text += (await kernel.run("chatting.join()")).stdout;
      text += kernel.kernel.takeLateOutput();
      const heard = [...text.matchAll(/<(\d+)>/g)].map(([, number]) => Number(number)).sort((a, b) => a - b);
      expect(heard).toEqual(Array.from({ length: 200 }, (_, index) => index));
    });
  });
}
