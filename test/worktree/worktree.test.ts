/** The project's files over time: what a snapshot holds, and what bringing one back changes. */

import { describe, expect, test } from "bun:test";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Worktree } from "../../src/worktree/worktree.ts";
import { temporaryDirectory, temporaryPlace } from "../support/home.ts";
import { stateOf } from "../support/tree-state.ts";
import { never, openTree, storeOf } from "./trees.ts";

function git(cwd: string, ...args: readonly string[]): void {
  const identity = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main"];
  const { exitCode, stderr } = Bun.spawnSync(["git", ...identity, ...args], { cwd });
  if (exitCode !== 0) throw new Error(stderr.toString());
}

const name = (...bytes: readonly number[]) => Buffer.from(bytes);

test("contents, permissions, links, odd names, new and removed files come back, and the return can be undone", async () => {
  const { place, take, goTo } = openTree();
  const at = (path: string) => join(place.project, path);
  mkdirSync(at("src/deep"), { recursive: true });
  writeFileSync(at("plain.txt"), "one\n");
  writeFileSync(at("src/deep/crlf.txt"), "a\r\nb\r\n");
  writeFileSync(at("empty"), "");
  writeFileSync(at("run.sh"), "#!/bin/sh\n", { mode: 0o755 });
  writeFileSync(at("secret"), "s3cret", { mode: 0o600 });
  writeFileSync(at("locked"), "read only", { mode: 0o444 });
  writeFileSync(at("with\nnewline"), "n");
  writeFileSync(at('back\\slash "quote" ü'), "q");
  writeFileSync(at("git~1"), "not a repository");
  writeFileSync(Buffer.concat([Buffer.from(`${place.project}/`), name(0xff, 0xfe)]), "bytes");
  writeFileSync(at("Case"), "1");
  writeFileSync(at("case"), "2");
  symlinkSync("plain.txt", at("link"));
  symlinkSync("/etc/passwd", at("out"));
  symlinkSync("nowhere", at("broken"));
  const before = stateOf(place.project);
  const first = await take();

  appendFileSync(at("plain.txt"), "two\n");
  unlinkSync(at("secret"));
  unlinkSync(at("Case"));
  chmodSync(at("run.sh"), 0o644);
  chmodSync(at("empty"), 0o755);
  rmSync(at("src"), { recursive: true });
  writeFileSync(at("src"), "now a file");
  unlinkSync(at("link"));
  mkdirSync(at("link"));
  writeFileSync(at("link/inside"), "x");
  unlinkSync(at("out"));
  symlinkSync("elsewhere", at("out"));
  mkdirSync(at("new/dir"), { recursive: true });
  writeFileSync(at("new/dir/file"), "new");
  writeFileSync(Buffer.concat([Buffer.from(`${place.project}/`), name(0xff, 0xfe)]), "other bytes");
  chmodSync(at("locked"), 0o644);
  writeFileSync(at("locked"), "written");
  chmodSync(at("locked"), 0o444);
  const after = stateOf(place.project);
  const second = await take();

  expect(await goTo(first)).toEqual({ written: 10, removed: 3, left: [], failed: 0 });
  expect(stateOf(place.project)).toEqual(before);
  expect(existsSync(at("new"))).toBe(false);
  expect((await take()).tree).toBe(first.tree);
  expect(await goTo(second)).toMatchObject({ left: [] });
  expect(stateOf(place.project)).toEqual(after);
  expect(readdirSync(place.project).filter((each) => each.startsWith(".omp"))).toEqual([]);
});

