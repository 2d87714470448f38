import { describe, expect, test } from "bun:test";
import { traceLine } from "../../../src/kernel/jupyter/trace.ts";
import { newMessage } from "../../../src/kernel/message.ts";
import { answer } from "./messages.ts";

describe("a trace line", () => {
  test("names direction, channel, type, ids and content", () => {
    const request = newMessage({
      channel: "shell",
      type: "execute_request",
      session: "s",
      content: { code: "1" },
    });
    const id = request.header.msg_id;
    expect(traceLine("->", request)).toBe(`-> shell execute_request ${id.slice(0, 8)} {"code":"1"}`);
    const reply = answer("shell", "execute_reply", { parent: id, content: { status: "ok" } });
    expect(traceLine("<-", { ...reply, buffers: [new Uint8Array(3)] })).toBe(
      `<- shell execute_reply ${reply.header.msg_id.slice(0, 8)} for ${id.slice(0, 8)} +1 buffers {"status":"ok"}`,
    );
  });

  test("shows the beginning and the length of long strings, however deep", () => {
    const text = "x".repeat(10_000);
    const line = traceLine(
      "<-",
      answer("iopub", "display_data", { content: { data: { "image/png": text } } }),
    );
    expect(line).toEndWith(`{"data":{"image/png":"${"x".repeat(200)}… (10000 chars)"}}`);
  });

  test("stays short when there are many strings", () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`key${index}`, "value"]));
    expect(traceLine("<-", answer("iopub", "x", { content: many })).length).toBeLessThan(1000);
  });

  test("is one line, whatever is in the message", () => {
    const line = traceLine("<-", answer("iopub", "stream", { content: { text: "a\nb\r\u2028c" } }));
    expect(line.split(/[\n\r]/)).toHaveLength(1);
  });
});
