/**
 * The snapshots of one project on disk, outside the project and private to the user:
 *
 *   <base>/<name>-<hash of the root>/git/         a repository; `refs/omp/<id>` keeps each snapshot's tree
 *   <base>/<name>-<hash of the root>/snapshots/   what git has no place for, a file a snapshot
 */

import { createHash, randomBytes } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { isAlive } from "../process/identity.ts";
import { attempt } from "../protocol/index.ts";
import { asRecord, isRecord, parseJson } from "../protocol/record.ts";
import { WorktreeError } from "./errors.ts";
import { SHADOW_ATTRIBUTES, SHADOW_CONFIG } from "./shadow-git.ts";

/** Why a snapshot does not have something. */
export type NotCoveredReason = "large" | "repository" | "unreadable" | "refused";

/** Paths are relative to the repository's root, with one character a byte (latin1): names may be any bytes. */
export interface NotCovered {
  readonly path: string;
  readonly why: NotCoveredReason;
}

export interface Snapshot {
  readonly id: string;
  /** The project's root. */
  readonly root: string;
  /** Git's name of the tree. */
  readonly tree: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly notCovered: readonly NotCovered[];
  /** Permissions of files that are more private than new ones, by path: git itself keeps only whether a file can be executed. */
  readonly modes: Readonly<Record<string, number>>;
  /** Directories without anything in them; absent from snapshots of an earlier omp, and where there were too many. */
  readonly empty?: readonly string[] | undefined;
}

const HASH_CHARS = 16;
const NAME_CHARS = 40;

export class SnapshotStore {
  readonly directory: string;
  /** The repository. */
  readonly git: string;
  readonly #snapshots: string;
  readonly #root: string;

  constructor(base: string, root: string) {
    const name = basename(root)
      .replace(/[^\w.-]+/g, "_")
      .slice(0, NAME_CHARS);
    const hash = createHash("sha256").update(root).digest("hex").slice(0, HASH_CHARS);
    this.directory = join(base, `${name}-${hash}`);
    this.git = join(this.directory, "git");
    this.#snapshots = join(this.directory, "snapshots");
    this.#root = root;
  }

  /** Made by hand and not by `git init`, which copies the user's template with its hooks. */
  make(excludes: string): void {
    for (const path of ["objects", "refs/omp", "info"])
      mkdirSync(join(this.git, path), { recursive: true, mode: 0o700 });
    mkdirSync(this.#snapshots, { recursive: true, mode: 0o700 });
    chmodSync(this.directory, 0o700);
    replaceFile(join(this.git, "config"), SHADOW_CONFIG);
    replaceFile(join(this.git, "info", "attributes"), SHADOW_ATTRIBUTES);
    replaceFile(join(this.git, "info", "exclude"), Buffer.from(excludes, "latin1"));
    replaceFile(join(this.directory, "root"), `${this.#root}\n`);
    replaceFile(join(this.git, "HEAD"), "ref: refs/heads/none\n");
  }

  get exists(): boolean {
    return existsSync(join(this.git, "HEAD"));
  }

  /**
   * A list of files of this process alone, beginning with what the last session knew of them: git then reads only what has changed.
   * @returns its path.
   */
  openIndex(): string {
    for (const name of attempt(() => readdirSync(this.git)) ?? []) {
      const [, pid] = /^index-(\d+)-/.exec(name) ?? [];
      if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(this.git, name), { force: true });
    }
    const path = join(this.git, `index-${process.pid}-${randomBytes(4).toString("hex")}`);
    attempt(() => copyFileSync(join(this.git, "index"), path));
    return path;
  }

  /** For the next session. */
  closeIndex(path: string): void {
    attempt(() => renameSync(path, join(this.git, "index")));
    rmSync(`${path}.lock`, { force: true });
  }

  /** Kept from now on. */
  add(found: Pick<Snapshot, "tree" | "notCovered" | "modes" | "empty">): Snapshot {
    const at = Date.now();
    const id = `${at.toString(36)}-${randomBytes(4).toString("hex")}`;
    const snapshot: Snapshot = { id, root: this.#root, at, ...found };
    replaceFile(join(this.#snapshots, `${id}.json`), JSON.stringify(snapshot));
    replaceFile(this.#ref(id), `${found.tree}\n`);
    return snapshot;
  }

  /** It is still needed: what is used last goes last. False when it has been removed. */
  touch({ id }: Snapshot): boolean {
    const now = new Date();
    attempt(() => utimesSync(this.#ref(id), now, now));
    return existsSync(this.#ref(id));
  }

  /** Throws WorktreeError when it is no longer kept. */
  get(id: string): Snapshot {
    const found = this.find(id);
    if (found !== undefined) return found;
    const issue = "the files of that moment are no longer kept";
    throw new WorktreeError({ kind: "gone", issue, code: "GONE" });
  }

  /** Undefined when it is no longer kept. */
  find(id: string): Snapshot | undefined {
    const text = /^[\w-]+$/.test(id) ? attempt(() => readFileSync(this.#file(id), "utf8")) : undefined;
    const value = text === undefined ? undefined : parseJson(text);
    return isSnapshot(value) && existsSync(this.#ref(id)) ? value : undefined;
  }

  newest(): Snapshot | undefined {
    const id = this.ids().at(-1);
    return id === undefined ? undefined : this.find(id);
  }

  /** Oldest first. */
  ids(): string[] {
    const names = attempt(() => readdirSync(this.#snapshots)) ?? [];
    return names.flatMap((name) => /^([\w-]+)\.json$/.exec(name)?.[1] ?? []).sort();
  }

  /** When a session last had it as its newest. */
  usedAt(id: string): number {
    return attempt(() => statSync(this.#ref(id)).mtimeMs) ?? 0;
  }

  remove(id: string): void {
    rmSync(this.#ref(id), { force: true });
    rmSync(this.#file(id), { force: true });
  }

  #file(id: string): string {
    return join(this.#snapshots, `${id}.json`);
  }

  #ref(id: string): string {
    return join(this.git, "refs", "omp", id);
  }
}

function isSnapshot(value: unknown): value is Snapshot {
  const { id, root, tree, at, notCovered, modes, empty = [] } = asRecord(value);
  const isNamed = typeof id === "string" && typeof root === "string" && typeof at === "number";
  const areLists = Array.isArray(notCovered) && Array.isArray(empty);
  return isNamed && /^[0-9a-f]{40,64}$/.test(String(tree)) && areLists && isRecord(modes);
}

/** Whole or not at all: another omp may read it at any time. */
function replaceFile(path: string, content: string | Uint8Array): void {
  const bytes = Buffer.from(content);
  if (attempt(() => readFileSync(path))?.equals(bytes) === true) return;
  const aside = `${path}.${randomBytes(4).toString("hex")}.tmp`;
  try {
    writeFileSync(aside, bytes, { mode: 0o600, flag: "wx" });
    renameSync(aside, path);
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  }
}
