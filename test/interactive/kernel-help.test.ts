/** The kernel's answers as help for code: places counted in the editor's units, names with what they are. */

import { expect, test } from "bun:test";
import { kernelHelp } from "../../src/interactive/kernel-help.ts";
import { KernelError } from "../../src/kernel/errors.ts";
import type { MessageContent } from "../../src/kernel/kernel.ts";
import type { Look } from "../../src/kernel/pool/pool.ts";

function helpFrom(reply: () => Look<MessageContent>) {
  const asked: unknown[] = [];
  const help = kernelHelp(async () => ({
    python: {
      ask: async (question, content) => {
        asked.push([question, content]);
        return reply();
      },
    },
  }));
  return { help, asked };
}

const answering = (value: MessageContent) => helpFrom(() => ({ kind: "answer", value }));

test("places are code points to the kernel, and units of the string to the editor", async () => {
  const { help, asked } = answering({ matches: ["ab", "ac", "ab"], cursor_start: 7, metadata: {} });
  expect(await help.complete("x='😀';a", 8)).toEqual({
    kind: "answer",
    value: {
      start: 8,
      names: [
        { text: "ab", type: "" },
        { text: "ac", type: "" },
      ],
    },
  });
  expect(asked).toEqual([["complete_request", { code: "x='😀';a", cursor_pos: 7 }]]);
});

test("a start before an astral character is a unit earlier", async () => {
  const { help } = answering({ matches: ["😀b"], cursor_start: 1, metadata: {} });
  expect(await help.complete("(😀b", 4)).toMatchObject({ value: { start: 1 } });
});

test("names say what they are where the kernel says so", async () => {
  const types = [
    { text: "one", type: "function" },
    { text: "two", type: 3 },
  ];
  const metadata = { _jupyter_types_experimental: types };
  const { help } = answering({ matches: ["one", "two"], cursor_start: 0, metadata });
  expect(await help.complete("o", 1)).toMatchObject({
    value: {
      names: [
        { text: "one", type: "function" },
        { text: "two", type: "" },
      ],
    },
  });
});

test("a text about a name is empty when the kernel has none", async () => {
  const { help, asked } = answering({ found: true, data: { "text/plain": "Signature: f()" } });
  expect(await help.inspect("f", 1, "source")).toEqual({ kind: "answer", value: "Signature: f()" });
  expect(asked).toEqual([["inspect_request", { code: "f", cursor_pos: 1, detail_level: 1 }]]);
  const unknown = answering({ found: false, data: {} });
  expect(await unknown.help.inspect("g", 1, "text")).toEqual({ kind: "answer", value: "" });
});

test("code is whole unless the kernel wants more of it", async () => {
  const wanting = answering({ status: "incomplete", indent: "    " });
  const more = { isWhole: false, indent: "    " };
  expect(await wanting.help.wholeness("if x:")).toEqual({ kind: "answer", value: more });
  const wrong = answering({ status: "invalid" });
  expect(await wrong.help.wholeness("1 +")).toEqual({
    kind: "answer",
    value: { isWhole: true, indent: "" },
  });
});

test("a kernel that is busy, or cannot be had, is an answer and not an error", async () => {
  const busy = helpFrom(() => ({ kind: "busy" }));
  expect(await busy.help.complete("o", 1)).toEqual({ kind: "busy" });
  const broken = helpFrom(() => {
    throw new KernelError({ kind: "unsupported", issue: "no Python found", code: "PYTHON_NOT_FOUND" });
  });
  expect(await broken.help.complete("o", 1)).toEqual({
    kind: "none",
    why: "python: no Python found (PYTHON_NOT_FOUND)",
  });
});
