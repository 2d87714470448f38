/** Random wrappings, several deep: what is dangerous stays so, and what is harmless does not become dangerous. */

import { expect, test } from "bun:test";
import { findDanger } from "../../../src/shell/safety/find-danger.ts";
import { chance } from "../../support/chance.ts";

const place = { home: "/home/ann", cwd: "/home/ann/project" };

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
const doubleQuote = (text: string) => `"${text.replace(/["\\$`]/g, "\\$&")}"`;

type Wrap = (command: string) => string;

/** Around a whole statement. */
const around: readonly [Wrap, ...Wrap[]] = [
  (c) => `bash -c ${quote(c)}`,
  (c) => `sh -c ${doubleQuote(c)}`,
  (c) => `sudo -u root bash -euo pipefail -c ${quote(c)} name`,
  (c) => `eval ${quote(c)}`,
  (c) => `echo "$(\n${c}\n)"`,
  (c) => `x=$(\n${c}\n)`,
  (c) => `cat <(\n${c}\n)`,
  (c) => `echo ${quote(c)} | sh`,
  (c) => `printf '%s\\n' ${quote(c)} | sudo bash -s`,
  (c) => `bash <<< ${quote(c)}`,
  // Each with an end of its own: the first one that fits would end them all.
  (c) => `bash <<'END${c.length}'\n${c}\nEND${c.length}\n`,
  (c) => `cat <<'END${c.length}' | sh\n${c}\nEND${c.length}\n`,
  (c) => `source <(echo ${quote(c)})`,
  (c) => `(\n${c}\n)`,
  (c) => `{\n${c}\n}`,
  (c) => `if true; then\n${c}\nfi`,
  (c) => `if\n${c}\nthen :; fi`,
  (c) => `for i in 1 2; do\n${c}\ndone`,
  (c) => `while true; do\n${c}\ndone`,
  (c) => `case $x in a) ;; *)\n${c}\n;; esac`,
  (c) => `f() {\n${c}\n}\nf`,
  (c) => `ls; pwd\n${c}`,
  (c) => `true && {\n${c}\n}`,
  (c) => `${c}\nls`,
  (c) => `script=${quote(c)}; bash -c "$script"`,
  (c) => `script=${quote(c)}; eval "$script"`,
  (c) => `trap ${quote(c)} EXIT`,
  (c) => `ssh host ${quote(c)}`,
  (c) => `find . -name x -exec sh -c ${quote(c)} \\;`,
  (c) => `timeout 5 sh -c ${quote(c)} > /dev/null 2>&1`,
];

/** Before a simple command. */
const before = [
  "",
  "sudo ",
  "sudo -E -u root ",
  "env A=b ",
  "nice -n 5 ",
  "timeout -s KILL 10 ",
  "command ",
  "nohup ",
  "time ",
  "X=1 ",
  "exec ",
  "stdbuf -oL ",
] as const;

const dangerous = [
  "rm -rf /",
  'rm -fr --no-preserve-root "/"',
  "rm -r -f -- /*",
  "rm --recursive --force /etc",
  "mkfs.ext4 /dev/sda1",
  "dd if=/dev/zero of=/dev/nvme0n1 bs=1M",
  "chmod -R 777 /",
  "find / -delete",
] as const;

const harmless = [
  "rm -rf build",
  "echo 'rm -rf /'",
  'echo "rm -rf /"',
  "grep 'mkfs.ext4 /dev/sda' log",
  "dd if=a of=b.img",
  "chmod -R 777 ./dir",
  "find . -name '*.o' -delete",
  "git commit -m 'rm -rf /'",
] as const;

function wrapped(cores: readonly [string, ...string[]], seed: number): string {
  const { below: next, pick } = chance(seed);
  let command = pick(before) + pick(cores);
  for (let depth = next(5); depth > 0; depth -= 1) command = pick(around)(command);
  return command;
}

const rounds = Array.from({ length: 600 }, (_, seed) => seed);

test("a dangerous command is found under any wrapping", async () => {
  for (const seed of rounds) {
    const command = wrapped(dangerous, seed);
    if ((await findDanger(command, place)) === undefined) throw new Error(`not found (${seed}):\n${command}`);
  }
  expect(rounds).toHaveLength(600);
});

test("a harmless command is not blocked under any wrapping", async () => {
  for (const seed of rounds) {
    const command = wrapped(harmless, seed);
    const danger = await findDanger(command, place);
    if (danger !== undefined) throw new Error(`${danger.reason} (${seed}):\n${command}`);
  }
  expect(rounds).toHaveLength(600);
});

