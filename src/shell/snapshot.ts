/**
 * What the user's own shell defines and a shell without start-up files does not: functions, aliases, options and PATH, as
 * a file that bash sources. Taken once from a login shell; when that takes too long or is too large, there is none.
 *
 * Not part of it: variables (start-up files export keys), completion, prompts, history. Of zsh only what bash can read.
 */

import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { formatLimit } from "../format/durations.ts";
import { count } from "../format/numbers.ts";
import { shellQuote } from "../format/shell-quote.ts";
import { isAlive } from "../process/identity.ts";
import { runFresh } from "../process/run-fresh.ts";
import { ProcessError } from "../process/spawn-fresh.ts";
import type { Watchdog } from "../process/watchdog.ts";
import { attempt, systemCode } from "../protocol/index.ts";
import { shellEnvironment } from "./environment.ts";

export interface SnapshotOptions {
  /** The user's shell, as `SHELL` names it; for anything but bash and zsh, bash is asked. */
  readonly shell: string | undefined;
  /** The filtered environment. */
  readonly env: Readonly<Record<string, string>>;
  /** omp's private directory; made when it is not there. */
  readonly directory: string;
  /** Its path, where that was passed on before it is taken: in `directory`, from `snapshotPath`. */
  readonly path?: string;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  /** Ends it: nobody needs it any more. */
  readonly signal?: AbortSignal;
  readonly watchdog?: Watchdog;
}

export type Snapshot =
  | { readonly path: string; readonly problem?: undefined }
  /** One line: why the shells start without one. */
  | { readonly path: undefined; readonly problem: string };

const DEFAULT_TIMEOUT_MS = 2_000;
const DEFAULT_MAX_BYTES = 1_000_000;

/** With the number of this process in its name: it is kept as long as that runs. */
export function snapshotPath(directory: string): string {
  return join(directory, `snapshot-${process.pid}-${Date.now().toString(36)}.sh`);
}

export async function takeSnapshot(options: SnapshotOptions): Promise<Snapshot> {
  const { shell, directory, timeoutMs = DEFAULT_TIMEOUT_MS, maxBytes = DEFAULT_MAX_BYTES } = options;
  const isZsh = shell !== undefined && basename(shell) === "zsh";
  const program = isZsh || (shell !== undefined && basename(shell) === "bash") ? shell : "bash";
  const path = options.path ?? snapshotPath(directory);
  const [raw, unfinished] = [`${path}.raw`, `${path}.new`];
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    removeForgotten(directory);
    // Made here, so that it is private from the start.
    writeFileSync(raw, "", { mode: 0o600, flag: "wx" });
    const outcome = await runFresh({
      argv: [program, "-l", "-i", "-c", isZsh ? zshScript(raw) : bashScript(raw)],
      cwd: options.env["HOME"] ?? "/",
      env: shellEnvironment(options.env),
      timeoutMs,
      signal: options.signal ?? new AbortController().signal,
      onStdout: () => undefined,
      onStderr: () => undefined,
      ...(options.watchdog === undefined ? {} : { watchdog: options.watchdog }),
    });
    if (outcome.timedOut) return without(`${program} took longer than ${formatLimit(timeoutMs)} to start`);
    const text = readFileSync(raw, "latin1");
    if (!text.endsWith("\0end\n")) return without(`${program} ended before it had printed its definitions`);
    const script = isZsh ? fromZsh(text) : fromBash(text);
    if (script.length > maxBytes)
      return without(`${program} defines more than ${count(maxBytes, "byte")} of functions`);
    // Whole at once: a kernel's `bash()` may be waiting for it.
    writeFileSync(unfinished, script, { mode: 0o600, flag: "wx", encoding: "latin1" });
    renameSync(unfinished, path);
    return { path };
  } catch (error) {
    if (error instanceof ProcessError) return without(error.message);
    const code = systemCode(error);
    if (code === undefined) throw error;
    return without(`it could not be written (${code})`);
  } finally {
    for (const file of [raw, unfinished]) attempt(() => rmSync(file, { force: true }));
  }
}

