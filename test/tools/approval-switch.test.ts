import { expect, test } from "bun:test";
import { ApprovalSwitch } from "../../src/tools/approval/approval-switch.ts";

test("goes through the modes, and no looser than the project allows", () => {
  const free = new ApprovalSwitch("ask", "auto");
  expect([free.next(), free.next(), free.next()]).toEqual(["read-only", "auto", "ask"]);
  const limited = new ApprovalSwitch("ask", "ask");
  expect(limited.allowed).toEqual(["ask", "read-only"]);
  expect([limited.set("auto"), limited.mode]).toEqual([false, "ask"]);
  expect([limited.next(), limited.next()]).toEqual(["read-only", "ask"]);
  const strict = new ApprovalSwitch("read-only", "ask");
  expect([strict.set("ask"), strict.mode]).toEqual([true, "ask"]);
});

test("what the session was started with can be returned to, whatever the project says", () => {
  const started = new ApprovalSwitch("auto", "ask");
  expect([started.next(), started.next(), started.next()]).toEqual(["ask", "read-only", "auto"]);
});