const pieces =
  "rm|-rf|/|~|$HOME|\"|'|`|$(|)|(|{|}|;|&&|||&|\n|<<EOF|EOF|<<<|>|/dev/sda|if|then|fi|do|done|for|case|esac|\\|$|${|#|*|[|]|=|x|bash -c|eval|f()|\u0000|é|\uE000|😀".split(
    "|",
  );

test("texts put together from bits of shell never throw", async () => {
  const { below: next, pick } = chance(7);
  for (let round = 0; round < 1500; round += 1) {
    const words = Array.from({ length: next(25) }, () => pick(["rm", ...pieces]));
    const danger = await findDanger(words.join(next(2) === 0 ? " " : ""), place);
    expect(danger === undefined || danger.reason.length > 0).toBe(true);
  }
});

test("random characters never throw", async () => {
  const { below: next } = chance(11);
  for (let round = 0; round < 500; round += 1) {
    const codes = Array.from({ length: next(200) }, () => next(round % 2 === 0 ? 128 : 0x10000));
    const danger = await findDanger(String.fromCharCode(...codes), place);
    expect(danger === undefined || danger.reason.length > 0).toBe(true);
  }
});

const million = 1_000_000;

test.each<[string, string, boolean]>([
  ["a long text in a here-document", `cat > x <<'EOF'\n${"some text\n".repeat(million / 10)}EOF\n`, false],
  ["a danger behind many words", `rm -rf ${"a ".repeat(5000)}/`, true],
  ["a command with more words than are looked at", `rm -rf ${"a ".repeat(50_000)}/`, true],
  ["a long word", `echo ${"x".repeat(million)}`, false],
  ["a long command at the end of which is danger", `${"echo a; ".repeat(million / 8)}rm -rf /`, true],
  ["open parentheses", "(".repeat(100_000), false],
  ["open substitutions", "$(".repeat(100_000), false],
  ["nested substitutions", `${"echo $(".repeat(2000)}rm -rf /${")".repeat(2000)}`, true],
  ["nested shells", nestedShells(12), true],
  ["a long list", `${"true && ".repeat(20_000)}true`, false],
  ["quotes", "'\"".repeat(200_000), false],
  ["backquotes", "`".repeat(100_001), false],
  ["braces", `echo ${"{a,b}".repeat(2000)}`, false],
  ["open braces", `echo ${"{a,".repeat(20_000)}`, false],
  ["here-documents", "cat <<A <<B <<C\n".repeat(20_000), false],
  ["variables that double", `${doubling(40)}; rm -rf $x40`, false],
  ["functions that call each other", callingFunctions(30), false],
  ["a function that calls itself", "f() { f; f; }; f", false],
  ["many names in one word", `a=1; ${'a="$a$a"; '.repeat(60)}echo $a`, false],
  ["words that double", `echo ${'"$a$a$a$a"'.repeat(50_000)}`, false],
  ["many commands that cannot be parsed", `${"rm x; ".repeat(20_000)}rm -rf / )`, true],
  ["many words that cannot be parsed", `${"rm ".repeat(2000)})`, false],
  ["danger behind many words that are no shell", `"x rm -rf ${"a ".repeat(500)}/`, true],
  ["danger behind more words than are looked at, in no shell", `[[ rm -rf ${"a ".repeat(50_000)}/`, true],
  ["more than can be checked", `${"rm * ".repeat(200_000)})`, true],
  ["expansions that never close", "$\u007BHOME".repeat(150_000), false],
  ["many variables", `${manyVariables(8000)}\n${"true | true\n".repeat(8000)}`, false],
  ["wildcards", `rm -rf /${"*?".repeat(50_000)}x`, false],
])("%s: an answer comes", async (_, command, isDanger) => {
  expect((await findDanger(command, place)) !== undefined).toBe(isDanger);
});

function manyVariables(count: number): string {
  return Array.from({ length: count }, (_, index) => `v${index}=${index}`).join("\n");
}

function nestedShells(depth: number): string {
  let command = "rm -rf /";
  for (let level = 0; level < depth; level += 1) command = `sh -c ${doubleQuote(command)}`;
  return command;
}

function doubling(count: number): string {
  const lines = Array.from({ length: count }, (_, index) => `x${index + 1}="$x${index}$x${index}"`);
  return ["x0=abcdefgh", ...lines].join("; ");
}

function callingFunctions(count: number): string {
  const lines = Array.from({ length: count }, (_, index) => `f${index}() { f${index + 1}; f${index + 1}; }`);
  return `${lines.join("\n")}\nf0`;
}
