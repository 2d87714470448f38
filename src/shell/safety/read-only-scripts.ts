/** `sed` and `awk` scripts that only print. Scripts that might write are not taken apart further: they count as writing. */

import { optionsOf } from "./options.ts";

/** One sed command that prints, deletes lines from the output or replaces text in it. */
const address = String.raw`(?:\d+(?:~\d+)?|\$|/(?:[^/\\\n]|\\.)*/I?)`;
const substitution = String.raw`s(?:/(?:[^/\\]|\\.)*/(?:[^/\\]|\\.)*/|\|(?:[^|\\]|\\.)*\|(?:[^|\\]|\\.)*\||#(?:[^#\\]|\\.)*#(?:[^#\\]|\\.)*#|,(?:[^,\\]|\\.)*,(?:[^,\\]|\\.)*,)[gpiI0-9]*`;
const sedCommand = new RegExp(
  String.raw`^\s*(?:${address}(?:,\s*(?:\+\d+|${address}))?\s*!?\s*)?(?:[pdqQ=lnNDPhHgGx]\d*|${substitution})\s*$`,
);

export function isReadingSed(args: readonly string[]): boolean {
  const { options, operands } = optionsOf(args, { values: ["e", "expression"] });
  const fine = ["n", "E", "r", "s", "u", "z", "e", "quiet", "silent", "regexp-extended", "expression"];
  if (!options.every(({ name }) => [...fine, "help", "version", "posix", "null-data"].includes(name)))
    return false;
  const scripts = options
    .filter(({ name }) => name === "e" || name === "expression")
    .map(({ value }) => value ?? "");
  const all = scripts.length > 0 ? scripts : operands.slice(0, 1);
  return all.every(
    (script) => script.length < 1000 && sedParts(script).every((part) => sedCommand.test(part)),
  );
}

/** Split at `;` and newlines; a script with one of them inside a pattern is then not recognised, and asks. */
function sedParts(script: string): string[] {
  if (sedCommand.test(script)) return [script];
  return script.split(/[;\n]/).filter((part) => part.trim() !== "");
}

/** Functions that compute; others run programs, or write. */
const AWK_CALL =
  /^(?:length|substr|index|split|sub|gsub|match|sprintf|tolower|toupper|int|sqrt|log|exp|printf|print|if|for|while|in|return|and|or)$/;

export function isReadingAwk(args: readonly string[]): boolean {
  const { options, operands } = optionsOf(args, { values: ["F", "v"] }, { permuted: false });
  if (!options.every(({ name }) => name === "F" || name === "v")) return false;
  const [program = ""] = operands;
  // Only in an action can `>` be more than a comparison.
  const actions = program.slice(program.indexOf("{"), program.lastIndexOf("}") + 1);
  return (
    program.length < 1000 &&
    !actions.includes(">") &&
    !/@|getline|\\\n/.test(program) &&
    !program.replaceAll("||", "").includes("|") &&
    [...program.matchAll(/(\w+)\s*\(/g)].every(([, name = ""]) => AWK_CALL.test(name))
  );
}
