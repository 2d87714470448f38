/** A look at a stream or a file of any size: its ends, its size and its lines, in a fixed amount of memory. */

import { closeSync, openSync, readSync } from "node:fs";
import { type ByteScan, scanBytes } from "../output/byte-scan.ts";
import { type DataKind, kindOf, SAMPLE_BYTES, type Sample } from "./input-kind.ts";

export interface DataFacts extends DataKind {
  readonly bytes: number;
  /** Undefined for what is not text, and where counting would take too long. */
  readonly lines: number | undefined;
}

/** Takes the pieces of a stream as they pass. */
export class StreamSampler {
  bytes = 0;
  #newlines = 0;
  #head = Buffer.alloc(0);
  #tail: Buffer[] = [];
  #tailBytes = 0;
  readonly #scan: ByteScan = { newlines: 0, plain: true };

  take(piece: Uint8Array): void {
    this.bytes += piece.byteLength;
    scanBytes(piece, this.#scan);
    this.#newlines += this.#scan.newlines;
    if (this.#head.length < SAMPLE_BYTES)
      this.#head = Buffer.concat([this.#head, piece.subarray(0, SAMPLE_BYTES - this.#head.length)]);
    // A copy: a reader may use its buffer again.
    this.#tail.push(Buffer.from(piece.subarray(-SAMPLE_BYTES)));
    this.#tailBytes += this.#tail.at(-1)?.length ?? 0;
    for (let first = this.#tail[0]; first !== undefined; first = this.#tail[0]) {
      if (this.#tailBytes - first.length < SAMPLE_BYTES) break;
      this.#tailBytes -= first.length;
      this.#tail.shift();
    }
  }

  get sample(): Sample {
    return { head: this.#head, tail: Buffer.concat(this.#tail).subarray(-SAMPLE_BYTES) };
  }

  get facts(): DataFacts {
    const { sample, bytes } = this;
    const kind = kindOf(sample);
    return { ...kind, bytes, lines: countedLines(kind, this.#newlines, sample) };
  }
}

/** A longer file's lines are not counted: somebody waits for the prompt. */
const MAX_COUNTED_BYTES = 64_000_000;
const PIECE_BYTES = 1_000_000;

/** Throws what the system throws. */
export function lookAtFile(path: string, bytes: number): DataFacts {
  if (bytes > MAX_COUNTED_BYTES) return { ...kindOf(sampleOf(path, bytes)), bytes, lines: undefined };
  const sampler = new StreamSampler();
  const piece = Buffer.alloc(PIECE_BYTES);
  withFile(path, (file) => {
    for (;;) {
      const read = readSync(file, piece, 0, piece.length, null);
      if (read === 0) return;
      sampler.take(piece.subarray(0, read));
    }
  });
  return sampler.facts;
}

export function sampleOf(path: string, bytes: number): Sample {
  return withFile(path, (file) => ({
    head: readAt(file, 0, Math.min(bytes, SAMPLE_BYTES)),
    tail: readAt(file, Math.max(0, bytes - SAMPLE_BYTES), SAMPLE_BYTES),
  }));
}

/** A piece of a file. Throws what the system throws. */
export function readPiece(path: string, offset: number, length: number): Buffer {
  return withFile(path, (file) => readAt(file, offset, length));
}

function withFile<T>(path: string, use: (file: number) => T): T {
  const file = openSync(path, "r");
  try {
    return use(file);
  } finally {
    closeSync(file);
  }
}

function readAt(file: number, offset: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  return buffer.subarray(0, readSync(file, buffer, 0, length, offset));
}

/** A last line needs no line feed. */
function countedLines({ encoding }: DataKind, newlines: number, { tail }: Sample): number | undefined {
  if (encoding !== "utf-8") return undefined;
  return newlines + (tail.length > 0 && tail.at(-1) !== 0x0a ? 1 : 0);
}
