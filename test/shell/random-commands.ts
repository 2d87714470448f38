/**
 * Makes shell commands by chance, the same ones for the same seed: quoting, pipes, here-documents, exit codes, unicode,
 * binary, syntax errors, early exits. None changes what the next one sees: variables are set before they are used, what
 * sets an option ends with `exit` or sits in a subshell.
 */

const words = [
  "plain",
  "two words",
  "ünïcödé",
  "日本語",
  "👩‍💻",
  "it's",
  'say "hi"',
  "back\\slash",
  "$HOME",
  "`tick`",
  "*",
  "~",
  "a;b",
  "#no",
  "!x",
  "-n",
  "",
  "tab\there",
  "new\nline",
];

/** In one line: what bash does with lines before a syntax error differs between -c and eval in the exit code. */
const broken = [" '", ' "open', "\ncat <<EOF\nx", "; fi", " |", "; (", "; $((1+", "; done"];

export class CommandMaker {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  make(): string {
    if (this.#below(12) === 0) return `echo ${this.#quoted()}${this.#pick(broken)}`;
    const parts = Array.from({ length: 1 + this.#below(3) }, () => this.#statement(2));
    return parts.join(this.#pick(["; ", "\n", " && ", " || "]));
  }

  #statement(depth: number): string {
    const kinds = [
      () => `echo ${this.#quoted()} ${this.#quoted()}`,
      () => `printf '%s|' ${this.#quoted()} ${this.#quoted()}`,
      () =>
        `printf '%b' '${this.#pick(["\\0001\\0377\\n", "\\xff\\xfe", "\\0", "a\\0b\\n", "\\033[31mred\\033[0m"])}'`,
      () => `head -c ${this.#below(600)} binary`,
      () => `(exit ${this.#below(256)})`,
      () => `echo ${this.#quoted()} >&2`,
      () =>
        `cat <<${this.#pick(["EOF", "'EOF'", "-EOF"])}\n${this.#pick(words)} $((${this.#below(99)}*2))\nEOF\n`,
      () => `cat <<<${this.#quoted()}`,
      () => `no_such_command_${this.#below(9)} ${this.#quoted()}`,
      () => `ls ${this.#quoted()}/nowhere`,
      () => `{ v=${this.#quoted()}; echo "$v" \${#v} \${v:0:3} \${v/a/b}; }`,
      () => `{ a=(${this.#quoted()} ${this.#quoted()}); echo \${#a[@]} "\${a[1]}"; }`,
      () => `echo $((${this.#below(50)} ${this.#pick(["+", "*", "%", "/", "<<"])} ${this.#below(5)}))`,
      () => `sh -c 'exit ${this.#below(256)}'; echo $?`,
      // Of a death by another signal bash tells with the process number, unless it had replaced itself by the program.
      () => `sh -c 'kill -PIPE $$'; echo $?; echo $(sh -c 'kill -${this.#pick(["TERM", "KILL"])} $$') $?`,
      () => `[[ x${this.#quoted()} ${this.#pick(["==", "!=", "<"])} x${this.#quoted()} ]]; echo $?`,
      () => `case ${this.#quoted()} in a*) echo starts;; *) echo other;; esac`,
      () =>
        `for i in ${this.#quoted()} ${this.#quoted()}; do ${depth > 0 ? this.#statement(depth - 1) : ":"}; ${this.#pick(["", "break", "continue"])}\ndone`,
      () => `{ f() { local x=$1; echo "f $x"; return ${this.#below(9)}; }; f ${this.#quoted()}; }`,
      () => `${this.#pick(["break", "return 3", "continue 2", "local x", "shift 9"])}`,
      () => `cat; read -r line; echo "read $?"`,
      () =>
        `echo ${this.#quoted()} | ${this.#pick(["cat", "tr a-z A-Z", "wc -c", "rev 2>/dev/null", "grep -c o", "sed s/o/0/", "false"])}`,
      () => `yes ${this.#below(9)} | head -n ${this.#below(300)}; echo "\${PIPESTATUS[0]}"`,
      () => `echo $(echo ${this.#quoted()}; exit ${this.#below(5)}) $?`,
      () => `diff <(echo ${this.#quoted()}) <(echo ${this.#quoted()})`,
      () => `(set -e; ${depth > 0 ? this.#statement(depth - 1) : ":"}; false; echo no)`,
      () => `{ echo out; echo err >&2; } ${this.#pick([">/dev/null", "2>&1", "2>/dev/null", ">&2", "2>&-"])}`,
      () => `sleep 0 & wait $!; echo $?`,
      () => `eval ${this.#quoted()}`,
      () => `( ${depth > 0 ? this.#statement(depth - 1) : ":"} )`,
      () => `! { ${depth > 0 ? this.#statement(depth - 1) : ":"}\n}`,
      () => `if ${depth > 0 ? this.#statement(depth - 1) : "true"}\nthen echo yes; else echo no; fi`,
      () => `echo "${"x".repeat(this.#below(5000))}" | wc -c`,
      () => `(set -u; echo "$not_set_anywhere"; exit 0)`,
      () => `: "\${not_set_anywhere:?${this.#pick(["gone", "fehlt"])}}"`,
      () => `exit ${this.#below(300)}`,
      () => `exec sh -c 'echo in place; exit ${this.#below(9)}'`,
      () => `exec 1>&-; echo closed`,
      () => `{ cd /nowhere; echo $?; cd / && pwd; cd "$OLDPWD"; }`,
    ];
    // Those that end the shell cost a new one: not every time.
    const index = this.#below(kinds.length);
    const make = kinds[index];
    return make === undefined ? ":" : make();
  }

  #quoted(): string {
    const word = this.#pick(words);
    switch (this.#below(4)) {
      case 0:
        return `'${word.replaceAll("'", `'\\''`)}'`;
      case 1:
        return `"${word.replaceAll(/["\\`$]/g, "\\$&")}"`;
      case 2:
        return `$'${word.replaceAll(/['\\]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\t", "\\t")}'`;
      default:
        return word === "" || /[\s'"\\`$*~;#!]/.test(word) ? `'${word.replaceAll("'", `'\\''`)}'` : word;
    }
  }

  #pick<T>(choices: readonly T[]): T {
    const chosen = choices[this.#below(choices.length)];
    if (chosen === undefined) throw new Error("nothing to choose from");
    return chosen;
  }

  /** mulberry32. */
  #below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * limit);
  }
}
