import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readSession } from "../../src/history/read.ts";
import type { SessionStore } from "../../src/history/store.ts";
import { assistant, testSessions, user } from "./sessions.ts";

function said(store: SessionStore, cwd: string, text: string, changedAtS?: number): string {
  const log = store.create(cwd);
  log.append(user(text));
  log.close();
  if (changedAtS !== undefined) utimesSync(log.path, changedAtS, changedAtS);
  return log.id;
}

test("the list has the one that was worked on last first, with its first words", () => {
  const { store, cwd } = testSessions();
  expect(store.list()).toEqual([]);
  const second = said(store, cwd, 'a quoted "word",\n\ta tab, a \\ and an €', 2000);
  const first = said(store, cwd, `${"long ".repeat(10_000)}`, 3000);
  const third = said(store, "/elsewhere", "other", 1000);
  const list = store.list();
  expect(list.map(({ id, cwd: where, title }) => [id, where, title])).toEqual([
    [first, cwd, `${"long ".repeat(16).slice(0, 79)}…`],
    [second, cwd, 'a quoted "word", a tab, a \\ and an €'],
    [third, "/elsewhere", "other"],
  ]);
  expect(list[1]).toMatchObject({ changedAt: new Date(2_000_000).toISOString() });
  expect(store.newest(cwd)?.id).toBe(first);
  expect(store.newest("/nowhere")).toBeUndefined();
});

test("the first words are the first prompt's, not those of something that the user ran", () => {
  const { store, cwd } = testSessions();
  const log = store.create(cwd);
  log.append(user('<user_ran tool="bash">', { kind: "ran", tool: "bash", code: "ls" }));
  log.append(user("fix the build"));
  log.close();
  expect(store.list().map(({ title }) => title)).toEqual(["fix the build"]);
});

test("what is no log does not disturb the list", () => {
  const { store, cwd, directory } = testSessions();
  const id = said(store, cwd, "one");
  writeFileSync(join(directory, "2026-01-01T00-00-00-000Z-broken.jsonl"), '{"type":"session"');
  writeFileSync(join(directory, "2026-01-01T00-00-00-000Z-empty.jsonl"), "");
  writeFileSync(join(directory, "notes.txt"), "hello");
  mkdirSync(join(directory, "folder"));
  mkdirSync(join(directory, "2026-01-01T00-00-00-000Z-folder.jsonl"));
  symlinkSync("loop.jsonl", join(directory, "loop.jsonl"));
  expect(Bun.spawnSync(["mkfifo", join(directory, "pipe.jsonl")]).exitCode).toBe(0);
  expect(store.list().map((session) => session.id)).toEqual([id]);
});

test("a session is found by its id or the beginning of it", () => {
  const { store, cwd } = testSessions();
  const ids = Array.from({ length: 40 }, (_, index) => said(store, cwd, `prompt ${index}`));
  const [id = ""] = ids;
  expect(store.find(id).title).toBe("prompt 0");
  expect(store.find(id.slice(0, 13)).id).toBe(id);
  expect(() => store.find("nothing")).toThrow(
    "session: no session 'nothing'; see: omp sessions list (ENOENT)",
  );
  // Of 40 ids some begin with the same one of 16 digits.
  const [digit = "", same = []] = Object.entries(Object.groupBy(ids, ([first]) => first ?? "")).find(
    ([, group]) => (group ?? []).length > 1,
  ) ?? [""];
  expect(() => store.find(digit)).toThrow(
    `session: '${digit}' matches ${same.length} sessions; see: omp sessions list (AMBIGUOUS)`,
  );
});

test("an empty id is no session, also where there is only one", () => {
  const { store, cwd } = testSessions();
  said(store, cwd, "the only one");
  expect(() => store.find("")).toThrow("session: no session ''; see: omp sessions list (ENOENT)");
});

test("a fork is a copy of its own: the original stays as it is", () => {
  const { store, cwd } = testSessions();
  const original = store.create(cwd);
  original.append(user("one"));
  // It may even be in use.
  const { log, content } = store.fork(store.find(original.id), "/other");
  log.append(assistant("in the copy"));
  log.close();
  original.close();
  expect(content.entries.map(({ type }) => type)).toEqual(["opened", "user"]);
  expect(readSession(original.path).entries.map(({ type }) => type)).toEqual(["opened", "user", "closed"]);
  const copy = readSession(log.path);
  expect(copy.header).toMatchObject({ parent: original.id, cwd: "/other" });
  expect(copy.entries.map(({ type }) => type)).toEqual(["opened", "user", "assistant", "closed"]);
  expect(store.find(log.id)).toMatchObject({ parent: original.id, title: "one" });
});

test("a session that is removed is gone", () => {
  const { store, cwd } = testSessions();
  const id = said(store, cwd, "one");
  store.remove(store.find(id));
  expect(store.list()).toEqual([]);
});
