/** A return that ends halfway: what has changed until then is reported, so that the log has it and it can be undone. */

import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { performRewind, previewRewind, type RewindParts, type RewindShell } from "../../src/app/rewind.ts";
import { unlessAborted } from "../../src/async/abort.ts";
import type { SessionEntry } from "../../src/history/entry.ts";
import { userMessage } from "../../src/protocol/index.ts";
import type { VariableHistory } from "../../src/protocol/time.ts";
import { shellLostError } from "../../src/shell/errors.ts";
import { never, openTree } from "../worktree/trees.ts";

const checkpoint = { id: "then", at: 0, notHeld: [] };
/** Its kernel is busy: a return waits until it is interrupted. */
function busyVariables() {
  const { promise: isAsked, resolve } = Promise.withResolvers<void>();
  const variables: VariableHistory = {
    checkpoint: async () => ({ kind: "kept", checkpoint: { ...checkpoint, id: "now" } }),
    find: () => checkpoint,
    changesSince: async () => undefined,
    restore: async (_, signal) => {
      resolve();
      return await unlessAborted(Promise.withResolvers<never>().promise, signal);
    },
  };
  return { variables, isAsked };
}
const shell: RewindShell = {
  has: () => true,
  keep: async () => ({ shell: { state: "left", directory: null } }),
  restore: async () => {
    throw shellLostError();
  },
};

async function changedTree() {
  const { place, worktree, take } = openTree();
  const file = join(place.project, "a.txt");
  writeFileSync(file, "then");
  const at = new Date().toISOString();
  const snapshot = await take();
  const files = { snapshot: snapshot.id, root: worktree.root };
  const entries: SessionEntry[] = [
    { type: "user", message: userMessage("change it"), at },
    { type: "checkpoint", files, variables: "then", shell: { state: "then", directory: null }, at },
  ];
  writeFileSync(file, "now");
  const { variables, isAsked } = busyVariables();
  const parts: RewindParts = { files: worktree, variables, shell };
  const prompt = { number: 1, text: "change it", index: 0, at };
  return { file, worktree, parts, isAsked, seen: await previewRewind(entries, prompt, parts, never) };
}

test("what was brought back before an interrupt, and before the shell failed, is in the report", async () => {
  const { file, worktree, parts, isAsked, seen } = await changedTree();
  const choice = { files: true, variables: true, conversation: true };
  const interrupt = new AbortController();
  const performing = performRewind(seen, choice, parts, interrupt.signal);
  await isAsked;
  interrupt.abort();
  expect(await performing).toMatchObject({
    files: { written: 1, removed: 0 },
    variables: { reason: "it was interrupted" },
    shell: { reason: "a new shell could not be started" },
    before: { files: { root: worktree.root }, shell: { state: "left", directory: null } },
  });
  expect(readFileSync(file, "utf8")).toBe("then");
  await worktree.close();
});

test("an interrupt before anything has changed is thrown", async () => {
  const { file, worktree, parts, seen } = await changedTree();
  const choice = { files: false, variables: true, conversation: false };
  const performing = performRewind(seen, choice, parts, AbortSignal.abort("stopped"));
  expect(await performing.catch((error: unknown) => error)).toBe("stopped");
  expect(readFileSync(file, "utf8")).toBe("now");
  await worktree.close();
});
