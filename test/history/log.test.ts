import { expect, test } from "bun:test";
import { appendFileSync, existsSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { markdownOf } from "../../src/history/export-markdown.ts";
import { SessionLog } from "../../src/history/log.ts";
import { readSession } from "../../src/history/read.ts";
import type { AgentEvent } from "../../src/protocol/index.ts";
import { assistant, testSessions, user } from "./sessions.ts";

test("a log is a header, who works on it, and the events that make up the conversation", () => {
  const { store, cwd } = testSessions();
  const log = store.create(cwd);
  log.append(user("hi"));
  log.append({ type: "text_delta", text: "hel" });
  log.append(assistant("hello"));
  log.close();
  const { header, entries, badLines } = readSession(log.path);
  expect(header).toEqual({
    type: "session",
    version: 1,
    id: log.id,
    cwd,
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  const at = expect.stringMatching(/^\d{4}-.*Z$/);
  expect(entries).toEqual([
    { type: "opened", pid: process.pid, cwd, at },
    { ...user("hi"), at },
    { ...assistant("hello"), at },
    { type: "closed", pid: process.pid, at },
  ] as unknown as typeof entries);
  expect(badLines).toBe(0);
});

test("stdout and stderr alone are kept only while they are short: the output has them, too", () => {
  const { store, cwd } = testSessions();
  const log = store.create(cwd);
  const resultWith = (stdout: string): AgentEvent => ({
    type: "tool_result",
    id: "1",
    name: "exec",
    result: { isError: false, output: stdout, details: { exitCode: 0, stdout, stderr: "" } },
  });
  log.append(resultWith("short"));
  log.append(resultWith("x".repeat(1_000_000)));
  log.close();
  const { entries } = readSession(log.path);
  expect(entries.flatMap((entry) => (entry.type === "tool_result" ? [entry.result.details] : []))).toEqual([
    { exitCode: 0, stdout: "short", stderr: "" },
    { exitCode: 0 },
  ]);
  expect(statSync(log.path).size).toBeLessThan(1_010_000);
});

test("log and directory are the user's alone", () => {
  const { store, cwd, directory } = testSessions();
  const log = store.create(cwd);
  expect([log.path, directory, dirname(directory)].map((path) => statSync(path).mode & 0o777)).toEqual([
    0o600, 0o700, 0o700,
  ]);
  log.close();
});

test("a session in which nothing was said leaves no file; a resumed one stays", () => {
  const { store, cwd } = testSessions();
  const empty = store.create(cwd);
  empty.close();
  expect(existsSync(empty.path)).toBe(false);
  const said = store.create(cwd);
  said.append(user("hi"));
  said.close();
  store.resume(store.find(said.id), cwd).log.close();
  expect(existsSync(said.path)).toBe(true);
});

test("a line that a crash cut off is removed, and the log goes on behind the last whole one", () => {
  const { store, cwd } = testSessions();
  const log = store.create(cwd);
  log.append(user("one"));
  log.close();
  const whole = readFileSync(log.path, "utf8");
  // Cut in the middle of a character, too.
  appendFileSync(
    log.path,
    Buffer.from('{"at":"2026-01-01T00:00:00.000Z","type":"user","mess€').subarray(0, -1),
  );
  const resumed = SessionLog.resume(log.path, cwd);
  expect(resumed.content.entries.map(({ type }) => type)).toEqual(["opened", "user", "closed"]);
  resumed.log.append(user("two"));
  resumed.log.close();
  const text = readFileSync(log.path, "utf8");
  expect(text).toStartWith(whole);
  expect(readSession(log.path)).toMatchObject({ badLines: 0 });
  expect(readSession(log.path).entries.map(({ type }) => type)).toEqual([
    "opened",
    "user",
    "closed",
    "opened",
    "user",
    "closed",
  ]);
});

test("damaged lines in the middle are skipped and counted", () => {
  const { store, cwd } = testSessions();
  const log = store.create(cwd);
  log.append(user("one"));
  log.close();
  const at = "2026-01-01T00:00:00.000Z";
  const lines = ["\0\0\0", '{"type":"user"}', JSON.stringify({ type: "user", at, message: {} })];
  appendFileSync(log.path, `${lines.join("\n")}\n`);
  const later = SessionLog.resume(log.path, cwd);
  later.log.append(user("two"));
  later.log.close();
  expect(later.content.badLines).toBe(3);
  expect(readSession(log.path).entries.filter(({ type }) => type === "user")).toHaveLength(2);
});

test.each([
  { type: "user", message: { role: "user", content: [null] } },
  { type: "user", message: { role: "user", content: [{ type: "image", mediaType: "image/png" }] } },
  { type: "assistant", message: { role: "user", content: [{ type: "text", text: "x" }] } },
  { type: "assistant", message: { role: "assistant", content: [{ type: "reasoning" }] } },
  { type: "assistant", message: { role: "assistant", content: [{ type: "of a later omp", text: "x" }] } },
  { type: "tool_call", id: "1" },
  { type: "tool_result", id: "1", name: "ls", result: { output: "x", images: [{}] } },
  { type: "notice" },
  { type: "error", code: "X" },
])("a line that nothing could be made of is damaged: %j", (line) => {
  const { store, cwd } = testSessions();
  const log = store.create(cwd);
  log.append(user("one"));
  log.close();
  appendFileSync(log.path, `${JSON.stringify({ at: "2026-01-01T00:00:00.000Z", ...line })}\n`);
  const content = readSession(log.path);
  expect(content.badLines).toBe(1);
  expect(markdownOf(content)).toEndWith("## User\n\none\n");
});

test("a file that is no log is refused", () => {
  const { store, cwd } = testSessions();
  const log = store.create(cwd);
  log.append(user("one"));
  log.close();
  expect(() => readSession(import.meta.path)).toThrow(
    `session: ${import.meta.path} is not a session log (BAD_LOG)`,
  );
  expect(() => readSession("/nowhere/at-all.jsonl")).toThrow(
    "session: cannot read /nowhere/at-all.jsonl (ENOENT)",
  );
});