test("empty directories are there again, or gone again, with the return and its undo", async () => {
  const { place, take, goTo, worktree } = openTree();
  const at = (path: string) => join(place.project, path);
  for (const path of ["out", "deep/er", "goes", "kept", "pkg/node_modules/x"])
    mkdirSync(at(path), { recursive: true });
  mkdirSync(Buffer.concat([Buffer.from(`${place.project}/`), name(0xff)]));
  writeFileSync(at("pkg/a"), "1");
  const before = stateOf(place.project);
  const first = await take();
  expect(await take()).toEqual(first);

  writeFileSync(at("out/file"), "filled");
  rmSync(at("goes"), { recursive: true });
  writeFileSync(at("goes"), "now a file");
  rmSync(at("deep"), { recursive: true });
  mkdirSync(at("new/one"), { recursive: true });
  mkdirSync(at("pkg/empty"));
  const after = stateOf(place.project);
  const second = await take();
  expect((await worktree.changes(second, first)).map(({ name, kind }) => `${kind} ${name}`)).toEqual([
    "removed goes",
    "removed out/file",
    "added deep/er/",
    "added goes/",
    "removed new/one/",
    "removed pkg/empty/",
  ]);
  expect(await goTo(first)).toEqual({ written: 2, removed: 4, left: [], failed: 0 });
  expect(stateOf(place.project)).toEqual(before);
  expect(await goTo(second)).toMatchObject({ left: [] });
  expect(stateOf(place.project)).toEqual(after);

  // Files alone in an otherwise new directory; one that is not empty any more stays.
  rmSync(at("pkg/empty"), { recursive: true });
  const third = await take();
  mkdirSync(at("later"));
  const fourth = await take();
  writeFileSync(at("later/.gitignore"), "*\n");
  expect(fourth.id).not.toBe(third.id);
  expect(await worktree.restore(fourth, third)).toMatchObject({ removed: 0, failed: 0 });
  expect(existsSync(at("later/.gitignore"))).toBe(true);
});

test("nothing is taken again while nothing has changed", async () => {
  const { place, take } = openTree();
  writeFileSync(join(place.project, "a"), "1");
  const first = await take();
  expect(await take()).toEqual(first);
  // The same size, and the same time of change as far as a program can set it.
  const { atime, mtime } = statSync(join(place.project, "a"));
  writeFileSync(join(place.project, "a"), "2");
  (await import("node:fs")).utimesSync(join(place.project, "a"), atime, mtime);
  expect((await take()).tree).not.toBe(first.tree);
});

test("what is not covered is named, and is neither removed nor written over", async () => {
  const { place, worktree, take, goTo } = openTree(temporaryPlace(), { maxFileBytes: 1_000 });
  const at = (path: string) => join(place.project, path);
  git(place.project, "init", "-q");
  mkdirSync(at("nested"));
  git(at("nested"), "init", "-q");
  writeFileSync(at("nested/own"), "x");
  mkdirSync(at("empty-nested"));
  git(at("empty-nested"), "init", "-q");
  writeFileSync(at("large"), "x".repeat(2_000));
  writeFileSync(at("grows"), "small");
  writeFileSync(at(".gitignore"), "*.log\nbuild/\n");
  writeFileSync(at("a.log"), "log");
  Bun.spawnSync(["mkfifo", at("pipe")]);
  const first = await take();
  expect(first.notCovered).toEqual([
    { path: "empty-nested/", why: "repository" },
    { path: "large", why: "large" },
    { path: "nested/", why: "repository" },
  ]);

  // The rules go, so that what they hid is seen; what was too large is small now, and the other way round.
  unlinkSync(at(".gitignore"));
  rmSync(at("nested/.git"), { recursive: true });
  writeFileSync(at("large"), "small now");
  writeFileSync(at("grows"), "y".repeat(2_000));
  const result = await goTo(first);
  expect([...result.left].sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
    { name: "a.log", why: "it was ignored then" },
    { name: "grows", why: "it is too large to be kept" },
    { name: "large", why: "it is too large to be kept" },
    { name: "nested/own", why: "it is in a repository of its own" },
  ]);
  expect(readFileSync(at("a.log"), "utf8")).toBe("log");
  expect(readFileSync(at("nested/own"), "utf8")).toBe("x");
  expect(readFileSync(at("large"), "utf8")).toBe("small now");
  expect(readFileSync(at(".gitignore"), "utf8")).toBe("*.log\nbuild/\n");
  expect(statSync(at("pipe")).isFIFO()).toBe(true);
  await worktree.close();
});

