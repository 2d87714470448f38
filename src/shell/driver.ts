/**
 * The bash side of a persistent shell. Every line that omp writes to bash's stdin makes bash run one request, which it
 * reads from a file. The text of the command goes through `eval`, which contains unclosed quotes and here-documents, and
 * that is called by `mapfile -C`: the one way to wait for more work without being in a loop or in a function, so that
 * `declare`, `break`, `return` and the line numbers of errors are those of `bash -c`.
 *
 *   omp ──stdin: a line──▶ mapfile        bash ──stdout──▶ reports (reports.ts)
 *       ──file "request"──▶ eval               ──pipes of the command──▶ its own stdout and stderr
 *
 * While a command runs, descriptors 0, 1 and 2 are its own; bash keeps those of this file close-on-exec elsewhere, so no
 * program that it starts can reach them. All names start with `__omp_`; only the array that mapfile fills must outlive the
 * clean-up after a command (bash 5.2 crashes when it is unset), and OMP_USER_EXIT_TRAP is part of the state.
 *
 * A stop (SIGURG, when the file "stop" names the request) lets the shell live: its trap leaves all loops and has a DEBUG trap skip
 * every command that is left, up to `__omp_end`. `exit` and `set -e` end the shell: the EXIT trap saves its state for the next one.
 */

import { shellQuote } from "../format/shell-quote.ts";

/** Stops whatever the shell itself does. Ignored by default, so harmless to a program that replaced it with `exec`. */
export const STOP_SIGNAL = "SIGURG";

export interface Driver {
  readonly directory: string;
  /** Random: distinguishes reports from whatever else a trap may print to the same stream. */
  readonly nonce: string;
}

const requestStep = [
  "__omp_begin",
  // Under set -e a status that is not 0 would end the shell here.
  "[[ $- == *e* ]] || __omp_status",
  '\\builtin eval "$__omp_command" </dev/null >"$__omp_pipe.out" 2>"$__omp_pipe.err"',
  '__omp_end "$?" "$@"',
].join("; ");

/** What bash is started with (`-c`); the file "start" is made by `startScript`. bash 3 has no mapfile and gets a loop. */
export function driverCommand({ directory }: Driver): string {
  const source = `builtin source ${shellQuote(`${directory}/start`)}`;
  const wait = `builtin mapfile -t -c 1 -C ${shellQuote(`${requestStep} #`)} __OMP_LINES`;
  const loop = `while builtin read -r __omp_line; do ${requestStep}; done`;
  // Not by `$(type …)`: the copy of the shell that this makes would be taken for a program of the user's.
  return `${source}; if builtin mapfile __OMP_LINES </dev/null 2>/dev/null; then ${wait}; else ${loop}; fi`;
}

/** The redirection marks the end before any command runs, which a stop might skip: inside a trap its DEBUG trap does not see which one it is. */
const EXIT_TRAP = `{ __omp_exit "$@"; } <"\${__omp_exiting:=/dev/null}"`;

export interface StartOptions extends Driver {
  readonly cwd: string;
  readonly snapshot: string | undefined;
  /** What a lost shell left, as a script. */
  readonly restore: string | undefined;
}

