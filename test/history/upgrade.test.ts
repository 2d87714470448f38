/** Logs of omp 0.1, which said in the text of a message what later versions say in fields. */

import { expect, test } from "bun:test";
import { appendFileSync } from "node:fs";
import { readSession } from "../../src/history/read.ts";
import type { AgentEvent, MessageOrigin } from "../../src/protocol/index.ts";
import { testSessions, user } from "./sessions.ts";

const at = "2026-01-01T00:00:00.000Z";
const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** What is read of lines that an earlier omp wrote. */
function read(...events: readonly object[]) {
  const { store, cwd } = testSessions();
  const log = store.create(cwd);
  log.append(user("now"));
  log.close();
  appendFileSync(log.path, events.map((event) => `${JSON.stringify({ at, ...event })}\n`).join(""));
  const { entries, badLines } = readSession(log.path);
  expect(badLines).toBe(0);
  return entries.slice(-events.length);
}

test.each<readonly [string, MessageOrigin]>([
  ["fix the build", { kind: "typed" }],
  ["[fix the build]", { kind: "typed" }],
  ["<user_ran x", { kind: "typed" }],
  ["see <stdin>", { kind: "typed" }],
  ["<stdin>\nabc\n</stdin>", { kind: "stdin" }],
  ["what is this?\n\n<stdin>\nabc\n</stdin>", { kind: "stdin" }],
  [
    '<user_ran tool="bash">\nls\nls -l\n</user_ran>\n<output>\na\n</output>',
    { kind: "ran", tool: "bash", code: "ls\nls -l" },
  ],
  [
    "[background shell bash_1 completed with exit code 0: make]",
    { kind: "announcement", notice: "background shell bash_1 completed with exit code 0: make" },
  ],
  [
    "[This session was resumed: the shell's state is gone.]",
    { kind: "resumed", notice: "This session was resumed: the shell's state is gone." },
  ],
])("the origin of %j", (text, origin) => {
  const message = { role: "user", content: [{ type: "text", text }] };
  expect(read({ type: "user", message })).toEqual([{ at, ...user(text, origin) }]);
});

test("an origin that the log has is taken as it is", () => {
  const event = user("[background shell bash_1 failed: x]", { kind: "typed" });
  expect(read(event)).toEqual([{ at, ...event }]);
});

test("an interrupted answer has that as a field; words that only look like it stay words", () => {
  const answer = (reason: "other" | "stop", text: string) => ({
    type: "assistant",
    message: { role: "assistant", content: [{ type: "text", text }] },
    reason,
    usage,
  });
  const text = "half\n[interrupted by the user]";
  const whole = answer("stop", text) as AgentEvent;
  expect(read(answer("other", text), whole)).toEqual([
    {
      at,
      type: "assistant",
      message: { role: "assistant", content: [{ type: "text", text: "half" }], isInterrupted: true },
      reason: "other",
      usage,
    },
    { at, ...whole },
  ] as ReturnType<typeof read>);
});
