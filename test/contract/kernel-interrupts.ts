/** The contract: ending code that runs, and only that code. */

import { describe, expect, test } from "bun:test";
import type { KernelMessage } from "../../src/kernel/kernel.ts";
import { type CellResult, cellResult } from "../support/kernels.ts";
import type { SharedKernel } from "./kernel-contract.ts";

/** Runs code and acts once, when it has printed a line. */
async function whenPrinted(kernel: SharedKernel, code: string, act: () => unknown): Promise<CellResult> {
  const messages: KernelMessage[] = [];
  const acts: unknown[] = [];
  for await (const message of kernel.execute(code)) {
    messages.push(message);
    if (acts.length === 0 && String(message.content["text"]).includes("\n")) acts.push(act());
  }
  await Promise.all(acts);
  return cellResult(messages);
}

const SPIN = "print('begun', flush=True)\nwhile True: pass";
const SLEEP = "import time\nprint('begun', flush=True)\ntime.sleep(1e6)";

export function interruptContract(kernel: SharedKernel): void {
  interruptCore(kernel);
  interruptEndurance(kernel);
}

/** Many interrupts, at bad moments. */
function interruptEndurance(kernel: SharedKernel): void {
  const interrupt = () => kernel.kernel.interrupt();

  describe("an interrupt", () => {
    test("again and again finds a normal kernel each time", async () => {
      await kernel.run("rounds = 0");
      for (let round = 0; round < 15; round += 1) {
        const cell = await whenPrinted(kernel, round % 2 ? SPIN : SLEEP, interrupt);
        expect(cell.error).toBe("KeyboardInterrupt");
        expect((await kernel.run("rounds += 1")).error).toBeUndefined();
      }
      expect((await kernel.run("rounds")).value).toBe("15");
    });

    test("in the middle of printing takes nothing from what is printed later", async () => {
      for (let round = 0; round < 5; round += 1) {
        const loop = `while True: print(${round}, 'x' * ${10 ** round})`;
        const cell = await whenPrinted(kernel, loop, interrupt);
        expect(cell.error).toBe("KeyboardInterrupt");
        expect(await kernel.run("print('whole'); 'line'")).toMatchObject({
          stdout: "whole\n",
          value: "'line'",
        });
      }
    });

    test("waits for what was printed before it, however much that is", async () => {
      await kernel.run("import sys\nkept = 1");
      const loop = "while True:\n  print('out')\n  print('err', file=sys.stderr)";
      expect((await whenPrinted(kernel, loop, interrupt)).error).toBe("KeyboardInterrupt");
      expect((await kernel.run("kept")).value).toBe("1");
    });

    test("asked for many times at once is one", async () => {
      const cell = await whenPrinted(kernel, SLEEP, () => Promise.all(Array.from({ length: 20 }, interrupt)));
      expect(cell.error).toBe("KeyboardInterrupt");
      for (let after = 0; after < 5; after += 1)
        expect((await kernel.run(`time.sleep(0.005); ${after}`)).value).toBe(String(after));
    });

    test("when nothing runs does nothing", async () => {
      for (let round = 0; round < 5; round += 1) {
        await interrupt();
        expect((await kernel.run("import time; time.sleep(0.005); 'fine'")).value).toBe("'fine'");
      }
    });

    test("racing with the natural end of a cell never hits a later one", async () => {
      await kernel.run("import time\nsurvived = 0");
      // After 36 rounds the same lengths of a cell meet the same moments of the interrupt again.
      for (let round = 0; round < 36; round += 1) {
        const abort = new AbortController();
        const running = kernel.run(`time.sleep(${(round % 12) / 2000})`, { signal: abort.signal });
        const aimed = new Promise<void>((resolve) => setTimeout(resolve, round % 9));
        await Promise.race([running, aimed]);
        abort.abort();
        await running;
        const next = await kernel.run("time.sleep(0.002)\nsurvived += 1");
        expect(next.error).toBeUndefined();
        expect(kernel.kernel.state).toBe("ready");
      }
      expect((await kernel.run("survived")).value).toBe("36");
    });
  });
}

