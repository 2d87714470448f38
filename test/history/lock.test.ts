import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import { SessionLog } from "../../src/history/log.ts";
import { testSessions, user } from "./sessions.ts";

const running: Bun.Subprocess[] = [];
afterEach(async () => {
  for (const child of running.splice(0)) {
    child.kill("SIGKILL");
    await child.exited;
  }
});

function starter(path: string) {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "fixtures/starter.ts"), path], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  running.push(child);
  const reader = child.stdout.pipeThrough(new TextDecoderStream() as never).getReader();
  const line = async () => String((await reader.read()).value).trim();
  const go = () => {
    child.stdin.write("\n");
    child.stdin.flush();
  };
  return { child, line, go };
}

function session() {
  const { store, cwd } = testSessions();
  const log = store.create(cwd);
  log.append(user("one"));
  log.close();
  return { store, cwd, ...log, id: log.id, path: log.path };
}

test("a second omp is refused with the first one's pid, and let in when the first is killed", async () => {
  const { id, path, cwd, store } = session();
  const { child, line, go } = starter(path);
  await line();
  go();
  expect(await line()).toBe("opened");
  const refusal = `session: session ${id} is open in another omp (pid ${child.pid}); close it there, or continue in a copy: omp --fork ${id} (IN_USE)`;
  expect(() => SessionLog.resume(path, cwd)).toThrow(refusal);
  expect(() => store.remove(store.find(id))).toThrow(refusal);
  child.kill("SIGKILL");
  await child.exited;
  SessionLog.resume(path, cwd).log.close();
});

test("of many who start at the same time exactly one gets the session, and the others learn its pid", async () => {
  const { id, path } = session();
  const starters = Array.from({ length: 6 }, () => starter(path));
  for (const { line } of starters) expect(await line()).toBe("ready");
  for (const { go } of starters) go();
  const answers = await Promise.all(starters.map(({ line }) => line()));
  const winner = starters[answers.indexOf("opened")];
  const refusal = `session: session ${id} is open in another omp (pid ${winner?.child.pid}); close it there, or continue in a copy: omp --fork ${id} (IN_USE)`;
  expect(answers.sort()).toEqual(["opened", ...Array(5).fill(refusal)]);
});

test("two in one process are two as well", () => {
  const { path, cwd, id } = session();
  const { log } = SessionLog.resume(path, cwd);
  expect(() => SessionLog.resume(path, cwd)).toThrow(`(pid ${process.pid})`);
  log.close();
  const again = SessionLog.resume(path, cwd);
  expect(again.log.id).toBe(id);
  again.log.close();
});