test("a directory that has become a link out of the project is not followed", async () => {
  const outside = temporaryDirectory();
  const { place, take, goTo } = openTree();
  const at = (path: string) => join(place.project, path);
  mkdirSync(at("dir"));
  writeFileSync(at("dir/file"), "mine");
  writeFileSync(join(outside, "file"), "theirs");
  const first = await take();
  rmSync(at("dir"), { recursive: true });
  symlinkSync(outside, at("dir"));
  const second = await take();
  expect(await goTo(first)).toMatchObject({ left: [] });
  expect(readFileSync(at("dir/file"), "utf8")).toBe("mine");
  // An ignored link is not known to git: it stays, and what belongs behind it is not written.
  expect(await goTo(second)).toMatchObject({ left: [] });
  writeFileSync(at(".gitignore"), "/dir\n");
  expect((await goTo(first)).left).toEqual([{ name: "dir/file", why: "dir is in the way" }]);
  expect(readFileSync(join(outside, "file"), "utf8")).toBe("theirs");
});

describe("the project's own repository", () => {
  test("is neither obeyed nor touched, and its ignore rules count", async () => {
    const place = temporaryPlace();
    const at = (path: string) => join(place.project, path);
    const evil = `touch ${join(place.home, "ran")}; cat`;
    git(place.project, "init", "-q");
    mkdirSync(join(place.home, ".config/git"), { recursive: true });
    writeFileSync(join(place.home, ".config/git/ignore"), "*.swp\n");
    writeFileSync(
      join(place.home, ".gitconfig"),
      `[filter "evil"]\n\tclean = ${evil}\n\tsmudge = ${evil}\n[core]\n\tautocrlf = true\n`,
    );
    writeFileSync(at(".git/info/exclude"), "mine.txt\n");
    writeFileSync(at(".gitignore"), "*.tmp\n");
    for (const [key, value] of [
      ["core.fsmonitor", evil],
      ["core.hooksPath", at("hooks")],
      ["filter.evil.clean", evil],
      ["filter.evil.smudge", evil],
      ["diff.evil.textconv", evil],
      ["diff.evil.command", evil],
    ])
      git(place.project, "config", key ?? "", value ?? "");
    mkdirSync(at("hooks"));
    for (const hook of ["post-index-change", "post-checkout", "pre-commit"])
      writeFileSync(at(`hooks/${hook}`), `#!/bin/sh\n${evil}\n`, { mode: 0o755 });
    for (const file of ["a.txt", "mine.txt", "b.swp", "c.tmp"]) writeFileSync(at(file), "x $Id$\r\ny\n");
    git(place.project, "-c", "core.fsmonitor=false", "-c", "filter.evil.clean=cat", "add", "-f", "c.tmp");
    writeFileSync(
      at(".gitattributes"),
      "* filter=evil diff=evil text=auto eol=crlf ident working-tree-encoding=UTF-16\n",
    );
    rmSync(join(place.home, "ran"), { force: true });
    const repository = stateOf(at(".git"));

    const { take, goTo, worktree } = openTree(place);
    const first = await take();
    for (const file of ["a.txt", "mine.txt", "b.swp", "c.tmp"]) writeFileSync(at(file), "changed");
    const second = await take();
    const changed = await worktree.changes(first, second);
    expect(changed.map(({ name }) => name)).toEqual(["a.txt", "c.tmp"]);
    expect(await worktree.patch(second, first)).toContain("+x $Id$\r\n+y\n");
    expect(await goTo(first)).toEqual({ written: 2, removed: 0, left: [], failed: 0 });
    expect(readFileSync(at("a.txt"), "utf8")).toBe("x $Id$\r\ny\n");
    expect(readFileSync(at("mine.txt"), "utf8")).toBe("changed");
    expect(stateOf(at(".git"))).toEqual(repository);
    expect(existsSync(join(place.home, "ran"))).toBe(false);
  });

  test("counts above the project, too, and in a worktree", async () => {
    const place = temporaryPlace();
    const repository = join(place.project, "repository");
    mkdirSync(join(repository, "sub/inner"), { recursive: true });
    git(repository, "init", "-q");
    writeFileSync(join(repository, ".gitignore"), "*.o\n");
    writeFileSync(join(repository, "outer"), "1");
    writeFileSync(join(repository, "sub/a.c"), "1");
    writeFileSync(join(repository, "sub/inner/a.o"), "1");
    git(repository, "add", "-A");
    git(repository, "commit", "-qm", "x");
    const { take, goTo, worktree } = openTree(place, { root: join(repository, "sub") });
    const first = await take();
    for (const file of ["outer", "sub/a.c", "sub/inner/a.o"]) writeFileSync(join(repository, file), "2");
    const changed = await worktree.changes(await take(), first);
    expect(changed).toEqual([{ path: "sub/a.c", name: "a.c", kind: "changed", added: 1, removed: 1 }]);
    expect(await worktree.patch(await take(), first)).toContain("+++ b/a.c\n");
    await goTo(first);
    const texts = ["outer", "sub/a.c", "sub/inner/a.o"].map((file) =>
      readFileSync(join(repository, file), "utf8"),
    );
    expect(texts).toEqual(["2", "1", "2"]);

    git(repository, "worktree", "add", "-q", join(place.project, "second"));
    writeFileSync(join(repository, ".git/info/exclude"), "*.x\n");
    const second = openTree(place, { root: join(place.project, "second") });
    writeFileSync(join(place.project, "second/a.x"), "1");
    const there = await second.take();
    writeFileSync(join(place.project, "second/outer"), "3");
    expect((await second.worktree.changes(there, await second.take())).map((each) => each.name)).toEqual([
      "outer",
    ]);
  });
});

