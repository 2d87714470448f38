/**
 * Cleans up when omp itself is killed: one tiny POSIX `sh` that outlives it. It reads a list of guarded process
 * groups and directories from a pipe; when the pipe ends, because omp closed it or died in any way, it kills the groups
 * and removes the directories that are still on the list.
 *
 * One line a change, `<slot> g <pgid> <start time>`, `<slot> t <tag>` (see tagged.ts), `<slot> d <path>` or `<slot> ` (released). A line
 * is written at once and in one piece (shorter than PIPE_BUF), and the shell ignores a last line without its newline, so a SIGKILL at any
 * moment leaves a correct list. Out of reach: a process that moved to a session of its own (`setsid`) and has no tag, and the instant
 * between a spawn and its `guardGroup`. A group's leader is expected to lead a session of the same number.
 */

import { isAbsolute } from "node:path";
import { systemCode } from "../protocol/index.ts";
import { isForeignGroup } from "./group.ts";
import { endLeftBehind, GuardRecord } from "./guard-record.ts";
import { identityOf } from "./identity.ts";
import type { Tag } from "./tagged.ts";

export interface Watchdog {
  /** Each returns the "release": call it when the thing has ended in an orderly way. */
  guardGroup(pgid: number): () => void;
  /** Everything with this in its environment. */
  guardTag(tag: Pick<Tag, "text">): () => void;
  guardDirectory(path: string): () => void;
  /** Ends the watchdog, which takes everything that is still guarded with it. The next guard starts a new one. */
  close(): Promise<void>;
  /** Keeps the list in this directory as well, and ends what earlier omps have left there: those that were killed with their watchdog. */
  recordIn(directory: string): void;
}

// Groups first: a directory is only gone for good when nothing is left to write into it. A dying process may still hold
// the directory busy for a moment, hence the second `rm`.
//
// What we guard leads a session, in which programs make groups of their own (`timeout`, a shell with job control). On systems with
// /proc these are looked for until none is left: one that is about to be killed may still start another. Elsewhere `ps` does not tell
// the session: what is below the leaders is looked for before they are killed, because afterwards nothing has a parent.
const scriptFor = (proc: string) => `
trap '' INT TERM HUP QUIT TSTP PIPE
top=0
while IFS= read -r line; do
  slot=\${line%% *}
  entry=\${line#* }
  eval "entry_$slot=\\$entry"
  [ "$slot" -le "$top" ] || top=$slot
done
leaders=' '
tags=
slot=0
while [ "$slot" -lt "$top" ]; do
  slot=$((slot + 1))
  eval "entry=\\$entry_$slot"
  case $entry in
    g\\ *) entry=\${entry#g }; leaders="$leaders\${entry%% *} " ;;
    t\\ *) tags="$tags -e \${entry#t }" ;;
  esac
done
below=$leaders
if [ "$leaders" != ' ' ] && [ ! -r ${proc}/self/stat ]; then
  table=$(ps -axo pid=,ppid=)
  grown=1
  while [ -n "$grown" ]; do
    grown=
    set -- $table
    while [ $# -ge 2 ]; do
      case $below in
        *" $1 "*) ;;
        *" $2 "*) below="$below$1 "; grown=1 ;;
      esac
      shift 2
    done
  done
fi
for pid in $below; do
  case $leaders in
    *" $pid "*) kill -s KILL -- "-$pid" ;;
    *) kill -s KILL "$pid" ;;
  esac
done
look=0
while [ "$leaders" != ' ' ] && [ "$look" -lt 10 ]; do
  look=$((look + 1))
  found=
  for stat in ${proc}/[0-9]*/stat; do
    { IFS= read -r line < "$stat"; } || continue
    pid=\${line%% *}
    set -f
    set -- \${line##*) }
    set +f
    case $1 in Z | X) continue ;; esac
    case $leaders in *" \${4:-none} "*) kill -s KILL "$pid" && found=1 ;; esac
  done
  [ -n "$found" ] || break
done
look=0
while [ -n "$tags" ] && [ "$look" -lt 10 ]; do
  look=$((look + 1))
  found=
  for environ in $(grep -l -F $tags ${proc}/[0-9]*/environ); do
    pid=\${environ%/environ}
    kill -s KILL "\${pid##*/}" && found=1
  done
  [ -n "$found" ] || break
done
slot=0
while [ "$slot" -lt "$top" ]; do
  slot=$((slot + 1))
  eval "entry=\\$entry_$slot"
  case $entry in
    d\\ *)
      rm -rf -- "\${entry#d }" || { sleep 1; rm -rf -- "\${entry#d }"; }
      # The one that all omps of a user share goes with the last of them.
      parent=\${entry#d }
      parent=\${parent%/*}
      case \${parent##*/} in omp-[0-9]*) rmdir -- "$parent" ;; esac
      ;;
  esac
done
`;

type Shell = Bun.Subprocess<"pipe", "ignore", "ignore">;

/** PIPE_BUF, and room in it for the slot number. */
const MAX_ENTRY_BYTES = (process.platform === "linux" ? 4096 : 512) - 24;