/** Removes those of omp processes that have ended: until then a kernel may use its own. */
function removeForgotten(directory: string): void {
  for (const name of readdirSync(directory)) {
    const owner = /^snapshot-(\d+)-/.exec(name)?.[1];
    if (owner !== undefined && !isAlive(Number(owner))) rmSync(join(directory, name), { force: true });
  }
}

function without(problem: string): Snapshot {
  return { path: undefined, problem: `shell snapshot: ${problem}` };
}

/**
 * PATH NUL options NUL functions NUL aliases NUL end. Functions of completion packages are only in the way. A login shell reads
 * .bashrc only where its own file says so; in a terminal it is read nevertheless.
 */
function bashScript(file: string): string {
  return `
for __omp_file in ~/.bash_profile ~/.bash_login ~/.profile /dev/null; do
  [[ -r $__omp_file ]] || builtin continue
  [[ $(<"$__omp_file") == *bashrc* || ! -r ~/.bashrc ]] || builtin source ~/.bashrc
  builtin break
done
{
  builtin printf '%s\\0' "$PATH"
  builtin shopt -p
  builtin shopt -po noclobber pipefail physical
  builtin printf '\\0'
  builtin shopt -s extdebug
  __omp_list=()
  while builtin read -r __omp_name __omp_line __omp_file; do
    case $__omp_name:$__omp_file in command_not_found_handle:* | *:*completion*) continue ;; esac
    __omp_list+=("$__omp_name")
  done < <(builtin declare -F $(builtin compgen -A function))
  builtin shopt -u extdebug
  [[ \${#__omp_list[@]} == 0 ]] || builtin declare -f "\${__omp_list[@]}"
  builtin printf '\\0'
  builtin alias -p
  builtin printf '\\0end\\n'
} >|${shellQuote(file)} 2>/dev/null
builtin exit 0`;
}

/** Options that only matter at a keyboard, or that cannot be set. */
const SKIPPED_OPTIONS =
  /\b(?:login_shell|restricted_shell|extdebug|checkwinsize|cmdhist|hist\w+|progcomp\w*|promptvars|mailwarn|lithist|complete_fullquote|force_fignore|hostcomplete|no_empty_cmd_completion|huponexit|checkjobs|compat\d+)\b/;

function fromBash(text: string): string {
  const [path = "", options = "", functions = "", aliases = ""] = text.split("\0");
  const kept = options.split("\n").filter((line) => line !== "" && !SKIPPED_OPTIONS.test(line));
  // Aliases last: bash replaces them while it reads, also inside the functions.
  return [...kept, functions, pathLines(path), aliases, ...chosenPython, ""].join("\n");
}

/** These are the chosen environment's programs, as in a kernel: `alias python=python3.9` of a start-up file is for other shells. */
const chosenPython = [
  "builtin unalias python python3 pip pip3 2>/dev/null",
  "builtin unset -f python python3 pip pip3",
];

function zshScript(file: string): string {
  return `
{
  print -rN -- "$PATH"
  for k v in "\${(@kv)aliases}"; do print -rN -- "$k" "$v"; done
  print -r -- end
} >|${shellQuote(file)} 2>/dev/null
exit 0`;
}

/** Names that bash takes for an alias, without those that would change the meaning of the shell's own words. */
const ALIAS_NAME = /^[A-Za-z0-9_.:,+@%^!?~-]+$/;

function fromZsh(text: string): string {
  const [path = "", ...pairs] = text.split("\0").slice(0, -1);
  const aliases: string[] = [];
  for (let at = 0; at + 1 < pairs.length; at += 2) {
    const [name = "", value = ""] = [pairs[at], pairs[at + 1]];
    if (ALIAS_NAME.test(name) && !value.includes("\n")) aliases.push(`alias -- ${name}=${shellQuote(value)}`);
  }
  return [pathLines(path), ...aliases, ...chosenPython, ""].join("\n");
}

/** Appends the directories that PATH lacks: those that the user started omp with have priority. */
function pathLines(path: string): string {
  const entries = path.split(":").filter((entry) => entry.startsWith("/"));
  return [
    `for __omp_p in ${entries.map(shellQuote).join(" ")}; do`,
    '  case ":$PATH:" in *":$__omp_p:"*) ;; *) PATH="$PATH:$__omp_p" ;; esac',
    "done",
    "unset __omp_p",
  ].join("\n");
}