test("without a repository, what nobody wants back is left out", async () => {
  const { place, worktree, take } = openTree();
  mkdirSync(join(place.project, "node_modules/x"), { recursive: true });
  writeFileSync(join(place.project, "node_modules/x/index.js"), "1");
  const first = await take();
  writeFileSync(join(place.project, "node_modules/x/index.js"), "2");
  writeFileSync(join(place.project, "a"), "2");
  expect((await worktree.changes(first, await take())).map(({ name }) => name)).toEqual(["a"]);
});

test("a home, what contains it, a bare repository and a machine without git have no snapshots", () => {
  const place = temporaryPlace();
  const bare = temporaryDirectory();
  git(bare, "init", "-q", "--bare");
  const open = (root: string, env = { PATH: process.env["PATH"] }) => {
    const options = { waitMs: 1, firstLookMs: 1, maxFileBytes: 1, maxAgeMs: 1, maxTotalBytes: 1 };
    const opened = Worktree.open({ root, home: place.home, store: storeOf(place), env, limits: options });
    return "off" in opened ? opened.off : "on";
  };
  expect([open(place.home), open("/"), open(bare), open(place.project, { PATH: "/nowhere" })]).toEqual([
    "the project is the home directory, or contains it",
    "the project is the home directory, or contains it",
    "the project is a bare repository",
    "git is not installed",
  ]);
  expect(existsSync(storeOf(place))).toBe(false);
});

test("a git that belongs to the project is not used", () => {
  const place = temporaryPlace();
  mkdirSync(join(place.project, "bin"));
  writeFileSync(join(place.project, "bin/git"), "#!/bin/sh\n", { mode: 0o755 });
  const limits = { waitMs: 1, firstLookMs: 1, maxFileBytes: 1, maxAgeMs: 1, maxTotalBytes: 1 };
  const env = { PATH: join(place.project, "bin") };
  expect(
    Worktree.open({ root: place.project, home: place.home, store: storeOf(place), env, limits }),
  ).toEqual({
    off: "git is not installed",
  });
});

test("what takes too long is skipped, and goes on in the background", async () => {
  const { place, worktree } = openTree(temporaryPlace(), { waitMs: 0 });
  writeFileSync(join(place.project, "a"), "1");
  const reason = "reading the project's files takes longer than 0 s";
  expect(await worktree.take(never)).toEqual({ kind: "skipped", reason, isOff: false });
  expect(await worktree.take(never)).toEqual({ kind: "skipped", reason, isOff: false });
  await worktree.close();
});

