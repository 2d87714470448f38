import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isKnownSafe } from "../../../src/shell/safety/known-safe.ts";
import { temporaryDirectory } from "../../support/home.ts";

/** A repository in `project`, which git itself has made. */
function repository() {
  const root = temporaryDirectory();
  const project = join(root, "project");
  const git = (...args: readonly string[]) => {
    const identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
    const { exitCode, stderr } = Bun.spawnSync(["git", ...identity, ...args], { cwd: root });
    expect([exitCode, exitCode === 0 ? "" : stderr.toString()]).toEqual([0, ""]);
  };
  git("init", "-q", "project");
  writeFileSync(join(project, "a.txt"), "a");
  mkdirSync(join(project, "sub"));
  git("-C", "project", "add", ".");
  git("-C", "project", "commit", "-q", "-m", "a");
  const isSafe = (command: string, cwd = project) => isKnownSafe(command, { home: root, cwd });
  return { root, project, git, isSafe };
}

const reads = [
  "git status",
  "git diff",
  "git log -p",
  "git show",
  "git -C sub status",
  "cd sub && git status",
  "(cd .. && git -C project log)",
];

test("what git makes itself is read without a question, also from other worktrees and where nothing is", () => {
  const { root, git, isSafe } = repository();
  git("-C", "project", "remote", "add", "origin", "https://example.org/x.git");
  git("-C", "project", "config", "branch.main.remote", "origin");
  git("-C", "project", "worktree", "add", "-q", "../other");
  for (const command of reads) expect([command, isSafe(command)]).toEqual([command, true]);
  expect(isSafe("git status", join(root, "other"))).toBe(true);
  expect(isSafe("git status", root)).toBe(true);
});

describe("a repository that names programs of its own is a question", () => {
  test.each([
    ["core.fsmonitor", "./evil"],
    ["core.pager", "./evil"],
    ["core.worktree", "/"],
    ["diff.external", "./evil"],
    ["diff.x.textconv", "./evil"],
    ["diff.x.command", "./evil"],
    ["filter.x.clean", "./evil"],
    ["filter.x.process", "./evil"],
    ["include.path", "evil"],
    ["includeIf.gitdir:/.path", "evil"],
    ["gpg.program", "./evil"],
    ["remote.origin.promisor", "true"],
    ["remote.origin.uploadpack", "./evil"],
    ["extensions.partialClone", "origin"],
    ["pager.log", "./evil"],
    ["log.showSignature", "true"],
  ])("%s", (key, value) => {
    const { git, project, isSafe } = repository();
    git("-C", "project", "config", key, value);
    for (const command of reads) expect([command, isSafe(command)]).toEqual([command, false]);
    expect(isSafe("ls", project)).toBe(true);
  });

  test("the built-in monitor of the file system and hooks for other commands are none", () => {
    const { git, project, isSafe } = repository();
    git("-C", "project", "config", "core.fsmonitor", "true");
    git("-C", "project", "config", "core.hooksPath", ".husky");
    mkdirSync(join(project, ".husky"));
    writeFileSync(join(project, ".husky", "pre-commit"), "");
    expect(isSafe("git status")).toBe(true);
    writeFileSync(join(project, ".husky", "post-index-change"), "");
    expect(isSafe("git status")).toBe(false);
  });

  test.each([
    [
      "a hook that reading can cause",
      (project: string) => writeFileSync(join(project, ".git/hooks/post-index-change"), ""),
    ],
    [
      "a config in a shape of its own",
      (project: string) => writeFileSync(join(project, ".git/config"), "[core] fsmonitor = ./evil\n"),
    ],
    [
      "a line that goes on",
      (project: string) => writeFileSync(join(project, ".git/config"), "[user]\n\tname = a\\\n[core]\n"),
    ],
    [
      "a config of the worktree",
      (project: string) =>
        writeFileSync(join(project, ".git/config.worktree"), "[core]\n\tfsmonitor = ./evil\n"),
    ],
    ["an index that cannot be read", (project: string) => writeFileSync(join(project, ".git/index"), "DIRC")],
    [
      "a place of hooks that is read as another one",
      (project: string) =>
        writeFileSync(join(project, ".git/config"), '[core]\n\thooksPath = "hooks" # mine\n'),
    ],
    [
      "a link that ends as on Windows",
      (project: string) => writeFileSync(join(project, "sub/.git"), "gitdir: ../evil\r\n"),
    ],
    [
      "a way through a link",
      (project: string) => {
        mkdirSync(join(project, "sub/evil"));
        symlinkSync("../../elsewhere/inner", join(project, "sub/link"));
        writeFileSync(join(project, "sub/.git"), "gitdir: link/../evil\n");
      },
    ],
    [
      "hooks behind a link",
      (project: string) =>
        writeFileSync(join(project, ".git/config"), "[core]\n\thooksPath = link/../hooks\n"),
    ],
    [
      "a shared directory behind a link",
      (project: string) => writeFileSync(join(project, ".git/commondir"), "link/../evil\n"),
    ],
    [
      "a directory that names another repository",
      (project: string) => {
        writeFileSync(join(project, "sub/HEAD"), "ref: refs/heads/main\n");
        writeFileSync(join(project, "sub/commondir"), "../evil\n");
      },
    ],
    [
      "a link to nowhere",
      (project: string) => writeFileSync(join(project, "sub/.git"), "gitdir: ../../nowhere\n"),
    ],
  ])("%s", (_, change) => {
    const { project, isSafe } = repository();
    change(project);
    expect(isSafe("git -C sub status")).toBe(false);
  });

  test("one with submodules, which have configs of their own", () => {
    const { git, isSafe, root } = repository();
    git("init", "-q", "inner");
    git("-C", "inner", "commit", "-q", "--allow-empty", "-m", "a");
    git(
      "-C",
      "project",
      "-c",
      "protocol.file.allow=always",
      "submodule",
      "--quiet",
      "add",
      join(root, "inner"),
      "module",
    );
    expect(isSafe("git status")).toBe(false);
  });

  test("one that links lead into", () => {
    const { root, project, git, isSafe } = repository();
    git("init", "-q", "hostile");
    git("-C", "hostile", "config", "core.fsmonitor", "./evil");
    mkdirSync(join(root, "hostile/inner"));
    symlinkSync("../hostile/inner", join(project, "link"));
    expect(isSafe("git status")).toBe(true);
    expect(isSafe("git -C link status")).toBe(false);
    expect(isSafe("git -C link/.. status")).toBe(false);
    expect(isSafe("cd link && git status")).toBe(false);
    expect(isSafe("cd link; git -C .. status")).toBe(false);
    expect(isSafe("git status", join(project, "link"))).toBe(false);
  });

  test("a directory of the project that is a repository itself", () => {
    const { git, isSafe } = repository();
    git("init", "-q", "--bare", "project/sub");
    expect(isSafe("git status")).toBe(true);
    expect(isSafe("git -C sub status")).toBe(false);
    expect(isSafe("cd sub && git log")).toBe(false);
    expect(isSafe("cd sub; cd ..; git log")).toBe(false);
    expect(isSafe("cd $x; git log")).toBe(false);
  });
});
