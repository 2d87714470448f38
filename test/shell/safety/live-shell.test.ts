import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isKnownSafe } from "../../../src/shell/safety/known-safe.ts";
import { readLiveShell } from "../../../src/shell/safety/live-shell.ts";
import { temporaryDirectory } from "../../support/home.ts";

/** What bash prints of itself after these commands. */
function shellAfter(commands: string) {
  const script = `shopt -s expand_aliases\n${commands}\ndeclare -p; alias -p; declare -f`;
  const { stdout, exitCode } = Bun.spawnSync(["bash", "--norc", "-c", script], {
    env: { PATH: process.env["PATH"] ?? "", HOME: "/" },
  });
  expect(exitCode).toBe(0);
  return readLiveShell(stdout.toString());
}

const place = { home: "/home/ann", cwd: "/" };

test("variables have the values that the shell gives them, whatever is in them", () => {
  const { variables } = shellAfter(
    `a=plain; export b='two "words" $x \\ \`'; c=$'line\nalias ls=evil\ndeclare -- a="no"'; declare -i d=3; e=(1 2); declare -n f=a; declare -r g=`,
  );
  expect(["a", "b", "c", "d", "e", "f", "g", "none"].map((name) => variables.get(name))).toEqual([
    { attributes: "-", value: "plain" },
    { attributes: "x", value: 'two "words" $x \\ `' },
    { attributes: "-", value: 'line\nalias ls=evil\ndeclare -- a="no"' },
    { attributes: "i", value: "3" },
    { attributes: "a", value: undefined },
    { attributes: "n", value: "a" },
    { attributes: "r", value: "" },
    undefined,
  ]);
});

test.each([
  ["alias ls='ls --color=auto'", "ls -la", true],
  ["alias ll='ls -l'", "ll src | head", true],
  ["alias ll=ls ls='rm x'", "ll", false],
  ["alias ls='rm x'", "ls", false],
  ["alias ls='rm x'", "\\ls", true],
  ["alias ls='ls; rm x'", "ls", false],
  ["alias ls='ls $(rm x)'", "ls", false],
  ["alias ls='X=1 ls'", "ls", false],
  ["alias grep='grep ' x='rm'", "grep x", false],
  ["alias g=git", "g status", true],
  ["alias g='git -c core.pager=x'", "g log", false],
  ["alias if='rm x; if'", "if ls; then ls; fi", false],
  ["alias [[='rm x; [['", "[[ -f x ]]", false],
  ["alias time='rm x; time'", "time ls", false],
  ["alias -- -='cd -'", "ls", true],
  ["ls() { rm x; }", "ls", false],
  ["ls() { rm x; }", "command ls", true],
  ['cd() { builtin cd "$@"; rm x; }', "cd src && ls", false],
  ["other() { ls; }", "ls", true],
  ["declare -i n", "n='a[$(rm x)]'", false],
  ["declare -i n", "for n in 'a[$(rm x)]'; do ls; done", false],
  ["declare -n n='a[$(rm x)]'", "echo $n", false],
  ["n=1", "n=2; echo $n", true],
  ["export GIT_EXTERNAL_DIFF=./x", "git diff", false],
  ["export GIT_DIR=x", "git status", false],
  ["export GIT_AUTHOR_NAME=ann GIT_SSL_CAINFO=/x GIT_PS1_SHOWDIRTYSTATE=1", "git status", true],
  ["export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.fsmonitor", "git status", false],
  ["export GIT_TRACE=/tmp/x", "git status", false],
  ["PATH=.:$PATH", "ls", false],
  ["PATH=:$PATH", "ls", false],
  ["PATH=relative:$PATH", "ls", false],
  ["PATH=$PATH:.", "ls", true],
  ["PATH=$PATH:.", "echo hi", true],
  ["CDPATH=/tmp", "cd x && git status", false],
])("after %j, %j is safe: %p", (before, command, isSafe) => {
  expect(isKnownSafe(command, { ...place, shell: shellAfter(before) })).toBe(isSafe);
});

test("a program that the project would bring is not the one of the list", () => {
  const projectRoot = temporaryDirectory();
  const bin = join(projectRoot, "bin");
  mkdirSync(bin);
  for (const name of ["ls", "echo"]) {
    writeFileSync(join(bin, name), "");
    chmodSync(join(bin, name), 0o755);
  }
  const path = process.env["PATH"] ?? "";
  const isSafe = (PATH: string, command = "ls") =>
    isKnownSafe(command, { ...place, projectRoot, shell: readLiveShell("", { PATH }) });
  expect(isSafe(`${bin}:${path}`)).toBe(false);
  expect(isSafe(`${bin}:${path}`, "find . | xargs ls")).toBe(false);
  expect(isSafe(`${bin}:${path}`, "timeout 5 echo x")).toBe(false);
  expect(isSafe(`${bin}:${path}`, "echo x")).toBe(true);
  expect(isSafe(`${bin}:${path}`, "cat x")).toBe(true);
  expect(isSafe(`${path}:${bin}`)).toBe(true);
});
