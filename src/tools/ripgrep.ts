/** Ripgrep as `grep`, `find` and the filter of `bash_output` use it: which program, how it is run, and its errors in one line. */

import { groupDigits } from "../format/numbers.ts";
import type { Confinement } from "../process/confinement.ts";
import { runFresh } from "../process/run-fresh.ts";
import { ProcessError } from "../process/spawn-fresh.ts";
import { findRipgrep, type RipgrepPlaces } from "./find-ripgrep.ts";
import { ToolError } from "./tool-error.ts";

const DEFAULT_TIMEOUT_MS = 30_000;
const MAX_STDERR_CHARS = 4_000;

/** No settings of the user's, so that results are the same everywhere; ignore files count also outside of a git work tree. */
const commonArguments = ["--no-config", "--no-require-git", "--color=never"];

export interface RipgrepServices extends RipgrepPlaces {
  /** Where ripgrep finds the user's own git ignore file. */
  readonly home: string;
  /** Searches see what programs see; see `confined`. */
  readonly confinement?: (() => Confinement | undefined) | undefined;
}

export interface Search {
  readonly operation: string;
  readonly args: readonly string[];
  /** The directory (`./`) or file that is searched, relative to `cwd`; `-` is `stdin`. */
  readonly target: string;
  readonly stdin?: Uint8Array;
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly services: RipgrepServices;
  /** Default: the one that `findRipgrep` finds. */
  readonly program?: string;
  readonly timeoutMs?: number;
  /** What ends a record of the output. */
  readonly separator: "\n" | "\0";
  /** Called with each record, without its separator. False: enough was seen, end the search. */
  readonly onRecord: (record: string) => boolean;
}

export interface SearchOutcome {
  /** The search ended by itself. */
  readonly complete: boolean;
  /** One line for the result when something could not be searched, or there was no time. */
  readonly notice: string | undefined;
  readonly timedOut: boolean;
}

export async function runRipgrep(search: Search): Promise<SearchOutcome> {
  const { operation, services, signal, timeoutMs = DEFAULT_TIMEOUT_MS } = search;
  const program = search.program ?? findRipgrep(services);
  if (program === undefined) {
    const issue = "ripgrep (rg) was not found, neither with omp nor in PATH: install it, or use bash";
    throw new ToolError({ operation, issue, code: "ENOENT" });
  }
  const enough = new AbortController();
  const records = new RecordReader(search.separator, (record) => {
    if (!enough.signal.aborted && !search.onRecord(record)) enough.abort();
  });
  let stderr = "";
  const decoder = new TextDecoder();
  try {
    const outcome = await runFresh({
      argv: [program, ...commonArguments, ...search.args, "--", search.target],
      cwd: search.cwd,
      stdin: search.stdin,
      env: { HOME: services.home },
      confinement: services.confinement?.(),
      needs: { readable: [program] },
      timeoutMs,
      signal: AbortSignal.any([signal, enough.signal]),
      onStdout: (chunk) => records.push(chunk),
      onStderr: (chunk) => {
        if (stderr.length < MAX_STDERR_CHARS) stderr += decoder.decode(chunk, { stream: true });
      },
    });
    records.end();
    if (signal.aborted) throw new ToolError({ operation, issue: "cancelled", code: "CANCELLED" });
    if (outcome.timedOut) {
      const notice = `Command timed out after ${timeoutMs / 1000} seconds: search in a smaller directory`;
      return { complete: false, notice, timedOut: true };
    }
    if (enough.signal.aborted) return { complete: false, notice: undefined, timedOut: false };
    if (outcome.exitCode === 2 && records.count === 0 && !isAboutEntries(stderr, search.target)) {
      throw searchError(operation, stderr);
    }
    if (outcome.signal !== null) {
      throw new ToolError({ operation, issue: `ripgrep was killed by ${outcome.signal}`, code: "SIGNAL" });
    }
    const notice = outcome.exitCode === 2 ? unreadable(stderr) : undefined;
    return { complete: true, notice, timedOut: false };
  } catch (error) {
    if (!(error instanceof ProcessError)) throw error;
    throw new ToolError({ operation, issue: error.issue, code: error.code }, { cause: error });
  }
}

/** Ripgrep explains a bad pattern in several lines, for two engines. */
function searchError(operation: string, stderr: string): ToolError {
  const glob = /error parsing glob '.*?': (.*)/.exec(stderr)?.[1];
  if (glob !== undefined)
    return new ToolError({ operation, issue: `invalid glob: ${glob}`, code: "INVALID_GLOB" });
  const own = /^error: (.*)$/m.exec(stderr)?.[1];
  const pcre = /^PCRE2: error compiling pattern at offset \d+: (.*)$/m.exec(stderr)?.[1];
  const reason = own === undefined || own.includes("not supported") ? (pcre ?? own) : own;
  if (reason !== undefined) {
    return new ToolError({ operation, issue: `invalid regex: ${reason}`, code: "INVALID_REGEX" });
  }
  const [first = "ripgrep failed"] = stderr.split("\n");
  return new ToolError({ operation, issue: first.replace(/^rg: (?:<stdin>: )?/, ""), code: "SEARCH_FAILED" });
}

/** Only some of what is in the directory could not be looked at: the search itself was made, and found nothing. */
function isAboutEntries(stderr: string, target: string): boolean {
  const [first = ""] = stderr.split("\n", 1);
  return /^rg: \.\/.*\(os error \d+\)$/.test(first) && !first.startsWith(`rg: ${target}: `);
}

function unreadable(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => line !== "");
  const more = lines.length > 1 ? ` (and ${groupDigits(lines.length - 1)} more)` : "";
  return `not searched: ${(lines[0] ?? "").replace(/^rg: (?:\.\/)?/, "")}${more}`;
}

/** Splits chunks of bytes, which may end inside a character, into records. */
export class RecordReader {
  count = 0;
  readonly #decoder = new TextDecoder();
  readonly #separator: string;
  readonly #onRecord: (record: string) => void;
  #rest = "";

  constructor(separator: string, onRecord: (record: string) => void) {
    this.#separator = separator;
    this.#onRecord = onRecord;
  }

  push(chunk: Uint8Array): void {
    const records = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split(this.#separator);
    this.#rest = records.pop() ?? "";
    for (const record of records) this.#take(record);
  }

  end(): void {
    if (this.#rest !== "") this.#take(this.#rest);
    this.#rest = "";
  }

  #take(record: string): void {
    this.count++;
    this.#onRecord(record);
  }
}
