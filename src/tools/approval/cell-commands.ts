/** The shell commands in a Python cell, as far as its text tells: what the safety rules look at. */

/** Cell magics whose body is a script for the shell. `%%script` names its program. */
const SHELL_MAGIC = /^(?:bash|sh|!|sx|system)$/;
/** Cell magics whose body is something else than a cell: a page, a file, a script for another program. */
const OTHER_MAGIC =
  /^(?:html|javascript|js|latex|markdown|svg|(?:write)?file|script|perl|ruby|pypy|python\d?|sql)$/i;
const SHELL_PROGRAM = /^(?:\S*\/)?(?:ba|da|k|z)?sh\b/;

/** `!command`, `x = !command`, `%sx command`, `%time !command`; a line that ends with a backslash continues. */
const ESCAPE =
  /^[ \t]{0,200}(?:[\w.,*[\]"' \t]{1,200}=[ \t]*|%\w{1,40}[ \t][^!\n]{0,200})?(?:!!?|%(?:sx|system)[ \t])((?:[^\n]*\\\n)*[^\n]+)$/gm;

/** IPython's names for programs and for `cd`, which need no mark: `%rm -r x`, and `rm -r x` where no variable is called so. */
const ALIAS = /^[ \t]{0,200}%?((?:cd|pushd|rm|mv|cp|ln|mkdir|rmdir|cat|ls)[ \t]+[^\s=,:)\]][^\n]*)$/gm;

/** Functions that give a text to the shell, where that is written out: `bash("ls")`, `os.system('ls')`. */
const CALL =
  /\b(?:bash|os\.(?:system|popen)|subprocess\.get(?:status)?output|get_ipython\(\)\.(?:system|getoutput))\(\s*[rfRF]{0,2}("""|'''|"|')((?:\\[\s\S]|(?!\1)[^\\])*)\1/g;

export function findCellCommands(code: string): readonly string[] {
  const magic = /^\s*%%(!|\w+)[ \t]*([^\n]*)(?:\n([\s\S]*))?$/.exec(code);
  if (magic !== null) {
    const [, name = "", line = "", body = ""] = magic;
    if (SHELL_MAGIC.test(name)) return [name === "bash" || name === "sh" ? body : `${line}\n${body}`];
    if (name === "script" && SHELL_PROGRAM.test(line)) return [body];
    if (OTHER_MAGIC.test(name)) return [];
    // `%%time`, `%%capture` and others run the rest as a cell of its own.
    return [...findCellCommands(line), ...findCellCommands(body)];
  }
  return [
    ...[...code.matchAll(ESCAPE)].map(([, command = ""]) => command),
    ...[...code.matchAll(ALIAS)].map(([, command = ""]) => command),
    ...[...code.matchAll(CALL)].map(([, , text = ""]) => unescaped(text)),
  ];
}

/** Characters that mean themselves after a backslash, and a newline. */
function unescaped(text: string): string {
  return text.replace(/\\(["'\\n])/g, (_, character: string) => (character === "n" ? "\n" : character));
}
