/** What the system does not allow. Root may do everything, so that under root these tests act as somebody else. */

import { beforeEach, expect, test } from "bun:test";
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { type FilePlace, filePlace } from "./file-place.ts";

const nobody = 65_534;
const isRoot = process.getuid?.() === 0;

let place: FilePlace;
beforeEach(() => {
  place = filePlace();
  chmodSync(dirname(place.project), 0o755);
  giveAway(place.project);
});

function giveAway(path: string): string {
  if (isRoot) chownSync(path, nobody, nobody);
  return path;
}

async function asOrdinaryUser<T>(act: () => Promise<T>): Promise<T> {
  if (!isRoot) return act();
  process.seteuid?.(nobody);
  try {
    return await act();
  } finally {
    process.seteuid?.(0);
  }
}

const output = (name: string, input: unknown) => asOrdinaryUser(() => place.output(name, input));

test("a file that may not be read is told", async () => {
  chmodSync(giveAway(place.put("secret", "x")), 0o000);
  expect(await output("read", { path: "secret" })).toBe(
    "read: 'secret' cannot be read: permission denied (EACCES)",
  );
});

test("a directory that may not be listed is told", async () => {
  mkdirSync(join(place.project, "locked"), { mode: 0o000 });
  expect(await output("ls", { path: "locked" })).toBe(
    "ls: 'locked' cannot be listed: permission denied (EACCES)",
  );
  chmodSync(join(place.project, "locked"), 0o700);
});

test("a search that finds nothing says what could not be searched, and is no error", async () => {
  chmodSync(giveAway(place.put("locked", "x\n")), 0o000);
  const { isError, output: text } = await asOrdinaryUser(() => place.run("grep", { pattern: "foo" }));
  expect(text).toBe(
    "No matches for 'foo' in . (ignored and hidden files are not searched)\n[not searched: locked: Permission denied (os error 13)]",
  );
  expect(isError).toBe(false);
  expect(await output("grep", { pattern: "foo", path: "locked" })).toBe(
    "grep: ./locked: Permission denied (os error 13) (SEARCH_FAILED)",
  );
});

test("a read-only file is not replaced, though its directory would allow it", async () => {
  chmodSync(giveAway(place.put("locked", "x")), 0o444);
  await output("read", { path: "locked" });
  const line = "'locked' cannot be written: permission denied (EACCES)";
  expect(await output("write", { path: "locked", content: "y" })).toBe(`write: ${line}`);
  const edits = [{ old_text: "x", new_text: "y" }];
  expect(await output("edit", { path: "locked", edits })).toBe(`edit: ${line}`);
  expect(place.text("locked")).toBe("x");
  expect(readdirSync(place.project)).toEqual(["locked"]);
});

test("a directory that takes no new file is told", async () => {
  mkdirSync(join(place.project, "fixed"));
  giveAway(join(place.project, "fixed"));
  chmodSync(join(place.project, "fixed"), 0o555);
  const line = "write: 'fixed/new' cannot be written: permission denied (EACCES)";
  expect(await output("write", { path: "fixed/new", content: "y" })).toBe(line);
  expect(await output("write", { path: "fixed/a/b", content: "y" })).toBe(
    "write: 'fixed/a/b' cannot be written: permission denied (EACCES)",
  );
});

test("a writable file in such a directory is written in place", async () => {
  const path = giveAway(place.put("fixed/file", "long old content"));
  chmodSync(path, 0o640);
  chmodSync(giveAway(join(place.project, "fixed")), 0o555);
  const before = statSync(path).ino;
  await output("read", { path: "fixed/file" });
  expect(await output("write", { path: "fixed/file", content: "new" })).toBe(
    "Overwrote fixed/file: 1 line, 3 bytes",
  );
  expect(readFileSync(path, "utf8")).toBe("new");
  expect([statSync(path).ino, statSync(path).mode & 0o777]).toEqual([before, 0o640]);
  expect(readdirSync(join(place.project, "fixed"))).toEqual(["file"]);
});

test("a file that belongs to somebody else still does after a write", async () => {
  const path = giveAway(place.put("theirs", "x"));
  const { uid, gid } = statSync(path);
  await place.run("read", { path: "theirs" });
  expect((await place.run("write", { path: "theirs", content: "y" })).isError).toBe(false);
  expect([statSync(path).uid, statSync(path).gid]).toEqual([uid, gid]);
});

test("an owner that cannot be kept is told", async () => {
  const path = place.put("theirs", "x");
  chmodSync(path, 0o666);
  const { output: text, details } = await asOrdinaryUser(() =>
    place.run("edit", { path: "theirs", edits: [{ old_text: "x", new_text: "y" }] }),
  );
  const lost = isRoot ? "\n[not kept: owner 0]" : "";
  expect(text).toBe(`Edited theirs: 1 replacement at line 1 (+1 -1)${lost}`);
  expect(details["notKept"]).toEqual(isRoot ? ["owner 0"] : undefined);
});
