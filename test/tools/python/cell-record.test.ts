/** A cell's record, from messages in whichever order two sockets bring them. */

import { expect, test } from "bun:test";
import { type Channel, type MessageContent, newMessage } from "../../../src/kernel/message.ts";
import { CellRecord } from "../../../src/tools/python/cell-record.ts";

const failure = { ename: "ZeroDivisionError", evalue: "division by zero", traceback: ["the traceback"] };

function message(channel: Channel, type: string, content: MessageContent) {
  return newMessage({ channel, type, session: "s", content });
}

const printed = message("iopub", "stream", { name: "stdout", text: "halfway\n" });
const failed = message("iopub", "error", failure);
const reply = message("shell", "execute_reply", { status: "error", execution_count: 3, ...failure });

function outputOf(messages: readonly ReturnType<typeof message>[]): { output: string; error: unknown } {
  let output = "";
  const write = (chunk: string | Uint8Array) => {
    output += chunk.toString();
  };
  const record = new CellRecord({ write, writeShortened: write, forget: () => undefined });
  for (const each of messages) record.receive(each);
  record.finish();
  return { output, error: record.error };
}

const expected = {
  output: "halfway\nthe traceback\n",
  error: { name: "ZeroDivisionError", value: "division by zero" },
};

test.each([
  ["last", [printed, failed, reply]],
  ["before the error", [printed, reply, failed]],
  ["first", [reply, printed, failed]],
])("an error is told once and in its place when the reply comes %s", (_when, messages) => {
  expect(outputOf(messages)).toEqual(expected);
});

test("an error that was shown is the cell's own only when the reply says so", () => {
  const well = message("shell", "execute_reply", { status: "ok", execution_count: 3 });
  expect(outputOf([printed, failed, well])).toEqual({ output: expected.output, error: undefined });
  const other = { ename: "KeyError", evalue: "'b'", traceback: ["its own"] };
  const fails = message("shell", "execute_reply", { status: "error", ...other });
  expect(outputOf([printed, failed, fails])).toEqual({
    output: `${expected.output}its own\n`,
    error: { name: "KeyError", value: "'b'" },
  });
});

test("an error that comes with the reply alone is told, after what was printed", () => {
  expect(outputOf([reply, printed])).toEqual(expected);
});

test("an error that comes with the reply alone and was printed already is not told again", () => {
  const told = { ename: "UsageError", evalue: "Line magic function `%x` not found.", traceback: [] };
  const usage = message("iopub", "stream", { name: "stderr", text: `${told.ename}: ${told.evalue}\n` });
  const failedReply = message("shell", "execute_reply", { status: "error", ...told });
  expect(outputOf([usage, failedReply])).toEqual({
    output: "UsageError: Line magic function `%x` not found.\n",
    error: { name: "UsageError", value: told.evalue },
  });
});

test("a value that could not be shown fails no cell", () => {
  const none = { status: "error", ename: "NoneType", evalue: "None", traceback: ["the traceback"] };
  expect(outputOf([failed, message("shell", "execute_reply", none)])).toEqual({
    output: "the traceback\n",
    error: undefined,
  });
});
