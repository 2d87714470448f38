/** The contract: what running a cell means, from its first message to its last. */

import { describe, expect, test } from "bun:test";
import type { KernelQuestion, MessageContent } from "../../src/kernel/kernel.ts";
import { cellResult } from "../support/kernels.ts";
import type { SharedKernel } from "./kernel-contract.ts";

export function executionContract(kernel: SharedKernel): void {
  cellContract(kernel);
  questionContract(kernel);
}

export function cellContract(kernel: SharedKernel): void {
  describe("a cell", () => {
    test("leaves its state to the next", async () => {
      await kernel.run("import math\ndef square(x): return x * x\ny = 7");
      expect((await kernel.run("square(y), math.floor(2.5)")).value).toBe("(49, 2)");
    });

    test("ends with idle and reply, each once, in whichever order", async () => {
      for (let cell = 0; cell < 50; cell += 1) {
        const { messages } = await kernel.run(`print(${cell})`);
        const ends = messages
          .filter(
            ({ header, content }) =>
              header.msg_type === "execute_reply" || content["execution_state"] === "idle",
          )
          .map(({ header }) => header.msg_type);
        expect(ends.sort()).toEqual(["execute_reply", "status"]);
        expect(["execute_reply", "status"]).toContain(messages.at(-1)?.header.msg_type ?? "");
        expect(cellResult(messages).stdout).toBe(`${cell}\n`);
      }
    });

    test("is executing while it runs, and ready when it has ended", async () => {
      const states = new Set<string>();
      for await (const _message of kernel.execute("print(1)")) states.add(kernel.kernel.state);
      expect(states).toEqual(new Set(["executing"]));
      expect(kernel.kernel.state).toBe("ready");
    });

    test("yields only messages that belong to it", async () => {
      const { messages } = await kernel.run("print(1); 2");
      const parents = new Set(messages.map(({ parentHeader }) => parentHeader.msg_id));
      expect(parents.size).toBe(1);
    });

    test("counts up by one, unless it is silent", async () => {
      const first = Number((await kernel.run("'kept'")).reply["execution_count"]);
      const silent = await kernel.run("silent_value = 5\n'not kept'", { silent: true });
      expect(silent.value).toBeUndefined();
      expect(silent.reply["status"]).toBe("ok");
      const next = await kernel.run("_, silent_value");
      expect(next.reply["execution_count"]).toBe(first + 1);
      expect(next.value).toBe("('kept', 5)");
    });

    test("brings the values of expressions that were asked for with it", async () => {
      const { reply } = await kernel.run("z = 6", { userExpressions: { double: "z * 2", broken: "1 / 0" } });
      const values = reply["user_expressions"] as Record<string, Record<string, unknown>>;
      expect(values["double"]).toMatchObject({ status: "ok", data: { "text/plain": "12" } });
      expect(values["broken"]).toMatchObject({ status: "error", ename: "ZeroDivisionError" });
    });

    test("that fails says how, and the next one runs: always", async () => {
      const failed = await kernel.run("1 / 0");
      expect(failed).toMatchObject({ error: "ZeroDivisionError", evalue: "division by zero" });
      expect(failed.reply["status"]).toBe("error");
      await kernel.run("runs = 0");
      for (let round = 0; round < 25; round += 1) {
        await kernel.run("raise ValueError('again')");
        expect((await kernel.run("runs += 1")).reply["status"]).toBe("ok");
      }
      expect((await kernel.run("runs")).value).toBe("25");
    });

    test("with a syntax error, without code, with only a comment, with magics and await ends like any other", async () => {
      expect((await kernel.run("def (:")).error).toBe("SyntaxError");
      for (const code of ["", "\n\n", "# nothing", "pass"]) {
        expect(await kernel.run(code)).toMatchObject({ outputs: [], error: undefined });
      }
      expect((await kernel.run("%precision 3")).value).toBe("'%.3f'");
      expect((await kernel.run("import asyncio\nawait asyncio.sleep(0, 'awaited')")).value).toBe("'awaited'");
    });

    test("that asks for a keyboard fails at once with an explanation", async () => {
      for (const code of ["input('name? ')", "import getpass; getpass.getpass('password? ')"]) {
        expect(await kernel.run(code)).toMatchObject({ error: "StdinNotImplementedError" });
      }
      expect((await kernel.run("'fine'")).value).toBe("'fine'");
    });

    test("with a megabyte of code, or a lone surrogate in it, does no harm", async () => {
      const long = `text = '${"x".repeat(1_000_000)}'\nlen(text)`;
      expect((await kernel.run(long)).value).toBe("1000000");
      expect((await kernel.run("'\ud800'")).value).toBe("'\ufffd'");
      expect((await kernel.run("'\\ud800'")).value).toBe("'\\ud800'");
    });

    test("that ends tells its reply even to a consumer that reads slowly", async () => {
      const messages = [];
      for await (const message of kernel.execute("for i in range(50): print(i, flush=True)")) {
        await new Promise((resolve) => setImmediate(resolve));
        messages.push(message);
      }
      const { stdout, reply } = cellResult(messages);
      expect(stdout.trim().split("\n")).toHaveLength(50);
      expect(reply["status"]).toBe("ok");
    });
  });
}

