/**
 * What is too large for a prompt, kept for the session: private files in `inputs/<session>/`, and the user's own files by their path, each
 * under the name that cells have for it (`omp.inputs.<name>`). Nothing is touched before the first one.
 */

import {
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { ompPaths } from "../config/paths.ts";
import { attempt, OmpError } from "../protocol/index.ts";
import type { Invocation } from "../protocol/invocation.ts";
import { asRecord, isRecord, parseJson } from "../protocol/record.ts";
import { cleanUpInputs, type InputLimits, MANIFEST } from "./input-clean-up.ts";
import { inputName } from "./input-name.ts";
import { type DataFacts, lookAtFile, readPiece } from "./input-sample.ts";
import { type Spooled, unwritableError } from "./input-spool.ts";

export interface LargeInput extends DataFacts {
  /** A Python name. */
  readonly name: string;
  readonly path: string;
  /** Whether the file is the user's own, and not a copy of omp's. */
  readonly isOwnFile: boolean;
}

/** The most that a cell gets at a time of a file that it cannot open itself. */
const MAX_PIECE_BYTES = 1_048_576;

/** Where large input is kept, also while there is no session yet. */
export function inputsRoot(invocation: Invocation): string {
  return ompPaths(invocation).inputs;
}

export class SessionInputs {
  readonly #root: string;
  readonly #limits: InputLimits;
  readonly #inputs = new Map<string, LargeInput>();
  #id = `run-${crypto.randomUUID()}`;
  #isKept = false;

  constructor(root: string, limits: InputLimits) {
    this.#root = root;
    this.#limits = limits;
  }

  get directory(): string {
    return join(this.#root, this.#id);
  }

  get list(): readonly LargeInput[] {
    return [...this.#inputs.values()];
  }

  /** Of this session, with what it had before. @param from the session that it is a copy of. */
  belongTo(session: string, from?: string): void {
    this.#id = session;
    this.#isKept = true;
    const earlier = from === undefined ? this.directory : join(this.#root, from);
    for (const input of readManifest(earlier)) {
      const path = input.isOwnFile ? input.path : join(this.directory, input.name);
      if (from !== undefined && !input.isOwnFile) this.#link(join(earlier, input.name), path);
      this.#inputs.set(input.name, { ...input, path });
    }
    if (this.#inputs.size > 0) this.#writeManifest();
  }

  /** Goes on in a copy of the session, which has files of its own: either may be removed. */
  continueIn(session: string): void {
    if (this.#inputs.size === 0) this.#id = session;
    else this.belongTo(session, this.#id);
  }

  /** So that a sandbox can show it, which it can only while it is there. @returns the directory. */
  prepare(): string {
    attempt(() => mkdirSync(this.directory, { recursive: true, mode: 0o700 }));
    return this.directory;
  }

  /** Takes a file over that was read from stdin. Throws OmpError. */
  adopt({ path: from, facts }: Pick<Spooled, "path" | "facts">): LargeInput {
    return this.#keep(this.#freeName("stdin"), (path) => {
      renameSync(from, path);
      return facts;
    });
  }

  /** Throws OmpError. */
  keepPaste(text: string): LargeInput {
    const taken = this.list.filter(({ name }) => /^paste_\d+$/.test(name)).length;
    return this.#write(this.#freeName(`paste_${taken + 1}`), text);
  }

  /** A text from elsewhere, under a name like that of its source. Throws OmpError. */
  keepText(source: string, text: string): LargeInput {
    return this.#write(this.#freeName(inputName(source)), text);
  }

  /** A file of the user's, which is read where it is. Throws what the system throws. */
  nameFile(path: string): LargeInput {
    const known = this.list.find((input) => input.isOwnFile && input.path === path);
    const name = known?.name ?? this.#freeName(inputName(basename(path)));
    const input = { name, path, isOwnFile: true, ...lookAtFile(path, statSync(path).size) };
    this.#inputs.set(name, input);
    this.#makeDirectory();
    this.#writeManifest();
    return input;
  }

  /** What cells are told: where each is, and by what they know that a file of that name is the same one. */
  describe(): readonly Record<string, unknown>[] {
    return this.list.map(({ name, path, kind, lines, encoding }) => {
      const file = attempt(() => statSync(path, { bigint: true }));
      return {
        ...{ name, path, kind, encoding: encoding ?? null, lines: lines ?? null },
        ...(file === undefined
          ? { isGone: true }
          : { bytes: Number(file.size), changed: String(file.mtimeNs) }),
      };
    });
  }

  /** A piece of one, for a kernel that does not see its file; undefined where there is none of that name. */
  read(name: string, offset: number, length: number): Buffer | undefined {
    const input = this.#inputs.get(name);
    return input && attempt(() => readPiece(input.path, offset, Math.min(length, MAX_PIECE_BYTES)));
  }

  /** What no session keeps goes. */
  close(): void {
    if (this.#isKept) attempt(() => rmdirSync(this.directory));
    else attempt(() => rmSync(this.directory, { recursive: true, force: true }));
  }

  #write(name: string, text: string): LargeInput {
    return this.#keep(name, (path) => {
      writeFileSync(path, text, { mode: 0o600, flag: "wx" });
      return lookAtFile(path, statSync(path).size);
    });
  }

  #keep(name: string, place: (path: string) => DataFacts): LargeInput {
    const path = join(this.directory, name);
    const facts = this.#attemptWrite(() => {
      this.#makeDirectory();
      return place(path);
    });
    const input = { name, path, isOwnFile: false, ...facts };
    this.#inputs.set(name, input);
    this.#writeManifest();
    return input;
  }

  #makeDirectory(): void {
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    cleanUpInputs(this.#root, { ...this.#limits, spared: this.#id });
  }

  #link(from: string, to: string): void {
    attempt(() => {
      mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
      linkSync(from, to);
    });
  }

  #writeManifest(): void {
    const content = { pid: process.pid, inputs: this.list };
    this.#attemptWrite(() =>
      writeFileSync(join(this.directory, MANIFEST), JSON.stringify(content), { mode: 0o600 }),
    );
  }

  #attemptWrite<T>(write: () => T): T {
    try {
      return write();
    } catch (error) {
      throw error instanceof OmpError ? error : unwritableError(this.#root, error);
    }
  }

  #freeName(wanted: string): string {
    for (let number = 2, name = wanted; ; name = `${wanted}_${number++}`)
      if (!this.#inputs.has(name)) return name;
  }
}

/** Removes what a session that is gone had. @returns how many inputs. */
export function removeInputs(root: string, session: string): number {
  const directory = join(root, session);
  const { length } = readManifest(directory);
  attempt(() => rmSync(directory, { recursive: true, force: true }));
  return length;
}

function readManifest(directory: string): LargeInput[] {
  const text = attempt(() => readFileSync(join(directory, MANIFEST), "utf8"));
  const { inputs } = asRecord(parseJson(text ?? ""));
  return Array.isArray(inputs) ? inputs.filter(isInput) : [];
}

function isInput(value: unknown): value is LargeInput {
  return isRecord(value) && typeof value["name"] === "string" && typeof value["path"] === "string";
}
