/**
 * The project's files over time: takes them as they are at a moment, tells what has changed since, and brings them back. Nothing of the
 * project's own repository is touched.
 */

import { rmSync } from "node:fs";
import { relative } from "node:path";
import { untilAborted } from "../async/abort.ts";
import { onceSuccessful } from "../async/once.ts";
import { within } from "../async/within.ts";
import { systemCode } from "../protocol/index.ts";
import { type Change, changesBetween, nameOf, patchBetween } from "./changes.ts";
import { emptyDirectories } from "./empty-directories.ts";
import { WorktreeError } from "./errors.ts";
import { globalExcludes } from "./global-excludes.ts";
import { lookAround } from "./look.ts";
import { maintain, type Retention } from "./maintain.ts";
import { findPlace, type WorktreePlace } from "./place.ts";
import { type Restored, restoreSnapshot } from "./restore.ts";
import { findGit, ShadowGit } from "./shadow-git.ts";
import { type Snapshot, SnapshotStore } from "./snapshot-store.ts";
import { coverTracked, updateIndex } from "./update-index.ts";

export interface WorktreeOptions {
  readonly root: string;
  /** The user's home, which is never a project. */
  readonly home: string;
  /** Where the snapshots of all projects are. */
  readonly store: string;
  /** The user's own environment: where git is, and which files it always ignores. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly limits: WorktreeLimits;
}

export interface WorktreeLimits extends Retention {
  /** Larger files are not covered. */
  readonly maxFileBytes: number;
  /** How long whoever takes a snapshot waits for it. */
  readonly waitMs: number;
  /** How long the first look at a project may take in the background. */
  readonly firstLookMs: number;
}

export type Taken =
  | { readonly kind: "kept"; readonly snapshot: Snapshot }
  /** The reason is a clause. `isOff`: there will be none in this session. */
  | { readonly kind: "skipped"; readonly reason: string; readonly isOff: boolean };

const BYTES_PER_MB = 1_000_000;
const MS_PER_SECOND = 1_000;
/** After so many in a row that took too long, nobody waits for another one. */
const MOST_LATE = 2;
/** A look that takes longer reads files again whose times alone have changed; git can be told that they are the same. */
const SLOW_LOOK_MS = 150;

export class Worktree {
  readonly root: string;
  readonly #place: WorktreePlace;
  readonly #options: WorktreeOptions;
  readonly #program: string;
  readonly #store: SnapshotStore;
  readonly #closing = new AbortController();
  readonly #opened = onceSuccessful(() => this.#make());
  #last: Snapshot | undefined;
  #work: Promise<unknown> = Promise.resolve();
  #late = 0;
  #isBehind = false;
  #off: string | undefined;

  private constructor(options: WorktreeOptions, place: WorktreePlace, program: string) {
    this.#options = options;
    this.#place = place;
    this.#program = program;
    this.root = place.root;
    this.#store = new SnapshotStore(options.store, place.root);
  }

  /** Starts nothing. @returns a clause about why there can be none, instead. */
  static open(options: WorktreeOptions): Worktree | { readonly off: string } {
    const place = findPlace(options);
    if ("off" in place) return place;
    const program = findGit(options.env["PATH"], place.root);
    return program === undefined ? { off: "git is not installed" } : new Worktree(options, place, program);
  }