/** An object, not a bare string: a release must be able to distinguish its own entry from a later equal one. */
interface Entry {
  readonly line: string;
}

export class ShellWatchdog implements Watchdog {
  readonly #entries = new Map<number, Entry>();
  readonly #script: string;
  #shell: Shell | undefined;
  #record: GuardRecord | undefined;

  /** @param options.proc where Linux describes processes; other systems have no such directory. */
  constructor({ proc = "/proc" }: { readonly proc?: string } = {}) {
    this.#script = scriptFor(proc);
  }

  /** The watchdog's process, while it runs: for tests and for `omp doctor`. */
  get pid(): number | undefined {
    return this.#shell?.pid;
  }

  guardGroup(pgid: number): () => void {
    if (!isForeignGroup(pgid)) throw new Error(`refusing to guard process group ${pgid}`);
    return this.#guard(`g ${pgid} ${identityOf(pgid).started ?? ""}`);
  }

  guardTag({ text }: Pick<Tag, "text">): () => void {
    return this.#guard(`t ${text}`);
  }

  recordIn(directory: string): void {
    if (this.#record !== undefined) return;
    endLeftBehind(directory);
    this.#record = new GuardRecord(directory);
    for (const [slot, { line }] of this.#entries) this.#record.add(`${slot} ${line}\n`);
  }

  guardDirectory(path: string): () => void {
    if (!isAbsolute(path) || path === "/") throw new Error(`refusing to guard directory '${path}'`);
    // A line break would be read as the next command.
    if (/[\n\0]/.test(path)) throw new Error("refusing to guard a directory with a line break in its name");
    return this.#guard(`d ${path}`);
  }

  async close(): Promise<void> {
    const shell = this.#shell;
    this.#shell = undefined;
    this.#entries.clear();
    if (shell === undefined) return this.#forget();
    // Not awaited: it never settles when the shell is already dead. The exit is what counts.
    void shell.stdin.end();
    await shell.exited;
    this.#forget();
  }

  #forget(): void {
    this.#record?.remove();
    this.#record = undefined;
  }

  #guard(line: string): () => void {
    if (Buffer.byteLength(line) > MAX_ENTRY_BYTES)
      throw new Error("the name of a guarded directory is too long");
    const slot = this.#freeSlot();
    const entry: Entry = { line };
    this.#entries.set(slot, entry);
    this.#record?.add(`${slot} ${line}\n`);
    if (!this.#send(slot, line)) this.#start();
    return () => {
      if (this.#entries.get(slot) !== entry) return;
      this.#entries.delete(slot);
      this.#record?.add(`${slot} \n`);
      this.#send(slot, "");
    };
  }

  /** Slots are used again, so that the shell's list stays as short as the most things ever guarded at once. */
  #freeSlot(): number {
    let slot = 1;
    while (this.#entries.has(slot)) slot += 1;
    return slot;
  }

  /** @returns false when no watchdog runs: none was started yet, or it was killed. */
  #send(slot: number, line: string): boolean {
    if (this.#shell === undefined) return false;
    try {
      write(this.#shell, slot, line);
      return true;
    } catch (error) {
      if (systemCode(error) !== "EPIPE") throw error;
      this.#shell = undefined;
      return false;
    }
  }

  /** Also after the watchdog was killed: the new one is sent everything that is guarded now. */
  #start(): void {
    const shell = Bun.spawn(["/bin/sh", "-c", this.#script, "omp-watchdog"], {
      // Its own session: Ctrl+C, hang-ups and group signals meant for omp do not reach it.
      detached: true,
      cwd: "/",
      // It needs `rm` and `sleep`, and none of the user's keys.
      env: { PATH: "/usr/bin:/bin:/run/current-system/sw/bin" },
      stdin: "pipe",
      // Not inherited: a program that reads omp's output to its end must not wait for the watchdog.
      stdout: "ignore",
      stderr: "ignore",
      onExit: (ended) => {
        if (this.#shell === ended) this.#shell = undefined;
      },
    });
    // Neither the process nor the pipe keeps omp running.
    shell.unref();
    shell.stdin.unref();
    this.#shell = shell;
    for (const [slot, { line }] of this.#entries) write(shell, slot, line);
  }
}

function write(shell: Shell, slot: number, line: string): void {
  shell.stdin.write(`${slot} ${line}\n`);
  // Bun writes to the pipe within this call; without it the line would wait for the event loop.
  shell.stdin.flush();
}

let shared: ShellWatchdog | undefined;

/** The one of this process. Starts its shell with the first thing to guard. */
export function sharedWatchdog(): Watchdog {
  shared ??= new ShellWatchdog();
  return shared;
}

let holders = 0;

/** For one of several sessions: the last one that releases it closes it. Closing it earlier would end what the others have started. */
export function holdSharedWatchdog(): () => Promise<void> {
  holders += 1;
  let isHeld = true;
  return async () => {
    if (isHeld) holders -= 1;
    isHeld = false;
    if (holders === 0) await shared?.close();
  };
}
