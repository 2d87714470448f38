/**
 * The file that a session's variables are kept in. Unpickling runs code, so nothing is read that omp did not write:
 *
 *   the bytes of the values, as the kernel wrote them │ index, JSON │ length of the index (8) │ HMAC-SHA256 (32) │ magic (8)
 *
 * The HMAC, with a key that only the user can read, covers the index; the index has the digest of each value, which the kernel checks before it
 * unpickles it. So a session is resumed without reading the values.
 */

import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { systemCode } from "../../protocol/error.ts";
import { asRecord, parseJson } from "../../protocol/record.ts";
import { isKeptIndex, type KeptIndex } from "./kept-index.ts";

const MAGIC = "OMPKEPT1";
const LENGTH_BYTES = 8;
const HMAC_BYTES = 32;
const TRAILER_BYTES = LENGTH_BYTES + HMAC_BYTES + MAGIC.length;
/** Of an index; a namespace of a hundred thousand names has less. */
const MAX_INDEX_BYTES = 100_000_000;
const KEY_BYTES = 32;
const OTHERS = 0o077;

export interface KeptVariables {
  readonly path: string;
  readonly index: KeptIndex;
  /** Of the session whose variables these are. */
  readonly session: string;
  readonly savedAt: string;
  /** The sandbox of the kernel that wrote them, as the settings call it: what it has pickled runs where it is loaded. */
  readonly sandbox: string;
}

/** Why a file is not used, as a clause. */
export interface Refused {
  readonly refused: string;
}

/** A new file beside the one that it will replace; `write` fills it, and `commit` puts it in its place. */
export class KeptFile {
  readonly partial: string;
  readonly #path: string;

  /** Throws a system error. */
  constructor(path: string) {
    this.#path = path;
    this.partial = `${path}.partial-${process.pid}-${randomBytes(4).toString("hex")}`;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    closeSync(openSync(this.partial, "wx", 0o600));
  }

  /** Adds index and signature. Throws a system error. */
  commit(facts: Omit<KeptVariables, "path">, bytes: number, keyFile: string): KeptVariables {
    const json = Buffer.from(JSON.stringify(facts));
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeBigUInt64LE(BigInt(json.length));
    const mac = sign(makeKey(keyFile), json, bytes);
    const file = openSync(this.partial, "r+");
    try {
      const end = Buffer.concat([json, length, mac, Buffer.from(MAGIC)]);
      for (let at = 0; at < end.length; ) at += writeSync(file, end, at, end.length - at, bytes + at);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(this.partial, this.#path);
    return { path: this.#path, ...facts };
  }

  discard(): void {
    rmSync(this.partial, { force: true });
  }
}

/** Undefined when there is none. */
export function readKeptFile(path: string, keyFile: string): KeptVariables | Refused | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return code === "ENOENT" ? undefined : { refused: `${path} cannot be read (${code})` };
  }
  try {
    const problem =
      whyNotPrivate(fstatSync(file), path) ?? whyNotPrivate(statSync(dirname(path)), dirname(path));
    return problem === undefined ? readSigned(file, path, keyFile) : { refused: problem };
  } finally {
    closeSync(file);
  }
}

function readSigned(file: number, path: string, keyFile: string): KeptVariables | Refused {
  const { size } = fstatSync(file);
  const trailer = readAt(file, size - TRAILER_BYTES, TRAILER_BYTES);
  if (trailer?.subarray(LENGTH_BYTES + HMAC_BYTES).toString() !== MAGIC)
    return { refused: `${path} is damaged` };
  const length = Number(trailer.readBigUInt64LE());
  const bytes = size - TRAILER_BYTES - length;
  const json = length > MAX_INDEX_BYTES ? undefined : readAt(file, bytes, length);
  const key = readKey(keyFile);
  if (json === undefined) return { refused: `${path} is damaged` };
  if (Buffer.isBuffer(key)) {
    const mac = trailer.subarray(LENGTH_BYTES, LENGTH_BYTES + HMAC_BYTES);
    if (!timingSafeEqual(mac, sign(key, json, bytes)))
      return { refused: `${path} was not written by this omp` };
  } else return key ?? { refused: `${keyFile}, which would show that omp wrote it, is gone` };
  const { index, session, savedAt, sandbox } = asRecord(parseJson(json.toString()));
  const isComplete = [session, savedAt, sandbox].every((each) => typeof each === "string");
  if (!isKeptIndex(index) || !isComplete) return { refused: `${path} was written by another version of omp` };
  return { path, index, session: String(session), savedAt: String(savedAt), sandbox: String(sandbox) };
}

/** Undefined when the file is too short. */
function readAt(file: number, at: number, length: number): Buffer | undefined {
  if (at < 0 || length < 0) return undefined;
  const buffer = Buffer.alloc(length);
  for (let done = 0; done < length; ) {
    const read = readSync(file, buffer, done, length - done, at + done);
    if (read === 0) return undefined;
    done += read;
  }
  return buffer;
}

function sign(key: Buffer, json: Buffer, bytes: number): Buffer {
  return createHmac("sha256", key).update(`${MAGIC} ${bytes} `).update(json).digest();
}

/** Undefined when there is none. */
function readKey(keyFile: string): Buffer | Refused | undefined {
  const found = lstatSync(keyFile, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  const problem = whyNotPrivate(found, keyFile);
  if (problem !== undefined) return { refused: problem };
  const key = readFileSync(keyFile);
  return key.length === KEY_BYTES ? key : { refused: `${keyFile} is damaged` };
}

/** One that others could have read is replaced: it proves nothing. */
function makeKey(keyFile: string): Buffer {
  const known = readKey(keyFile);
  if (Buffer.isBuffer(known)) return known;
  if (known !== undefined) rmSync(keyFile, { force: true });
  mkdirSync(dirname(keyFile), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(keyFile, randomBytes(KEY_BYTES), { mode: 0o600, flag: "wx" });
  } catch (error) {
    // Another omp was faster.
    if (systemCode(error) !== "EEXIST") throw error;
  }
  const made = readKey(keyFile);
  if (!Buffer.isBuffer(made)) throw new Error(`${keyFile} cannot be used`);
  return made;
}

function whyNotPrivate({ uid, mode }: Stats, path: string): string | undefined {
  if (uid !== process.getuid?.()) return `${path} belongs to another user`;
  return (mode & OTHERS) === 0 ? undefined : `${path} is not private: others can read or change it`;
}