  /** The files as they are now; the last snapshot when nothing has changed since. Waits for it only as long as the limits say. */
  async take(signal: AbortSignal): Promise<Taken> {
    if (this.#off !== undefined) return { kind: "skipped", reason: this.#off, isOff: true };
    const { waitMs, firstLookMs } = this.#options.limits;
    const reason = `reading the project's files takes longer than ${waitMs / MS_PER_SECOND} s`;
    // What somebody has waited for in vain still goes on.
    if (this.#isBehind) return { kind: "skipped", reason, isOff: false };
    const limit = AbortSignal.any([AbortSignal.timeout(firstLookMs), this.#closing.signal]);
    const taken = this.#alone(() => this.#takeOrStartAnew(limit)).catch((error: unknown) =>
      this.#problem(error),
    );
    if (!(await within(untilAborted(taken, signal), waitMs))) {
      this.#isBehind = true;
      void taken.finally(() => {
        this.#isBehind = false;
      });
      // The first look at a project may take longer than any other.
      if (this.#last !== undefined) this.#late += 1;
      const isOff = this.#late >= MOST_LATE;
      if (isOff) this.#off = reason;
      return { kind: "skipped", reason, isOff };
    }
    if (signal.aborted) return { kind: "skipped", reason: "it was interrupted", isOff: false };
    const result = await taken;
    if (!("id" in result)) return { kind: "skipped", ...result };
    this.#late = 0;
    return { kind: "kept", snapshot: result };
  }

  /** Throws WorktreeError when it is no longer kept. */
  get(id: string): Snapshot {
    return this.#store.get(id);
  }

  /** Of a path in a snapshot, as people know it: relative to the project. */
  nameOf(path: string): string {
    return nameOf(path, this.#prefix);
  }

  /** What turns the one into the other. Throws WorktreeError. */
  async changes(from: Snapshot, to: Snapshot): Promise<readonly Change[]> {
    const { git } = await this.#opened.get();
    return await changesBetween(git, from, to, this.#prefix);
  }

  /** The same as a unified diff. Throws WorktreeError. */
  async patch(from: Snapshot, to: Snapshot): Promise<string> {
    const { git } = await this.#opened.get();
    return await patchBetween(git, from, to, this.#prefix);
  }

  /** Turns the present files, which `from` is a snapshot of, into those of another moment. Throws WorktreeError: nothing has changed then. */
  async restore(from: Snapshot, to: Snapshot): Promise<Restored> {
    const { git } = await this.#opened.get();
    return await this.#alone(() =>
      restoreSnapshot({ git, root: this.root, prefix: this.#prefix, scratch: this.#store.git }, from, to),
    );
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#work;
    const opened = await this.#opened.made?.catch(() => undefined);
    await opened?.maintenance;
    if (opened !== undefined) this.#store.closeIndex(opened.index);
  }

  /** Where the project is below the top, with a slash at the end; empty when it is the top. */
  get #prefix(): string {
    const path = relative(this.#place.top, this.#place.root);
    return path === "" ? "" : Buffer.from(`${path}/`).toString("latin1");
  }

  /** One at a time: they share an index. */
  async #alone<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#work.then(work);
    this.#work = mine.catch(() => undefined);
    return await mine;
  }

  /** Git's list of files may name contents that are no longer kept, or be damaged: it can be made again. */
  async #takeOrStartAnew(signal: AbortSignal): Promise<Snapshot> {
    try {
      return await this.#take(signal);
    } catch (error) {
      if (!(error instanceof WorktreeError) || error.code !== "GIT") throw error;
      rmSync((await this.#opened.get()).index, { force: true });
      return await this.#take(signal);
    }
  }

  async #take(signal: AbortSignal): Promise<Snapshot> {
    const opened = await this.#opened.get();
    const { git, index } = opened;
    const { maxFileBytes, maxTotalBytes } = this.#options.limits;
    const startedAt = performance.now();
    const where = { index, prefix: this.#prefix, signal };
    const [look, seenEmpty] = await Promise.all([
      lookAround(git, { ...where, maxFileBytes }),
      emptyDirectories(git, where),
    ]);
    if (look.bytes > maxTotalBytes) {
      const issue = `the project's files take more than ${Math.round(maxTotalBytes / BYTES_PER_MB)} MB`;
      throw new WorktreeError({ kind: "slow", issue, code: "LARGE" });
    }
    if (performance.now() - startedAt > SLOW_LOOK_MS) void this.#alone(() => this.#refresh(opened));
    const refused = await updateIndex(git, index, look, signal);
    for (const path of look.remove) opened.modes.delete(path);
    for (const [path, mode] of look.modes) noteMode(opened.modes, path, mode);
    const notCovered = [...look.notCovered, ...refused.map((path) => ({ path, why: "refused" as const }))];
    const last = this.#last;
    const hasNews = look.add.length > refused.length || look.remove.length > 0;
    // With new files in the index, git knows more directories.
    const empty = hasNews ? await emptyDirectories(git, where) : seenEmpty;
    const isSame = !hasNews && last !== undefined && sameNames(last.empty, empty);
    if (isSame && sameList(last.notCovered, notCovered) && this.#store.touch(last)) return last;
    const tree = (await git.run(["write-tree"], { index, signal })).stdout.toString().trim();
    this.#last = this.#store.add({ tree, notCovered, modes: Object.fromEntries(opened.modes), empty });
    return this.#last;
  }

  async #refresh({ git, index }: Opened): Promise<void> {
    const { signal } = this.#closing;
    await git.run(["update-index", "-q", "--refresh"], { index, signal, answers: [1] }).catch(ignoreFailure);
  }

  async #make(): Promise<Opened> {
    const { env, home, limits, store: base } = this.#options;
    const { top, excludes, projectIndex } = this.#place;
    const store = this.#store;
    try {
      store.make(excludes);
    } catch (error) {
      const issue = `snapshots cannot be written to ${store.directory}`;
      throw new WorktreeError({ kind: "failed", issue, code: "UNWRITABLE" }, { cause: error });
    }
    const excludesFile = await globalExcludes({ program: this.#program, env, home });
    const git = new ShadowGit({ program: this.#program, directory: store.git, workTree: top, excludesFile });
    const index = store.openIndex();
    if (projectIndex !== undefined) await coverTracked(git, index, projectIndex);
    const modes = new Map(Object.entries(store.newest()?.modes ?? {}));
    const maintenance = maintain({ base, own: store, git, retention: limits, signal: this.#closing.signal });
    return { git, index, modes, maintenance };
  }

  /** Whatever git or the disk cannot do is no reason for a session to stop: also a directory may be gone that was there before. */
  #problem(error: unknown): { readonly reason: string; readonly isOff: boolean } {
    if (!(error instanceof WorktreeError)) {
      const code = systemCode(error);
      if (code === undefined) throw error;
      return { reason: `the project's files cannot be kept (${code})`, isOff: false };
    }
    const isOff = error.kind === "slow" && !this.#closing.signal.aborted;
    const seconds = this.#options.limits.firstLookMs / MS_PER_SECOND;
    const reason = error.code === "SLOW" ? `the project's files cannot be read in ${seconds} s` : error.issue;
    if (isOff) this.#off = reason;
    return { reason, isOff };
  }
}

interface Opened {
  readonly git: ShadowGit;
  readonly index: string;
  /** Of the files that are more private than new ones. */
  readonly modes: Map<string, number>;
  readonly maintenance: Promise<void>;
}

function noteMode(modes: Map<string, number>, path: string, mode: number): void {
  const usual = ((mode & 0o100) === 0 ? 0o666 : 0o777) & ~process.umask();
  if ((usual & ~mode) === 0) modes.delete(path);
  else modes.set(path, mode);
}

function sameList(a: Snapshot["notCovered"], b: Snapshot["notCovered"]): boolean {
  return a.length === b.length && a.every(({ path, why }, at) => path === b[at]?.path && why === b[at]?.why);
}

function sameNames(a: Snapshot["empty"], b: Snapshot["empty"]): boolean {
  return a === b || (a?.length === b?.length && a?.every((path, at) => path === b?.[at]) === true);
}

function ignoreFailure(error: unknown): void {
  if (!(error instanceof WorktreeError)) throw error;
}
