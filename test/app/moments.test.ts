/** What is said of files that cannot be taken back: each of them once, also those that come later. */

import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SessionMoments } from "../../src/app/moments.ts";
import { ShellMoments } from "../../src/app/shell-moments.ts";
import { temporaryPlace } from "../support/home.ts";
import { never, openTree } from "../worktree/trees.ts";

test("what is not covered is said once, by its name in the project, and what comes later is said, too", async () => {
  const place = temporaryPlace();
  const root = join(place.project, "below");
  mkdirSync(root, { recursive: true });
  Bun.spawnSync(["git", "init", "-q"], { cwd: place.project });
  const { worktree } = openTree(place, { root, maxFileBytes: 1_000 });
  const said: string[] = [];
  const noShell = {
    state: async () => undefined,
    restore: async () => undefined,
    directory: undefined,
    era: {},
  };
  const moments = new SessionMoments({
    files: () => worktree,
    variables: undefined,
    shell: new ShellMoments(noShell),
    log: () => undefined,
    onNotCovered: (sentence) => said.push(sentence),
  });
  const call = () => moments.beforeCall({ id: "call", name: "bash" }, never);
  const large = (name: string) => writeFileSync(join(root, name), "x".repeat(2_000));
  large("one.bin");
  moments.beforePrompt();
  await moments.settled();
  await call();
  large("two.bin");
  await call();
  await call();
  expect(said).toEqual([
    "/rewind does not cover one.bin (too large).",
    "/rewind does not cover two.bin (too large).",
  ]);
  await moments.close();
  await worktree.close();
});
