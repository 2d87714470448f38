/**
 * One stream of bytes in; live text for the screen, capped text for the model and a whole copy on disk out. Memory is bounded
 * whatever arrives: one line without end, a progress bar that never stops, a gigabyte in one message.
 *
 *   bytes ─▶ artifact file
 *         └▶ decoder ─▶ \r\n is \n ─▶ escape parser ─▶ screen text ─▶ onText
 *                                                   └▶ terminal line ─▶ keeper ─▶ CapturedOutput.text
 */

import { isUtf8 } from "node:buffer";
import type { ArtifactProblem, ArtifactWriter } from "./artifact-writer.ts";
import type { ArtifactStore } from "./artifacts.ts";
import { ByteDecoder, SIGNATURE_REACH } from "./byte-decoder.ts";
import { type ByteScan, scanBytes } from "./byte-scan.ts";
import { EscapeParser } from "./escape-parser.ts";
import { LineEndings } from "./line-endings.ts";
import { binaryNote, noticeLine } from "./notice.ts";
import { ScreenText } from "./screen-text.ts";
import { TerminalLine } from "./terminal-line.ts";
import { createKeeper, type Keeper, type TruncationPolicy } from "./truncation.ts";
import { isHighSurrogate } from "./utf8.ts";

export interface CapturedOutput {
  /** For the model: no ANSI, lines as a terminal shows them, cut by the policy. */
  readonly text: string;
  /** One line when something is missing from `text` or from the artifact: what, how much, and where all of it is. */
  readonly notice: string | undefined;
  readonly truncated: boolean;
  /** Of the raw output, as is `totalLines`; a last line without newline counts. */
  readonly totalBytes: number;
  readonly totalLines: number;
  /** Id of the artifact, without scheme. */
  readonly artifact: string | undefined;
  /** Why the artifact does not have all of it. */
  readonly artifactProblem?: ArtifactProblem | undefined;
  /** Undecodable bytes were replaced by a note. */
  readonly binary: boolean;
  /** The first lines of `text` that are not part of the end: the start of a table that was cut, and what says so. */
  readonly tableLines?: number;
  /** The text has a shorter form of some of it: see `writeShortened`. */
  readonly shortened?: boolean;
}

export interface OutputSinkOptions {
  readonly policy: TruncationPolicy;
  readonly artifacts?: ArtifactStore | undefined;
  /** Live text: colours kept, nothing cut, nothing in it that could harm a terminal. */
  readonly onText?: ((text: string) => void) | undefined;
  /** `\r` is text like any other, also before `\n`: line endings are as the program wrote them, and nothing is overwritten. */
  readonly keepsReturns?: boolean | undefined;
}

/** Work is done in pieces of this size, so that one huge chunk costs no more memory than many small ones. */
const PIECE_SIZE = 16_384;
/**
 * Decoded text is short-lived, but the collector lets it pile up in proportion to all that lives: beside a heap of a million
 * objects a gigabyte of output took 180 MB. A hint now and then (it starts a collection and does not wait) keeps that at 35 MB.
 */
const BYTES_PER_COLLECTION = 4 * 1024 * 1024;
/** Below this the fast path costs more than it saves. */
const LEAST_PLAIN_BYTES = 512;
const NEWLINE = 0x0a;

export class OutputSink {
  readonly #artifacts: ArtifactStore | undefined;
  readonly #policy: TruncationPolicy;
  readonly #lineEndings: LineEndings;
  #keeper: Keeper;
  #marked = "";
  readonly #line: TerminalLine;
  readonly #screen: ScreenText | undefined;
  readonly #parser: EscapeParser;
  readonly #decoder: ByteDecoder;
  #artifact: ArtifactWriter | undefined;
  readonly #scan: ByteScan = { newlines: 0, plain: false };
  #totalBytes = 0;
  #newlines = 0;
  #endsWithNewline = true;
  #binary = false;
  #shortened = false;
  /** The half of a pair that the next write may complete. */
  #halfPair = "";
  #result: CapturedOutput | undefined;

