/** One reading for both questions: what is literal in it is what is followed, and what is not shell is said to be so. */

import { expect, test } from "bun:test";
import { readShell } from "../../../src/shell/safety/find-danger.ts";
import { readLiteral } from "../../../src/shell/safety/known-safe.ts";
import allowed from "./allowed-commands.json";
import blocked from "./blocked-commands.json";
import { HiddenCommands } from "./hidden-commands.ts";
import known from "./known-safe.json";

const place = { home: "/home/ann", cwd: "/home/ann/project" };
const all = [...Object.values(allowed), ...Object.values(blocked), ...Object.values(known)].flat();

test("a command becomes its words and where it runs", () => {
  const { commands, destinations, unread } = readShell("cd src && rm 'ä b' > log", place);
  expect({ commands, destinations, unread }).toEqual({
    commands: [
      { argv: ["cd", "src"], directories: ["/home/ann/project"], redirections: [], excerpt: "cd src" },
      {
        argv: ["rm", "ä b"],
        directories: ["/home/ann/project/src"],
        redirections: [{ operator: ">", targets: ["log"] }],
        excerpt: "rm 'ä b'",
      },
    ],
    destinations: ["/home/ann/project/src"],
    unread: [],
  });
});

test("every literal command of the corpora, and of those by chance, is followed with the same words", () => {
  const maker = new HiddenCommands(3);
  const made = Array.from({ length: 1000 }, () => maker.make());
  let count = 0;
  for (const command of [...all, ...made]) {
    const literal = readLiteral(command, place)?.commands ?? [];
    const followed = readShell(command, place).commands.map(({ argv }) => argv);
    for (const { words } of literal.filter((each) => each.words.every(({ kind }) => kind === "literal"))) {
      if (words.length === 0) continue;
      count += 1;
      expect([command, followed]).toEqual([command, expect.arrayContaining([words.map(({ text }) => text)])]);
    }
  }
  expect(count).toBeGreaterThan(500);
});

test.each([
  "ls; )",
  "if then fi",
  'echo "open',
  "echo 'open",
  "cat <<EOF\nopen",
  "cat <<EOF",
  "echo $(ls",
  "echo `ls",
  "echo $\u007Bx",
  "(ls",
  "case x in",
  "ls ;; ls",
])("%j is not shell, and marked", (source) => {
  expect(readShell(source, place).unread).toEqual([source]);
});

test.each([
  "echo $((1 + (2)))",
  "((a) && (b))",
  "echo $((ls) | cat)",
  "case x in (a|b) ls;; *) pwd;& c) ls;;& esac",
  "for x; do ls; done",
  "for ((i = 0; i < 2; i++)) { ls; }",
  "if a; then b; elif c; then d; else e; fi > x",
  "f() { ls; } > x; function g { ls; }; function h() (ls)",
  "cat <<A <<-'B'\n$(ls)\nA\n\tx\n\tB\nls",
  "x=$(cat <<EOF\n)\nEOF\n)",
  "rm !(a|b) @(c)",
  "a=(1 2 [3]=4); a[1]+=x; declare -a b=(1 2)",
  "time -p ls; ! ls; coproc X { ls; }",
  "[[ ( $x =~ ^(a|b)$ && -f y ) || ! $z < b ]]",
  'echo "$\u007Bx:-"a b"}" $\u007Bx//\\}/y} $\'a\\\'b\' $"c"',
  "ls \\\n  -la # comment ' \" $(",
])("%j is shell", (source) => {
  expect(readShell(source, place).unread).toEqual([]);
});