export function interruptCore(kernel: SharedKernel): void {
  const interrupt = () => kernel.kernel.interrupt();

  describe("an interrupt", () => {
    for (const [name, code] of [
      ["a loop", SPIN],
      ["a sleep", SLEEP],
      ["a child process", "import subprocess\nprint('begun', flush=True)\nsubprocess.run(['sleep', '1000'])"],
      ["a join", "import threading\nprint('begun', flush=True)\nthreading.Event().wait()"],
    ] as const) {
      test(`ends ${name} with KeyboardInterrupt and keeps the state`, async () => {
        await kernel.run("kept = [1, 2, 3]");
        const cell = await whenPrinted(kernel, code, interrupt);
        expect(cell).toMatchObject({ stdout: "begun\n", error: "KeyboardInterrupt" });
        expect(kernel.kernel.state).toBe("ready");
        expect((await kernel.run("kept")).value).toBe("[1, 2, 3]");
      });
    }

    test("cancels a coroutine, which is how IPython runs an await", async () => {
      const code = "import asyncio\nprint('begun', flush=True)\nawait asyncio.sleep(1e6)";
      const cell = await whenPrinted(kernel, code, interrupt);
      expect(cell).toMatchObject({ stdout: "begun\n", error: "CancelledError" });
      expect((await kernel.run("1 + 1")).value).toBe("2");
    });

    test("that code catches ends what the code wants to end", async () => {
      const cell = await whenPrinted(
        kernel,
        "try:\n  print('begun', flush=True)\n  while True: pass\nexcept KeyboardInterrupt:\n  print('caught')\n'done'",
        interrupt,
      );
      expect(cell).toMatchObject({ stdout: "begun\ncaught\n", value: "'done'", error: undefined });
    });
  });

  describe("an abort", () => {
    test("before the cell means that it does not run", async () => {
      await kernel.run("ran = False");
      const signal = AbortSignal.abort(new Error("never mind"));
      await expect(kernel.run("ran = True", { signal })).rejects.toThrow("never mind");
      expect((await kernel.run("ran")).value).toBe("False");
    });

    test("at the very beginning of the cell is not lost", async () => {
      for (let round = 0; round < 6; round += 1) {
        const abort = new AbortController();
        const running = kernel.run("while True: pass", { signal: abort.signal });
        if (round % 2) await new Promise((resolve) => setImmediate(resolve));
        abort.abort();
        expect((await running).error).toBe("KeyboardInterrupt");
      }
    });

    test("while it runs interrupts it; the messages still come to their end", async () => {
      const abort = new AbortController();
      const messages: KernelMessage[] = [];
      for await (const message of kernel.execute(SPIN, { signal: abort.signal })) {
        messages.push(message);
        if (message.header.msg_type === "stream") abort.abort();
      }
      expect(cellResult(messages)).toMatchObject({ stdout: "begun\n", error: "KeyboardInterrupt" });
      expect(cellResult(messages).reply["status"]).toBe("error");
      expect((await kernel.run("1 + 1")).value).toBe("2");
    });

    test("after its end, also in the middle of the next, does nothing", async () => {
      const abort = new AbortController();
      await kernel.run("pass", { signal: abort.signal });
      const cell = await whenPrinted(
        kernel,
        "import time\nprint('begun', flush=True)\ntime.sleep(0.1)\n'whole'",
        () => abort.abort(),
      );
      expect(cell).toMatchObject({ value: "'whole'", error: undefined });
    });
  });

  describe("a consumer that leaves early", () => {
    test("ends the cell, and the next one is normal", async () => {
      await kernel.run("kept = 'still here'");
      for await (const { header } of kernel.execute("i = 0\nwhile True:\n  i += 1\n  print(i, flush=True)")) {
        if (header.msg_type === "stream") break;
      }
      expect(kernel.kernel.state).toBe("ready");
      expect(await kernel.run("print('mine'); kept")).toMatchObject({
        stdout: "mine\n",
        value: "'still here'",
      });
    });

    test("by throwing is told its own error", async () => {
      const reading = async () => {
        for await (const { header } of kernel.execute(SLEEP)) {
          if (header.msg_type === "stream") throw new Error("a consumer's bug");
        }
      };
      await expect(reading()).rejects.toThrow("a consumer's bug");
      expect((await kernel.run("1 + 1")).value).toBe("2");
    });

    test("at the very end of the cell does no harm", async () => {
      for await (const { header } of kernel.execute("'last'")) if (header.msg_type === "execute_reply") break;
      expect((await kernel.run("1 + 1")).value).toBe("2");
    });
  });
}
