/**
 * `omp completion bash|zsh|fish`: a script that completes commands and options. Made from the command tree as it is when the
 * script is printed; it starts no omp at each Tab.
 */

import type { CommandIo } from "../app/io.ts";
import { errorLine } from "../protocol/index.ts";

export interface CommandDescription {
  readonly name: string;
  readonly description: string;
  readonly options: readonly {
    readonly flags: readonly string[];
    readonly description: string;
    readonly takesValue: boolean;
  }[];
  readonly commands: readonly CommandDescription[];
}

const scripts: Readonly<Record<string, (program: CommandDescription) => string>> = { bash, zsh, fish };

export function runCompletion(shell: string, program: CommandDescription, io: CommandIo): number {
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (!script) {
    const issue = `no completion for '${shell}'; available for ${Object.keys(scripts).join(", ")}`;
    io.stderr(`${errorLine({ operation: "completion", issue, code: "USAGE" })}\n`);
    return 2;
  }
  io.stdout(script(program));
  return 0;
}

/** Every command with the words that lead to it: `config set` under ["config", "set"]. */
function paths(
  program: CommandDescription,
  above: readonly string[] = [],
): { words: string[]; command: CommandDescription }[] {
  return [
    { words: [...above], command: program },
    ...program.commands.flatMap((child) => paths(child, [...above, child.name])),
  ];
}

function candidates({ commands, options }: CommandDescription): string[] {
  return [...commands.map(({ name }) => name), ...options.flatMap(({ flags }) => flags)];
}

function bash(program: CommandDescription): string {
  const cases = paths(program).map(
    ({ words, command }) => `    "${words.join(" ")}") words="${candidates(command).join(" ")}" ;;`,
  );
  const valued = paths(program).flatMap(({ command }) =>
    command.options.filter(({ takesValue }) => takesValue).flatMap(({ flags }) => flags),
  );
  // Anything else is a file: bash completes it itself, with its quoting.
  return `# bash completion for omp
_omp() {
  local current=\${COMP_WORDS[COMP_CWORD]} path="" is_value="" word words
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [ -n "$is_value" ]; then is_value=""; continue; fi
    case $word in
      ${[...new Set(valued)].join(" | ")}) is_value=1 ;;
      -*) ;;
      *) path="\${path:+$path }$word" ;;
    esac
  done
  if [ -n "$is_value" ]; then return; fi
  case $path in
${cases.join("\n")}
    *) words="" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _omp omp
`;
}

function zsh(program: CommandDescription): string {
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''").replaceAll(":", "\\:")}'`;
  const described = ({ commands, options }: CommandDescription) =>
    [
      ...commands.map(({ name, description }) => `${quote(name)}:${quote(description)}`),
      ...options.flatMap(({ flags, description }) =>
        flags.map((flag) => `${quote(flag)}:${quote(description)}`),
      ),
    ].join(" ");
  const cases = paths(program).map(
    ({ words, command }) => `    "${words.join(" ")}") items=(${described(command)}) ;;`,
  );
  return `#compdef omp
_omp() {
  local -a items taken
  taken=(\${\${words[2,CURRENT-1]}:#-*})
  case "\${taken[*]}" in
${cases.join("\n")}
    *) items=() ;;
  esac
  if (( \${#items} )); then _describe 'omp' items; else _files; fi
}
compdef _omp omp
`;
}

function fish(program: CommandDescription): string {
  const quote = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const lines = paths(program).flatMap(({ words, command }) => {
    const condition = `-n ${quote(`__omp_at ${words.join(" ")}`.trim())}`;
    return [
      ...command.commands.map(
        ({ name, description }) =>
          `complete -c omp ${condition} -f -a ${quote(name)} -d ${quote(description)}`,
      ),
      ...command.options.map(({ flags, description, takesValue }) => {
        const names = flags.map((flag) =>
          flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
        );
        return `complete -c omp ${condition} ${names.join(" ")}${takesValue ? " -r" : ""} -d ${quote(description)}`;
      }),
    ];
  });
  return `# fish completion for omp
function __omp_at
  set -l taken (string match -v -- '-*' (commandline -opc)[2..])
  test "$taken" = "$argv"
end
${lines.join("\n")}
`;
}
