import { expect, test } from "bun:test";
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { SessionStore } from "../../src/history/store.ts";
import { temporaryDirectory } from "../support/home.ts";

/** A directory `sessions` with two of ours, and what oh-my-pi keeps there. */
function earlierPlace() {
  const root = temporaryDirectory();
  const places = { sessions: join(root, "omp-sessions"), earlierSessions: join(root, "sessions") };
  const before = new SessionStore({ sessions: places.earlierSessions });
  const ids = [1, 2].map((day) => {
    const log = before.create("/work");
    log.append({
      type: "user",
      message: { role: "user", content: [{ type: "text", text: `day ${day}` }], origin: { kind: "typed" } },
    });
    log.close();
    utimesSync(log.path, day * 86_400, day * 86_400);
    return log.id;
  });
  const theirs =
    '{"type":"session","version":3,"id":"x","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/work"}\n';
  mkdirSync(join(places.earlierSessions, "--work--"));
  writeFileSync(join(places.earlierSessions, "--work--", "2026_x.jsonl"), theirs);
  writeFileSync(
    join(places.earlierSessions, `2026-01-01T00-00-00-000Z-${crypto.randomUUID()}.jsonl`),
    theirs,
  );
  return { places, ids: ids.reverse() };
}

function contentOf(directory: string): Record<string, string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((each) =>
    each.isFile(),
  );
  return Object.fromEntries(
    files
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort()
      .map((path) => [
        path.slice(directory.length),
        `${statSync(path).mtimeMs} ${readFileSync(path, "utf8")}`,
      ]),
  );
}

const idsIn = (store: SessionStore) => store.list().map(({ id }) => id);

test("earlier sessions are copied, newest first as they were, and what was there stays as it is", () => {
  const { places, ids } = earlierPlace();
  const before = contentOf(places.earlierSessions);
  const store = new SessionStore(places);
  expect(idsIn(store)).toEqual(ids);
  const [newest = ""] = ids;
  const { log } = store.resume(store.find(newest), "/work");
  log.close();
  store.remove(store.find(newest));
  expect(idsIn(new SessionStore(places))).toEqual(ids.slice(1));
  expect(contentOf(places.earlierSessions)).toEqual(before);
  expect(statSync(places.sessions).mode & 0o777).toBe(0o700);
});

test("a new session copies nothing", () => {
  const { places } = earlierPlace();
  const log = new SessionStore(places).create("/work");
  log.close();
  expect(readdirSync(places.sessions)).toEqual([]);
});

test("a copy that was cut off is continued, and does not touch what is there already", () => {
  const { places, ids } = earlierPlace();
  mkdirSync(places.sessions);
  const [name = ""] = readdirSync(places.earlierSessions).filter((each) => each.includes(ids[0] ?? ""));
  const copied = join(places.sessions, name);
  copyFileSync(join(places.earlierSessions, name), copied);
  const continued = `${readFileSync(copied, "utf8")}{"type":"closed","pid":1,"at":"2026-01-01T00:00:00.000Z"}\n`;
  writeFileSync(copied, continued);
  writeFileSync(`${copied}.0.tmp`, '{"type":"sess');
  expect(idsIn(new SessionStore(places)).sort()).toEqual([...ids].sort());
  expect(readFileSync(copied, "utf8")).toBe(continued);
});

test("without oh-my-pi and without earlier sessions nothing is made", () => {
  const root = temporaryDirectory();
  const store = new SessionStore({ sessions: join(root, "a"), earlierSessions: join(root, "b") });
  expect(store.list()).toEqual([]);
  expect(readdirSync(root)).toEqual([]);
});

test("where nothing can be written, earlier sessions can be read but not changed", () => {
  const { places, ids } = earlierPlace();
  const [newest = ""] = ids;
  // Nobody can make a directory there, not even root.
  const locked = { ...places, sessions: "/proc/omp-sessions" };
  const reading = new SessionStore(locked);
  expect(idsIn(reading)).toEqual(ids);
  const session = reading.find(newest);
  const problem = `session: session ${newest} cannot be copied to ${locked.sessions}, where omp could change it; free some space there, or make it writable (NOT_COPIED)`;
  expect(() => reading.resume(session, "/work")).toThrow(problem);
  expect(() => reading.remove(session)).toThrow(problem);
});