  constructor({ policy, artifacts, onText, keepsReturns = false }: OutputSinkOptions) {
    this.#artifacts = artifacts;
    this.#lineEndings = new LineEndings(keepsReturns);
    this.#policy = policy;
    this.#keeper = createKeeper(policy);
    const line = new TerminalLine((text) => this.#keeper.append(text));
    const screen = onText === undefined ? undefined : new ScreenText(onText);
    this.#line = line;
    this.#screen = screen;
    this.#parser = new EscapeParser({
      run: (text) => {
        screen?.add(text);
        line.print(text);
      },
      control: (control) => {
        screen?.add(control);
        if (control === "\r" && keepsReturns) line.print("\r");
        else if (control === "\r") line.carriageReturn();
        else line.backspace();
      },
      csi: (parameters, final) => {
        screen?.csi(parameters, final);
        line.csi(parameters, final);
      },
    });
    this.#decoder = new ByteDecoder({
      text: (text) => this.#parser.push(this.#lineEndings.take(text)),
      binary: (stretch) => this.#takeNote(binaryNote(stretch)),
    });
  }

  /** Ignored after `finish`: a grandchild may still hold the pipe. */
  write(chunk: Uint8Array | string): void {
    if (this.#result !== undefined) return;
    if (typeof chunk === "string") this.#writeString(chunk);
    else {
      this.#flushHalfPair();
      this.#writeBytes(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    }
    this.#screen?.flush();
  }

  /**
   * Text of which only the artifact gets all. On lines of its own, both ways.
   * @param shorten for the model and the screen, given the artifact's id; undefined when all of it is to be shown.
   */
  writeShortened(text: string, shorten: (artifact: string | undefined) => string | undefined): void {
    if (this.#result !== undefined) return;
    this.#artifact ??= this.#artifacts?.create();
    const shown = shorten(this.#artifact?.id);
    if (shown === undefined) {
      this.write(text);
      return;
    }
    this.#settle();
    this.#shortened = true;
    for (const piece of piecesOf(Buffer.from(text))) this.#record(piece);
    for (const piece of piecesOf(Buffer.from(shown))) this.#show(piece);
    this.#screen?.flush();
  }

  /** A line of omp's own between the outputs of two programs: kept, but not live, so that the caller shows it as it likes. */
  writeHeading(line: string): void {
    if (this.#result !== undefined) return;
    this.#settle();
    this.#screen?.flush();
    const bytes = Buffer.from(`${line}\n`);
    this.#artifact ??= this.#artifacts?.create();
    this.#artifact?.write(bytes);
    this.#totalBytes += bytes.length;
    this.#newlines += 1;
    this.#endsWithNewline = true;
    this.#keeper.append(bytes);
  }

  /** The point that `forget` returns to. */
  mark(): void {
    this.#settle();
    this.#marked = this.#keeper.finish().text;
  }

  /**
   * A program cleared its screen: output since the mark is no longer shown to the model. The artifact keeps it, and the user has
   * seen it.
   */
  forget(): void {
    this.#settle();
    this.#keeper = createKeeper(this.#policy);
    this.#keeper.append(this.#marked);
  }

  finish(): CapturedOutput {
    this.#result ??= this.#finish();
    return this.#result;
  }

  #writeString(chunk: string): void {
    const text = this.#halfPair + chunk;
    this.#halfPair = "";
    for (let at = 0; at < text.length; ) {
      let end = Math.min(at + PIECE_SIZE, text.length);
      if (isHighSurrogate(text.charCodeAt(end - 1))) end--;
      if (end === at) {
        this.#halfPair = text.slice(at);
        return;
      }
      this.#writeBytes(Buffer.from(text.slice(at, end)));
      at = end;
    }
  }

  /** A half that nothing completes becomes U+FFFD, as it does in every encoder. */
  #flushHalfPair(): void {
    if (this.#halfPair !== "") this.#writeBytes(Buffer.from(this.#halfPair));
    this.#halfPair = "";
  }

  #writeBytes(bytes: Buffer): void {
    for (const piece of piecesOf(bytes)) {
      this.#record(piece);
      this.#pass(piece);
    }
  }

  /** Keeps and counts a piece, and scans it. */
  #record(piece: Buffer): void {
    this.#artifact ??= this.#artifacts?.create();
    this.#artifact?.write(piece);
    if (this.#totalBytes % BYTES_PER_COLLECTION > (this.#totalBytes + piece.length) % BYTES_PER_COLLECTION)
      Bun.gc(false);
    this.#totalBytes += piece.length;
    scanBytes(piece, this.#scan);
    this.#newlines += this.#scan.newlines;
    this.#endsWithNewline = piece[piece.length - 1] === NEWLINE;
  }

  #show(piece: Buffer): void {
    scanBytes(piece, this.#scan);
    this.#pass(piece);
  }

  /** A piece that has just been scanned. */
  #pass(piece: Buffer): void {
    if (!this.#scan.plain || !this.#passPlainLines(piece)) this.#decoder.push(piece);
  }

  /**
   * The fast path of nearly all large output: whole plain lines go to the keeper as bytes. The line that was started before,
   * and the end of the piece, of which the decoder may hold back some, take the slow path.
   */
  #passPlainLines(piece: Buffer): boolean {
    const first = piece.indexOf(NEWLINE) + 1;
    const end = piece.lastIndexOf(NEWLINE, piece.length - SIGNATURE_REACH - 1) + 1;
    if (first === 0 || end - first < LEAST_PLAIN_BYTES || !this.#decoder.isInText) return false;
    this.#decoder.push(piece.subarray(0, first));
    const lines = piece.subarray(first, end);
    const isReady = this.#decoder.isBetweenLines && this.#parser.isIdle && this.#line.isEmpty;
    if (isReady && isUtf8(lines)) {
      this.#screen?.add(lines.toString("utf8"));
      this.#keeper.append(lines);
      this.#decoder.push(piece.subarray(end));
    } else this.#decoder.push(piece.subarray(first));
    return true;
  }

  /** Our own text gets a line of its own. */
  #takeNote(note: string): void {
    this.#binary = true;
    this.#parser.push(this.#lineEndings.end());
    this.#parser.reset();
    if (!this.#line.isEmpty) this.#line.print("\n");
    this.#line.print(`${note}\n`);
    this.#screen?.note(note);
  }

  /** Passes everything written so far to the keeper, including an unfinished line. */
  #settle(): void {
    this.#flushHalfPair();
    this.#decoder.end();
    this.#parser.push(this.#lineEndings.end());
    this.#keeper.append(this.#line.take());
  }

  #finish(): CapturedOutput {
    this.#settle();
    this.#screen?.resetColour();
    this.#screen?.flush();
    this.#artifact?.close();
    const { text, cut } = this.#keeper.finish();
    const artifactProblem = this.#artifact?.problem;
    const facts = {
      totalBytes: this.#totalBytes,
      totalLines: this.#newlines + (this.#endsWithNewline ? 0 : 1),
      artifact: artifactProblem?.kind === "given-up" ? undefined : this.#artifact?.id,
      binary: this.#binary,
      ...(this.#shortened ? { shortened: true } : {}),
      ...(cut?.keep === "tail" && cut.table ? { tableLines: cut.table.shown + 1 } : {}),
    };
    const notice = noticeLine({ cut, problem: artifactProblem, ...facts });
    return { text, notice, truncated: cut !== undefined, artifactProblem, ...facts };
  }
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  if (bytes.length <= PIECE_SIZE) {
    if (bytes.length > 0) yield bytes;
    return;
  }
  for (let at = 0; at < bytes.length; at += PIECE_SIZE) yield bytes.subarray(at, at + PIECE_SIZE);
}