test("a project that cannot be read in time has no snapshots in this session", async () => {
  const { place, worktree } = openTree(temporaryPlace(), { firstLookMs: 1 });
  writeFileSync(join(place.project, "a"), "1");
  const reason = "the project's files cannot be read in 0.001 s";
  expect(await worktree.take(never)).toEqual({ kind: "skipped", reason, isOff: true });
  expect(await worktree.take(never)).toEqual({ kind: "skipped", reason, isOff: true });
  await worktree.close();
});

test("two sessions in one project have their own lists of files, and share what they have kept", async () => {
  const place = temporaryPlace();
  const [one, two] = [openTree(place), openTree(place)];
  writeFileSync(join(place.project, "a"), "1");
  const first = await one.take();
  writeFileSync(join(place.project, "a"), "2");
  const [second, third] = await Promise.all([one.take(), two.take()]);
  expect(second.tree).toBe(third.tree);
  await two.goTo(first);
  expect(readFileSync(join(place.project, "a"), "utf8")).toBe("1");
  await Promise.all([one.worktree.close(), two.worktree.close()]);
  const three = openTree(place);
  expect((await three.take()).tree).toBe(first.tree);
  expect(three.worktree.get(second.id).root).toBe(three.worktree.root);
});

test("the snapshots are private, and a damaged list of files is made again", async () => {
  const { place, worktree, take } = openTree();
  writeFileSync(join(place.project, "a"), "1");
  const first = await take();
  const [directory = ""] = readdirSync(storeOf(place));
  expect(statSync(join(storeOf(place), directory)).mode & 0o777).toBe(0o700);
  const kept = readdirSync(storeOf(place), { recursive: true, encoding: "utf8" });
  expect(kept.filter((path) => statSync(join(storeOf(place), path)).mode & 0o077)).toEqual([]);
  await worktree.close();
  const repository = join(storeOf(place), directory, "git");
  writeFileSync(join(repository, "index"), "damaged");
  const again = openTree(place);
  expect((await again.take()).tree).toBe(first.tree);
  await again.worktree.close();
  // Contents are gone, and the list still names them.
  renameSync(join(repository, "objects"), join(repository, "gone"));
  mkdirSync(join(repository, "objects"));
  const anew = openTree(place);
  expect((await anew.take()).tree).toBe(first.tree);
});

test("a project or kept snapshots that are gone meanwhile are said, and nothing is thrown", async () => {
  const { place, worktree, take } = openTree();
  await take();
  renameSync(place.project, `${place.project}-moved`);
  const reason = "the project's files cannot be kept (ENOENT)";
  const gone = { kind: "skipped", reason, isOff: false } as const;
  expect(await worktree.take(never)).toEqual(gone);
  renameSync(`${place.project}-moved`, place.project);
  const [directory = ""] = readdirSync(storeOf(place));
  rmSync(join(storeOf(place), directory, "snapshots"), { recursive: true });
  writeFileSync(join(place.project, "new"), "");
  expect(await worktree.take(never)).toEqual(gone);
  await worktree.close();
});

test("a directory that cannot be written is said, and the rest comes back", async () => {
  if (process.getuid?.() === 0) return;
  const { place, take, goTo } = openTree();
  mkdirSync(join(place.project, "closed"));
  writeFileSync(join(place.project, "closed/file"), "1");
  writeFileSync(join(place.project, "open"), "1");
  const first = await take();
  for (const file of ["closed/file", "open"]) writeFileSync(join(place.project, file), "2");
  chmodSync(join(place.project, "closed"), 0o555);
  expect(await goTo(first)).toEqual({
    written: 1,
    removed: 0,
    left: [{ name: "closed/file", why: "the system refused (EACCES)" }],
    failed: 1,
  });
  expect(readFileSync(join(place.project, "open"), "utf8")).toBe("1");
});
