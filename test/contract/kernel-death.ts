/** The contract: how a kernel ends, wanted or not, and what those who wait for it are told. */

import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { KernelMessage } from "../../src/kernel/kernel.ts";
import { cellResult, kernelErrorOf } from "../support/kernels.ts";
import type { SharedKernel } from "./kernel-contract.ts";

export function deathContract(kernel: SharedKernel): void {
  describe("a kernel that answers", () => {
    test("is known to, idle and busy, also when asked by several at once", async () => {
      const live = kernel.kernel;
      expect(await live.isResponding()).toBe(true);
      expect(await Promise.all([1, 2, 3].map(() => live.isResponding()))).toEqual([true, true, true]);
      for await (const { header } of kernel.execute("print('begun', flush=True)\nwhile True: pass")) {
        if (header.msg_type !== "stream") continue;
        expect(await live.isResponding()).toBe(true);
        break;
      }
    });
  });

  describe("a kernel that dies in the middle of a cell", () => {
    test("gives what it had printed, then the error; and is dead to everybody", async () => {
      await using own = await kernel.another();
      const messages: KernelMessage[] = [];
      const reading = async () => {
        // It lives until its words have come: what libzmq has not written yet would die with it.
        const heard = join(kernel.cwd, "last words were heard");
        const code = [
          "import os, time",
          "print('last words', flush=True)",
          `while not os.path.exists(${JSON.stringify(heard)}): time.sleep(0.01)`,
          "os._exit(3)",
        ].join("\n");
        for await (const message of own.kernel.execute(code)) {
          messages.push(message);
          if (message.header.msg_type === "stream") writeFileSync(heard, "");
        }
      };
      const error = await kernelErrorOf(reading());
      expect(error.kind).toBe("died");
      expect(error.message).toMatch(/^python: the kernel died: .+ \(KERNEL_DIED\)$/);
      expect(cellResult(messages).stdout).toBe("last words\n");
      expect((await own.kernel.exited).expected).toBe(false);
      expect(own.kernel.state).toBe("dead");
      expect((await kernelErrorOf(own.run("1"))).kind).toBe("died");
      expect(await own.kernel.isResponding()).toBe(false);
      await own.kernel.interrupt();
      expect(own.kernel.takeLateOutput()).toBe("");
      await own.kernel.shutdown();
      expect(own.kernel.state).toBe("dead");
    });
  });

  describe("a kernel that ends by itself", () => {
    test("after exit() is gone, and the cell was still whole", async () => {
      await using own = await kernel.another();
      const cell = await own.run("print('bye')\nexit()");
      expect(cell.stdout).toBe("bye\n");
      expect((await own.kernel.exited).expected).toBe(false);
    });
  });

  describe("shutting down", () => {
    test("ends the kernel as asked; twice is once", async () => {
      await using own = await kernel.another();
      await Promise.all([own.kernel.shutdown(), own.kernel.shutdown()]);
      expect(await own.kernel.exited).toMatchObject({ reason: "shut down", expected: true });
      expect(own.kernel.state).toBe("shutdown");
      expect(await own.kernel.isResponding()).toBe(false);
      expect((await kernelErrorOf(own.run("1"))).kind).toBe("closed");
      await own.kernel.shutdown();
      await own.kernel.interrupt();
    });

    test("while a cell runs ends that cell with an error that says so", async () => {
      await using own = await kernel.another();
      const reading = async () => {
        for await (const { header } of own.kernel.execute("print(1, flush=True)\nwhile True: pass")) {
          if (header.msg_type === "stream") void own.kernel.shutdown();
        }
      };
      const error = await kernelErrorOf(reading());
      expect(error).toMatchObject({
        kind: "closed",
        message: "python: the kernel was shut down (KERNEL_CLOSED)",
      });
    });

    test("while it is interrupted ends both", async () => {
      await using own = await kernel.another();
      const abort = new AbortController();
      const code =
        "print(1, flush=True)\nwhile True:\n  try:\n    while True: pass\n  except KeyboardInterrupt: pass";
      const reading = async () => {
        for await (const { header } of own.kernel.execute(code, {
          signal: abort.signal,
        })) {
          if (header.msg_type !== "stream") continue;
          abort.abort();
          void own.kernel.shutdown();
        }
      };
      // The interrupt may win, and then the cell has an end of its own.
      const ending = await reading().then(
        () => "ended",
        (error: unknown) => error,
      );
      expect(["ended", expect.objectContaining({ kind: "closed" })]).toContainEqual(ending);
      expect((await own.kernel.exited).expected).toBe(true);
    });

    test("of one kernel leaves the others alone", async () => {
      await using other = await kernel.another();
      await kernel.run("mine = 1");
      await other.kernel.shutdown();
      expect((await kernel.run("mine")).value).toBe("1");
    });
  });
}
