/** What is different between two snapshots. */

import { emptiesBetween } from "./empty-directories.ts";
import type { ShadowGit } from "./shadow-git.ts";
import type { Snapshot } from "./snapshot-store.ts";

export interface Change {
  /** In latin1, relative to the repository's root; a directory without anything in it ends with a slash. */
  readonly path: string;
  /** Relative to the project, readable: what is not UTF-8 is replaced. */
  readonly name: string;
  readonly kind: "added" | "removed" | "changed";
  /** Lines; undefined for what is not text. */
  readonly added: number | undefined;
  readonly removed: number | undefined;
}

type Two = Pick<Snapshot, "tree" | "empty">;

/** No one reads more. */
const MAX_PATCH_BYTES = 4_000_000;

export async function changesBetween(git: ShadowGit, from: Two, to: Two, prefix: string): Promise<Change[]> {
  if (from.tree === to.tree) return directoryChanges(from, to, [], prefix);
  const [raw, numbers] = await Promise.all([
    rawChanges(git, from, to),
    git.run(["diff-tree", "-r", "-z", "--no-renames", "--numstat", from.tree, to.tree]),
  ]);
  const lines = new Map<string, readonly [number | undefined, number | undefined]>();
  for (const line of numbers.stdout.toString("latin1").split("\0")) {
    const [added = "", removed = "", ...rest] = line.split("\t");
    if (rest.length > 0) lines.set(rest.join("\t"), [numberIn(added), numberIn(removed)]);
  }
  const files = raw.map(({ path, status }): Change => {
    const [added, removed] = lines.get(path) ?? [undefined, undefined];
    const kind = status === "A" ? "added" : status === "D" ? "removed" : "changed";
    return { path, name: nameOf(path, prefix), kind, added, removed };
  });
  return [...files, ...directoryChanges(from, to, raw, prefix)];
}

/** Where files are named that come into a directory or go from it, that says enough. */
function directoryChanges(from: Two, to: Two, raw: readonly RawChange[], prefix: string): Change[] {
  const { make, remove } = emptiesBetween(from, to);
  const change = (path: string, kind: "added" | "removed") =>
    ({ path: `${path}/`, name: `${nameOf(path, prefix)}/`, kind, added: 0, removed: 0 }) as const;
  return [
    ...make.map((path) => change(path, "added")),
    ...remove.map((path) => change(path, "removed")),
  ].filter(({ path }) => !raw.some((each) => each.path.startsWith(path)));
}

export interface RawChange {
  readonly path: string;
  readonly status: string;
  /** Git's mode of the second one's entry, such as 100755; 000000 when it has none. */
  readonly mode: string;
}

export async function rawChanges(git: ShadowGit, from: Two, to: Two): Promise<RawChange[]> {
  const { stdout } = await git.run(["diff-tree", "-r", "-z", "--no-renames", "--raw", from.tree, to.tree]);
  const fields = stdout.toString("latin1").split("\0");
  const found: RawChange[] = [];
  // `:100644 100755 <hash> <hash> M`, then the path.
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode = "", , , status = ""] = (fields[at] ?? "").split(" ");
    found.push({ path: fields[at + 1] ?? "", status, mode });
  }
  return found;
}

export async function patchBetween(git: ShadowGit, from: Two, to: Two, prefix: string): Promise<string> {
  const flags = ["-r", "-p", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color"];
  const inside = prefix === "" ? [] : [`--relative=${Buffer.from(prefix, "latin1").toString()}`];
  const { stdout } = await git.run(["diff-tree", ...flags, ...inside, from.tree, to.tree]);
  return stdout.toString("utf8", 0, MAX_PATCH_BYTES);
}

export function nameOf(path: string, prefix: string): string {
  return Buffer.from(path.slice(path.startsWith(prefix) ? prefix.length : 0), "latin1").toString();
}

function numberIn(text: string): number | undefined {
  return text === "-" ? undefined : Number(text);
}
