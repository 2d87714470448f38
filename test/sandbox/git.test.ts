/** What a program in the sandbox leaves in a repository runs nothing when the user's own git comes by. */

import { expect, test } from "bun:test";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { confined } from "../../src/process/confinement.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { temporaryDirectory } from "../support/home.ts";
import { testSandbox } from "../support/sandbox.ts";

const env = {
  PATH: process.env["PATH"] ?? "",
  HOME: "/nonexistent",
  ...{ GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
  ...{ GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@b", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@b" },
};

function run(argv: readonly string[], cwd: string): string {
  const { stdout, stderr } = Bun.spawnSync([...argv], { cwd, env });
  return `${stdout}${stderr}`.trim();
}

function inside(sandbox: Sandbox, cwd: string, script: string): string {
  const { argv, ...options } = confined(sandbox, { argv: ["bash", "-c", script], env, cwd });
  const { stdout, stderr } = Bun.spawnSync(argv, options);
  sandbox.sweep();
  return `${stdout}${stderr}`.trim();
}

/** A repository with a worktree elsewhere, and a file that says that something ran. */
function repository() {
  const base = temporaryDirectory();
  const [project, worktree, trace] = ["project", "worktree", "trace"].map((name) => join(base, name)) as [
    string,
    string,
    string,
  ];
  run(["git", "init", "-q", project], base);
  run(["git", "commit", "-q", "--allow-empty", "-m", "first"], project);
  run(["git", "worktree", "add", "-q", worktree], project);
  return { project, worktree, trace };
}

const commit = 'echo x >>new && git add new && git commit -q -m "from inside" && git log -1 --format=%s';

test("a repository without a directory for hooks gets none that a program inside fills", async () => {
  const { project, trace } = repository();
  rmSync(join(project, ".git/hooks"), { recursive: true });
  const sandbox = await testSandbox({ projectRoot: project });
  const hook = `mkdir -p .git/hooks; printf '#!/bin/sh\\ntouch ${trace}\\n' >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit`;
  expect(inside(sandbox, project, `{ ${hook}; } 2>/dev/null; ${commit}`)).toBe("from inside");
  run(["git", "commit", "--allow-empty", "-m", "outside"], project);
  expect([run(["git", "log", "-1", "--format=%s"], project), existsSync(trace)]).toEqual(["outside", false]);
});

test("settings of a worktree of its own are not left behind, where the repository has them", async () => {
  const { project, trace } = repository();
  run(["git", "config", "extensions.worktreeConfig", "true"], project);
  const sandbox = await testSandbox({ projectRoot: project });
  inside(sandbox, project, `git config --worktree core.fsmonitor 'touch ${trace}; false'`);
  expect([run(["git", "status", "--short"], project), existsSync(trace)]).toEqual(["", false]);
});

test.each([
  ["the repository itself", "project", "worktree"],
  ["a linked worktree", "worktree", "project"],
] as const)("from %s no other worktree is sent elsewhere for its settings", async (_, own, other) => {
  const places = repository();
  const { project, trace } = places;
  const sandbox = await testSandbox({ projectRoot: places[own] });
  const git = join(project, ".git");
  const evil = join(places[own], "evil");
  inside(
    sandbox,
    places[own],
    `cp -r ${git} ${evil}
    git config -f ${evil}/config core.fsmonitor 'touch ${trace}; false'
    mv ${git}/worktrees ${git}/before; cp -r ${git}/before ${git}/worktrees
    for directory in ${git}/worktrees/*; do echo ${evil} >$directory/commondir; done`,
  );
  expect(inside(sandbox, places[own], commit)).toBe("from inside");
  for (const place of [places[own], places[other]]) run(["git", "status"], place);
  expect(existsSync(trace)).toBe(false);
  expect(run(["git", "rev-parse", "--git-common-dir"], places.worktree)).toBe(git);
});
