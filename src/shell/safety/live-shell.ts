/** What is known of the shell that a command will run in: its variables, aliases and functions, as bash itself printed them. */

import { ansiQuoted } from "./marks.ts";

export interface ShellVariable {
  /** The letters of `declare`: `x` exported, `i` integer, `n` another name for a variable. */
  readonly attributes: string;
  /** Undefined for arrays, and where it has none. */
  readonly value: string | undefined;
}

export interface LiveShell {
  readonly variables: ReadonlyMap<string, ShellVariable>;
  readonly aliases: ReadonlyMap<string, string>;
  readonly functions: ReadonlySet<string>;
}

const QUOTED = String.raw`"(?:[^"\\]|\\[\s\S])*"|\$'(?:[^'\\]|\\[\s\S])*'`;
const VARIABLE = new RegExp(
  String.raw`declare -([A-Za-z-]+) ([A-Za-z_]\w*)(?:=(?:(${QUOTED})|\((?:[^"'()\n]|${QUOTED})*\)|([^\n"'(]*)))?\n`,
  "y",
);
const ALIAS = /^alias (?:-- )?([^\s=]+)=((?:'[^']*'|\\')*)$/gm;
const FUNCTION = /^(?:function )?(\S+) \(\) *$/gm;

/** @param text the output of `declare -p`, `declare -f` and `alias -p`, in any order. What looks like an alias or a function counts as one. */
export function readLiveShell(text: string, env: Readonly<Record<string, string>> = {}): LiveShell {
  const variables = new Map<string, ShellVariable>();
  for (const [name, value] of Object.entries(env)) variables.set(name, { attributes: "x", value });
  for (let at = 0; at !== -1 && at < text.length; ) {
    VARIABLE.lastIndex = at;
    const found = VARIABLE.exec(text);
    if (found === null) at = text.indexOf("\n", at) + 1 || -1;
    else {
      const [, attributes = "", name = "", quoted, bare] = found;
      variables.set(name, { attributes, value: quoted === undefined ? bare : unquote(quoted) });
      at = VARIABLE.lastIndex;
    }
  }
  const aliases = new Map<string, string>();
  for (const [, name = "", quoted = ""] of text.matchAll(ALIAS)) {
    const value = quoted.replaceAll("\\'", "'\"'\"'").replace(/'([^']*)'|"([^"]*)"/g, "$1$2");
    // Two of one name: one of them is part of something else, and it is not known which.
    aliases.set(name, aliases.has(name) && aliases.get(name) !== value ? "(" : value);
  }
  const functions = new Set([...text.matchAll(FUNCTION)].map(([, name = ""]) => name));
  return { variables, aliases, functions };
}

function unquote(text: string): string {
  if (text.startsWith("$'")) return ansiQuoted(text.slice(2, -1));
  return text.slice(1, -1).replace(/\\([\\"$`])/g, "$1");
}
