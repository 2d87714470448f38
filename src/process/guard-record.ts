/**
 * What the watchdog guards, on disk as well: when omp and its watchdog are killed together, the next omp ends what is left. One file an
 * omp, in a directory that programs in a sandbox do not see, because it says which processes to kill.
 */

import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
} from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { attempt } from "../protocol/index.ts";
import { identityOf, isRunning } from "./identity.ts";
import { listStats, type ProcessStat, readStat } from "./proc.ts";
import { findTagged, signalAll } from "./tagged.ts";

/** What is being killed may still start more. */
const MAX_LOOKS = 10;

export class GuardRecord {
  readonly #directory: string;
  readonly #path: string;

  constructor(directory: string) {
    const { pid, started } = identityOf(process.pid);
    this.#directory = directory;
    this.#path = join(directory, `${placeName()} ${pid} ${started ?? ""}`);
  }

  /** A line of the watchdog's protocol. Where none can be written there is only the watchdog. */
  add(line: string): void {
    attempt(() => {
      mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
      appendFileSync(this.#path, line, { mode: 0o600 });
    });
  }

  /** When nothing is guarded any longer. */
  remove(): void {
    attempt(() => rmSync(this.#path, { force: true }));
    attempt(() => rmdirSync(this.#directory));
  }
}

/** Ends what omps guarded that are gone, and removes it. */
export function endLeftBehind(directory: string): void {
  const names = attempt(() => readdirSync(directory)) ?? [];
  for (const name of names) {
    const [place = "", pid = "", started = ""] = name.split(" ");
    if (place !== placeName() || isRunning({ pid: Number(pid), started: started || undefined })) continue;
    const file = join(directory, name);
    endGuarded(attempt(() => readFileSync(file, "utf8")) ?? "");
    attempt(() => rmSync(file, { force: true }));
  }
}

function endGuarded(record: string): void {
  const slots = new Map<string, string>();
  // A last line without its end was not written to the watchdog either.
  for (const line of record.split("\n").slice(0, -1)) {
    const [slot = "", entry = ""] = splitAtSpace(line);
    slots.set(slot, entry);
  }
  const entries = [...slots.values()].map(splitAtSpace);
  const valuesOf = (kind: string) =>
    entries.filter(([each]) => each === kind).map(([, value]) => value ?? "");
  const leaders = valuesOf("g")
    .filter(isSameLeader)
    .map((value) => Number.parseInt(value, 10));
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const found = [...sessionsOf(leaders), ...valuesOf("t").flatMap((text) => findTagged(text))];
    if (!signalAll(found, "SIGKILL")) break;
  }
  for (const path of valuesOf("d")) {
    attempt(() => rmSync(path, { recursive: true, force: true }));
    // The one that all omps of a user share goes with the last of them.
    if (/^omp-\d+$/.test(basename(dirname(path)))) attempt(() => rmdirSync(dirname(path)));
  }
}

/** Another process may have its number by now. */
function isSameLeader(value: string): boolean {
  const [pid = "", started = ""] = splitAtSpace(value);
  return started !== "" && readStat(Number(pid))?.started === started;
}

function sessionsOf(leaders: readonly number[]): ProcessStat[] {
  return leaders.length === 0 ? [] : listStats().filter(({ session }) => leaders.includes(session));
}

function splitAtSpace(text: string): string[] {
  return /^(\S*) ?(.*)$/s.exec(text)?.slice(1) ?? [];
}

/** Process numbers mean something only here: a home may be shared by machines and containers. */
function placeName(): string {
  const namespace = attempt(() => readlinkSync("/proc/self/ns/pid")) ?? "";
  return `${hostname()}-${namespace.replace(/\D/g, "")}`;
}
