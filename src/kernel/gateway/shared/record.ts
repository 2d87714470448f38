/** `gateway.json`: which process is the shared gateway, and how to reach it. Written by that process itself. */

import { linkSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { isRunning } from "../../../process/identity.ts";
import { systemCode } from "../../../protocol/index.ts";
import { asRecord, parseJson } from "../../../protocol/record.ts";
import { KernelError } from "../../errors.ts";

export const RECORD_VERSION = 1;

export interface GatewayRecord {
  readonly version: number;
  readonly pid: number;
  /** The process's start time, so that another one with its number is not taken for it. */
  readonly started: string | undefined;
  readonly host: string;
  readonly url: string;
  readonly token: string;
  readonly python: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** The directory of this very gateway, removed with it. */
  readonly run: string;
}

function recordFile(directory: string): string {
  return join(directory, "gateway.json");
}

/** Undefined when there is none that this version of omp understands. Throws KernelError when it cannot be read. */
export function readRecord(directory: string): GatewayRecord | undefined {
  const text = recordText(directory);
  return text === undefined ? undefined : parseRecord(text);
}

function recordText(directory: string): string | undefined {
  const file = recordFile(directory);
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT") return undefined;
    if (code === undefined) throw error;
    throw new KernelError({ kind: "gateway", issue: `cannot read ${file}`, code }, { cause: error });
  }
}

function parseRecord(text: string): GatewayRecord | undefined {
  // Not JSON when it was torn by a crash of the machine, or is not ours: it is replaced when a gateway starts.
  const fields = asRecord(parseJson(text));
  const word = (name: string) => (typeof fields[name] === "string" ? fields[name] : "");
  const pid = Number(fields["pid"]);
  // The address is checked because the token is sent there.
  const isOurs = /^http:\/\/127\.0\.0\.1:\d+$/.test(word("url")) && Number.isSafeInteger(pid) && pid > 1;
  if (fields["version"] !== RECORD_VERSION || !isOurs) return undefined;
  return {
    version: RECORD_VERSION,
    pid,
    started: word("started") || undefined,
    host: word("host"),
    url: word("url"),
    token: word("token"),
    python: word("python"),
    startedAt: word("startedAt"),
    run: word("run"),
  };
}

/** A gateway touches its record every few seconds at most. */
const FOREIGN_SILENCE_MS = 60_000;

/**
 * Whether the recorded process runs. Where several machines share a home only the record's own machine can tell; for the others
 * it counts for as long as it is touched.
 */
export function recordState(directory: string, record: GatewayRecord): "running" | "gone" | "elsewhere" {
  if (record.host === hostname()) return isRunning(record) ? "running" : "gone";
  const touchedAt = statSync(recordFile(directory), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return Date.now() - touchedAt > FOREIGN_SILENCE_MS ? "gone" : "elsewhere";
}

export interface Unpublished {
  putBack(): void;
  remove(): void;
}

/** Moves the record aside, so that no new user finds the gateway while its fate is decided. */
export function unpublish(directory: string): Unpublished {
  const file = recordFile(directory);
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
  }
  const remove = () => rmSync(aside, { force: true });
  const putBack = () => {
    try {
      linkSync(aside, file);
    } catch (error) {
      // EEXIST: a gateway has published itself in between, and is the one that counts.
      if (systemCode(error) !== "EEXIST" && systemCode(error) !== "ENOENT") throw error;
    }
    remove();
  };
  return { putBack, remove };
}
