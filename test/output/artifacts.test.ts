import { expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { ArtifactStore, type ArtifactStoreOptions } from "../../src/output/artifacts.ts";
import { temporaryDirectory } from "../support/home.ts";

const day = 86_400_000;

function openStore(options: Partial<ArtifactStoreOptions> = {}) {
  const directory = join(temporaryDirectory(), "agent", "artifacts");
  return new ArtifactStore({ directory, maxTotalBytes: 1e6, maxAgeMs: 14 * day, ...options });
}

/** An artifact as an earlier process left it. */
function leave(store: ArtifactStore, name: string, { bytes, days }: { bytes: number; days: number }): void {
  mkdirSync(store.directory, { recursive: true });
  const path = join(store.directory, name);
  writeFileSync(path, "x".repeat(bytes));
  const time = new Date(Date.now() - days * day);
  utimesSync(path, time, time);
}

const names = (store: ArtifactStore) => readdirSync(store.directory).sort();

test("nothing is on disk before the first artifact, which is private from the start", () => {
  const store = openStore();
  expect(existsSync(store.directory)).toBe(false);
  const writer = store.create();
  expect({
    id: writer.id.match(/^[a-z0-9]{14}$/)?.[0],
    path: writer.path,
    file: statSync(writer.path).mode & 0o777,
    directory: statSync(store.directory).mode & 0o777,
  }).toEqual({
    id: writer.id,
    path: join(store.directory, `${writer.id}.log`),
    file: 0o600,
    directory: 0o700,
  });
  writer.write(Buffer.from("abc"));
  expect(readFileSync(writer.path, "utf8")).toBe("abc");
  writer.close();
  writer.close();
  writer.write(Buffer.from("late"));
  expect(readFileSync(writer.path, "utf8")).toBe("abc");
  expect(names(store)).toEqual([`${writer.id}.log`]);
});

test("an artifact is found by id or address, and nothing outside of the directory is", () => {
  const store = openStore();
  const { id, path } = store.create();
  writeFileSync(join(store.directory, "..", "secret.log"), "");
  symlinkSync(join(store.directory, "..", "secret.log"), join(store.directory, "link.log"));
  mkdirSync(join(store.directory, "folder.log"));
  expect([id, `artifact://${id}`].map((reference) => store.find(reference))).toEqual([path, path]);
  for (const reference of [
    "../secret",
    "artifact://../secret",
    "link",
    "folder",
    "",
    "artifact://",
    "a/b",
    "unknown",
    `${id}.log`,
    `${id}\0`,
  ]) {
    expect({ reference, path: store.find(reference) }).toEqual({ reference, path: undefined });
  }
});

test("the newest that is being written is known by when it was begun", () => {
  const store = openStore();
  expect(store.newestOpen(0)).toBeUndefined();
  const [first, second] = [store.create(), store.create()];
  expect(store.newestOpen(0)).toBe(second.id);
  second.close();
  expect(store.newestOpen(0)).toBe(first.id);
  expect(store.newestOpen(Date.now() + 1_000)).toBeUndefined();
  first.close();
  expect(store.newestOpen(0)).toBeUndefined();
});

test("clean-up takes what is too old, and only what is the store's", () => {
  const store = openStore();
  leave(store, "old.log", { bytes: 10, days: 15 });
  leave(store, "young.log", { bytes: 10, days: 13 });
  leave(store, "notes.txt", { bytes: 10, days: 99 });
  leave(store, "OTHER.log", { bytes: 10, days: 99 });
  expect(store.cleanUp()).toEqual({ removed: 1, freedBytes: 10, problems: [] });
  expect(names(store)).toEqual(["OTHER.log", "notes.txt", "young.log"]);
});

test("clean-up takes the oldest until the rest is under the cap", () => {
  const store = openStore({ maxTotalBytes: 250 });
  for (const [at, days] of [4, 2, 3, 1].entries()) leave(store, `a${at}.log`, { bytes: 100, days });
  expect(store.cleanUp()).toEqual({ removed: 2, freedBytes: 200, problems: [] });
  expect(names(store)).toEqual(["a1.log", "a3.log"]);
});

test("clean-up leaves what is being written: by this store, by another process, or just now", () => {
  const store = openStore({ maxTotalBytes: 10 });
  const mine = store.create();
  mine.write(Buffer.from("0123456789"));
  utimesSync(mine.path, 0, 0);
  leave(store, "theirs.log", { bytes: 100, days: 20 });
  writeFileSync(join(store.directory, "theirs.pid"), String(process.ppid));
  leave(store, "crashed.log", { bytes: 100, days: 20 });
  leave(store, "recent.log", { bytes: 100, days: 0 });
  const gone = Bun.spawnSync(["true"]).pid;
  writeFileSync(join(store.directory, "crashed.pid"), String(gone));
  utimesSync(join(store.directory, "crashed.pid"), 0, 0);
  expect(store.cleanUp()).toEqual({ removed: 1, freedBytes: 100, problems: [] });
  expect(names(store)).toEqual(
    [`${mine.id}.log`, `${mine.id}.pid`, "recent.log", "theirs.log", "theirs.pid"].sort(),
  );
  mine.close();
});

test("a store that was never used has nothing to clean; one that cannot be read says so", () => {
  const store = openStore();
  expect(store.cleanUp()).toEqual({ removed: 0, freedBytes: 0, problems: [] });
  mkdirSync(join(store.directory, ".."), { recursive: true });
  writeFileSync(store.directory, "a file");
  expect(store.cleanUp()).toEqual({ removed: 0, freedBytes: 0, problems: ["ENOTDIR"] });
});

test("a session that writes on and on stays under the cap without being told to clean up", () => {
  const store = openStore({ maxTotalBytes: 1000 });
  const ids: string[] = [];
  for (let count = 0; count < 30; count++) {
    const writer = store.create();
    writer.write(Buffer.alloc(100));
    // Older than what counts as just written, the first one oldest.
    const time = new Date(Date.now() - (60 - count) * 3_600_000);
    utimesSync(writer.path, time, time);
    writer.close();
    ids.push(`${writer.id}.log`);
  }
  const left = names(store);
  expect(left.length).toBeLessThanOrEqual(12);
  expect(left).toEqual(ids.slice(-left.length).sort());
});

test("a full disk costs the artifact, and its half is not left behind", () => {
  const store = openStore();
  mkdirSync(store.directory, { recursive: true });
  // A program that may write no file larger than 64 KB stands for the disk: the system refuses in the middle of a write.
  const child = Bun.spawnSync([
    "sh",
    "-c",
    `trap '' XFSZ; ulimit -f 64; exec "$0" "$@"`,
    process.execPath,
    join(import.meta.dir, "fixtures/full-disk.ts"),
    store.directory,
  ]);
  expect(JSON.parse(child.stdout.toString())).toEqual({
    text: `${"x".repeat(99)}\n`.repeat(10),
    notice:
      "[output cut: showing the last 10 of 10,000 lines, 1,000 characters of 1,000,000 bytes]\nartifact: the full output could not be kept (EFBIG)",
    truncated: true,
    totalBytes: 1_000_000,
    totalLines: 10_000,
    artifactProblem: { kind: "given-up", code: "EFBIG" },
    binary: false,
  });
  expect(names(store)).toEqual([]);
});

test("a directory that others could read is not opened wider or changed", () => {
  const store = openStore();
  mkdirSync(store.directory, { recursive: true });
  chmodSync(store.directory, 0o750);
  store.create().close();
  expect(statSync(store.directory).mode & 0o777).toBe(0o750);
});