function questionContract(kernel: SharedKernel): void {
  describe("a question", () => {
    const ask = (question: KernelQuestion, content: MessageContent) => kernel.kernel.ask(question, content);

    test("is answered from the live state, and leaves no trace in it", async () => {
      await kernel.run("asked_about = [1, 2]");
      const completion = await ask("complete_request", { code: "asked_ab", cursor_pos: 8 });
      expect(completion).toMatchObject({ status: "ok", matches: ["asked_about"], cursor_start: 0 });
      const inspection = await ask("inspect_request", {
        code: "asked_about",
        cursor_pos: 3,
        detail_level: 0,
      });
      expect(inspection).toMatchObject({ status: "ok", found: true });
      expect((await kernel.run("asked_about")).value).toBe("[1, 2]");
    });

    test("says of each name what it is, and runs nothing to find out", async () => {
      await kernel.run(
        "import os\nclass Kept:\n  size = 3\n  @property\n  def asked(self): print('was run')\n  def told(self): pass\nkept = Kept()",
      );
      const kindsOf = async (code: string) => {
        const reply = await ask("complete_request", { code, cursor_pos: [...code].length });
        const metadata = reply["metadata"] as {
          _jupyter_types_experimental: { text: string; type: string }[];
        };
        // IPython 8.18 gives the whole path.
        return metadata._jupyter_types_experimental.map(
          ({ text, type }) => `${text.replace(/^\w+(?=\.)/, "")} ${type}`,
        );
      };
      expect(await kindsOf("kept.")).toEqual([".asked property", ".size int", ".told function"]);
      expect(await kindsOf("x = '😀'; kep")).toEqual(["kept Kept"]);
      expect(await kindsOf("Kep")).toEqual(["Kept class"]);
      expect(await kindsOf("os.pat")).toContain(".path module");
      expect(await kindsOf("retur")).toEqual(["return keyword"]);
    });

    test("tells code that wants another line from code that does not", async () => {
      expect(await ask("is_complete_request", { code: "for i in range(3):" })).toMatchObject({
        status: "incomplete",
      });
      expect(await ask("is_complete_request", { code: "x = 1" })).toMatchObject({ status: "complete" });
      expect(await ask("is_complete_request", { code: "x = = 1" })).toMatchObject({ status: "invalid" });
    });

    test("that comes while code runs is answered after it", async () => {
      const cell = kernel.run("import time; time.sleep(0.2); answered_late = 1");
      const completion = await ask("complete_request", { code: "answered_la", cursor_pos: 11 });
      await cell;
      expect(completion).toMatchObject({ matches: ["answered_late"] });
    });
  });
}