/** For every shell: the first one, and one that replaces a lost one. */
export function startScript({ directory, nonce, cwd, snapshot, restore }: StartOptions): string {
  const at = (name: string) => shellQuote(`${directory}/${name}`);
  const source = (path: string | undefined) =>
    path === undefined ? "" : `builtin source ${shellQuote(path)} </dev/null >/dev/null 2>&1`;
  return `
shopt -u expand_aliases
__omp_begin() {
  {
    IFS=' ' builtin read -r __omp_sequence __omp_last __omp_flags __omp_pipe
    IFS= builtin read -r -d '' __omp_back
    IFS= builtin read -r -d '' __omp_command
  } <${at("request")} || builtin :
  __omp_running=$__omp_sequence
  __omp_pipe=${at("pipe-")}$__omp_pipe
  if [[ -n $__omp_back ]]; then
    __omp_back=("$__omp_back" "$PWD" "\${OLDPWD-}")
    builtin cd -- "$__omp_back" || builtin :
  fi
}
__omp_status() { builtin return "$__omp_last"; }
__omp_end() {
  __omp_running=
  if [[ -n \${__omp_stopped-} ]]; then
    builtin source ${at("debug-trap")}
    case $__omp_stopped in *E*) builtin set -E ;; esac
    case $__omp_stopped in *T*) builtin set -T ;; esac
  fi
  if [[ -n \${__omp_back-} && $PWD == "$__omp_back" ]]; then
    builtin cd -- "\${__omp_back[1]}" 2>/dev/null || builtin :
    OLDPWD=\${__omp_back[2]}
  fi
  builtin printf '\\036${nonce} end %s %s\\0%s\\0\\0' "$__omp_sequence" "$1" "$PWD"
  case $__omp_flags in *t*) __omp_keep_traps ;; esac
  case $__omp_flags in *f*) __omp_save_functions >|${at("functions-")}"\${__omp_flags##*f}" ;; esac
  builtin set -- "$__omp_sequence" "\${@:2}"
  builtin unset "\${!__omp_@}"
  __omp_save "$@" >|${at("state-")}"$(($1 % 2))"
  builtin printf '\\036${nonce} saved %s\\0\\0' "$1"
  builtin jobs -p
  builtin printf '\\0'
}
__omp_save() {
  builtin declare -p
  # bash 3 has no such variable.
  [[ -n \${BASHOPTS-} ]] || builtin shopt -p | while builtin read -r __omp_line; do builtin printf '# %s\\n' "$__omp_line"; done
  builtin alias -p
  builtin trap -p
  builtin umask -p
  [[ $# == 1 ]] || { builtin printf 'set --'; builtin printf ' %q' "\${@:2}"; builtin printf '\\n'; }
  builtin printf '__omp_old=%q; builtin cd -- %q || __omp_no_cwd=1\\n' "\${OLDPWD-}" "$PWD"
  builtin printf 'OLDPWD=$__omp_old; unset __omp_old\\n# saved %s\\n' "$1"
}
__omp_save_functions() {
  builtin declare -f
  builtin declare -Fx
  builtin printf '# saved functions\\n'
}
__omp_keep_traps() {
  ${stopTrap(at)}
  builtin trap -p EXIT >|${at("exit-trap")}
  IFS= builtin read -r -d '' __omp_trap <${at("exit-trap")} || builtin :
  [[ $__omp_trap != *__omp_exit* ]] || builtin return 0
  builtin eval "set -- $__omp_trap"
  OMP_USER_EXIT_TRAP=\${3-}
  builtin trap ${shellQuote(EXIT_TRAP)} EXIT
}
__omp_exit() {
  if [[ -z \${__omp_stopped-} && -n \${OMP_USER_EXIT_TRAP-} ]]; then
    # bash has given the command's descriptors back by now.
    __omp_pipe=\${__omp_pipe-${at("closing")}}
    builtin eval "$OMP_USER_EXIT_TRAP" </dev/null >"$__omp_pipe.out" 2>"$__omp_pipe.err"
    builtin unset OMP_USER_EXIT_TRAP
  fi
  builtin unset "\${!__omp_@}"
  __omp_save_functions >|${at("functions-exit")}
  __omp_save exit "$@" >|${at("state-exit")}
}

# Aliases are read last, and only used from then on: they would change the functions.
builtin cd -- ${shellQuote(cwd)} || builtin cd /
${source(snapshot)}
${restore === undefined ? "shopt -s expand_aliases" : source(restore)}
[[ -z \${__omp_no_cwd-} ]] || \\builtin cd -- ${shellQuote(cwd)} || \\builtin cd /

\\builtin trap ${shellQuote(EXIT_TRAP)} EXIT
${stopTrap(at)}
# From here on there is always something that a successor can be made of.
__omp_save_functions >|${at("functions-start")}
__omp_save start "$@" >|${at("state-start")}
\\builtin printf '\\036${nonce} ready %s 0\\0%s\\0\\0' "\${__omp_no_cwd-0}" "$PWD"
\\builtin unset "\${!__omp_@}"
`;
}

/**
 * Both in a trap's own words, because a function has no loops to leave. The first stop of a command remembers the user's DEBUG trap and
 * the options that `extdebug` changes; more of them (stop-command.ts) leave the loops of the functions that the first one did not reach.
 */
function stopTrap(at: (name: string) => string): string {
  const skip = [
    `case \${__omp_exiting-}$BASH_COMMAND in`,
    "/dev/null* | __omp_*) \\builtin trap - DEBUG; \\builtin shopt -u extdebug ;;",
    "*) \\builtin break 9999 2>/dev/null; ! \\builtin : ;;",
    "esac",
  ].join(" ");
  const stop = `
if [[ -z \${__omp_exiting-} && -n \${__omp_running-} ]] && IFS= \\builtin read -r __omp_stop <${at("stop")} && [[ $__omp_stop == "$__omp_running" ]]; then
  [[ -n \${__omp_stopped-} ]] || { __omp_stopped=-$-; \\builtin trap -p DEBUG >|${at("debug-trap")}; }
  \\builtin shopt -s extdebug
  \\builtin trap ${shellQuote(skip)} DEBUG
  \\builtin break 9999 2>/dev/null
fi`;
  return `\\builtin trap ${shellQuote(stop)} URG`;
}

export interface Request {
  readonly sequence: number;
  readonly command: string;
  /** `$?` as the last command left it. */
  readonly lastStatus: number;
  readonly cwd: string | undefined;
  /** Its pipes are "pipe-<number>.out" and "….err". */
  readonly pipe: number;
  /** Where the functions are saved to, "functions-<slot>"; not at all when undefined. */
  readonly functionsSlot: number | undefined;
}

export function requestText(request: Request): string {
  const { sequence, lastStatus, pipe, cwd = "", command, functionsSlot } = request;
  const flags = `-${mayChangeTraps(command) ? "t" : ""}${functionsSlot === undefined ? "" : `f${functionsSlot}`}`;
  return `${sequence} ${lastStatus} ${flags} ${pipe}\n${cwd}\0${command}`;
}

/** What may define or remove functions: only then are they saved, because there may be a megabyte of them. */
export function mayChangeFunctions(command: string): boolean {
  return /\(\s*\)|\b(?:function|source|eval|unset|export|declare|typeset|readonly|activate)\b|(?:^|[\s;&|({])\.\s/.test(
    command,
  );
}

function mayChangeTraps(command: string): boolean {
  return /\b(?:trap|source|eval)\b|(?:^|[\s;&|({])\.\s/.test(command);
}
