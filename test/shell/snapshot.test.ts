import { afterEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type SnapshotOptions, takeSnapshot } from "../../src/shell/snapshot.ts";
import { temporaryPlace } from "../support/home.ts";
import { isRunning, pidIn } from "../support/processes.ts";
import { closeShells, plain, shellEnv, testShell } from "./open-shell.ts";

afterEach(closeShells);

function place(profile: string, shell = "bash") {
  const { home } = temporaryPlace();
  writeFileSync(join(home, ".bash_profile"), profile);
  const directory = join(home, "private");
  const options: SnapshotOptions = { shell, env: { ...shellEnv, HOME: home }, directory };
  return { home, directory, options };
}

describe("a snapshot of bash", () => {
  test("has functions, aliases, options and PATH, and no variables", async () => {
    const { home, options } = place(`
      [[ $- == *i* ]] || return
      case x in x) greet() { echo "hello $1"; } ;; esac
      alias ll='ls -l' quoted="echo \\"it's\\""
      shopt -s globstar; set -o noclobber
      export PATH="$PATH:$HOME/bin with space" SECRET_KEY=abc
      echo noise; echo more noise >&2`);
    const { path, problem } = await takeSnapshot(options);
    expect(problem).toBeUndefined();
    expect(statSync(path ?? "").mode & 0o777).toBe(0o600);
    expect(statSync(options.directory).mode & 0o777).toBe(0o700);
    expect(readdirSync(options.directory)).toEqual([(path ?? "").slice(options.directory.length + 1)]);
    const { run } = testShell({
      cwd: home,
      snapshot: path,
      env: { ...shellEnv, PATH: `/first:${shellEnv.PATH}` },
    });
    // The system's own start-up files may add to PATH, too.
    const login = Bun.spawnSync(["bash", "-l", "-c", "echo $PATH"], {
      env: { ...shellEnv, HOME: "/nowhere" },
    });
    const known = shellEnv.PATH.split(":");
    const added = login.stdout
      .toString()
      .trim()
      .split(":")
      .filter((entry) => !known.includes(entry));
    const expectedPath = ["/first", ...known, ...added, `${home}/bin with space`].join(":");
    const command =
      'greet you; quoted; alias ll; shopt globstar; set -o | grep noclobber; echo "$PATH"; echo "[$SECRET_KEY]"';
    expect(await run(command)).toEqual(
      plain(home, {
        stdout: `hello you\nit's\nalias ll='ls -l'\nglobstar       \ton\nnoclobber      \ton\n${expectedPath}\n[]\n`,
      }),
    );
    // noclobber must not stop the shell from saving itself.
    expect(await run("x=1; exit 3")).toMatchObject({ exitCode: 3 });
    expect((await run("echo $x; greet again")).stdout).toBe("1\nhello again\n");
  });

  test.each([
    ["there is no file for login shells", undefined],
    ["that file does not read it", "true"],
    ["that file reads it", '. "$HOME/.bashrc"'],
  ])("has what .bashrc defines, which was read once: %s", async (_, profile) => {
    const { home, options } = place(profile ?? "");
    if (profile === undefined) rmSync(join(home, ".bash_profile"));
    else writeFileSync(join(home, ".profile"), "true");
    writeFileSync(join(home, ".bashrc"), 'alias hey="echo hi"\necho read >> ~/reads\n');
    const { path = "" } = await takeSnapshot(options);
    expect(readFileSync(path, "utf8")).toContain("alias hey='echo hi'\n");
    expect(readFileSync(join(home, "reads"), "utf8")).toBe("read\n");
  });

  test("leaves out functions of completion packages", async () => {
    const { home, options } = place('source "$HOME/bash_completion"; own() { :; }');
    writeFileSync(join(home, "bash_completion"), "_complete_it() { :; }\n");
    const { path } = await takeSnapshot(options);
    const text = readFileSync(path ?? "", "utf8");
    expect([text.includes("own ()"), text.includes("_complete_it")]).toEqual([true, false]);
  });

  test("of a user without start-up files, or with another shell, is small and works", async () => {
    const { options, home } = place("", "/usr/bin/fish");
    const { path } = await takeSnapshot(options);
    const { run } = testShell({ cwd: home, snapshot: path });
    expect(await run("echo fine")).toEqual(plain(home, { stdout: "fine\n" }));
  });
});

test("a snapshot of an omp that has ended is removed by the next one", async () => {
  const { directory, options } = place("");
  const ended = Bun.spawn(["true"]);
  await ended.exited;
  mkdirSync(directory);
  const files = [`snapshot-${ended.pid}-x.sh`, `snapshot-${process.ppid}-y.sh`, "other"];
  for (const name of files) writeFileSync(join(directory, name), "");
  const { path } = await takeSnapshot(options);
  const left = readdirSync(directory).filter((name) => join(directory, name) !== path);
  expect(left.sort()).toEqual(["other", `snapshot-${process.ppid}-y.sh`]);
});

describe("a shell that gives no snapshot", () => {
  test("because it takes too long", async () => {
    const { home, options } = place('echo $$ >"$HOME/pid"; sleep 1000');
    expect(await takeSnapshot({ ...options, timeoutMs: 500 })).toEqual({
      path: undefined,
      problem: "shell snapshot: bash took longer than 0.5 seconds to start",
    });
    expect([isRunning(pidIn(join(home, "pid")) ?? 0), readdirSync(options.directory)]).toEqual([false, []]);
  });

  test("because it knows too much", async () => {
    const { options } = place(`f() { echo ${"x".repeat(5000)}; }`);
    expect(await takeSnapshot({ ...options, maxBytes: 5000 })).toEqual({
      path: undefined,
      problem: "shell snapshot: bash defines more than 5,000 bytes of functions",
    });
  });

  test("because it ends too early", async () => {
    const { options } = place("exit 0");
    expect(await takeSnapshot(options)).toEqual({
      path: undefined,
      problem: "shell snapshot: bash ended before it had printed its definitions",
    });
  });

  test("because it is not there, or nothing can be written", async () => {
    const { options, home } = place("");
    expect(await takeSnapshot({ ...options, shell: "/nowhere/zsh" })).toEqual({
      path: undefined,
      problem: "shell snapshot: spawn: /nowhere/zsh not found (ENOENT)",
    });
    expect(await takeSnapshot({ ...options, directory: join(home, ".bash_profile", "x") })).toEqual({
      path: undefined,
      problem: "shell snapshot: it could not be written (ENOTDIR)",
    });
  });
});

test("of zsh a snapshot has the aliases that bash can read, and PATH", async () => {
  const { home, options } = place("");
  // Stands for zsh at its command line: it writes what `print -rN` writes, to the file that the script names.
  const zsh = join(home, "zsh");
  const answer = [
    "/opt/zsh bin:relative:/usr/bin",
    "ll",
    "ls -l 'a b'",
    "g=",
    "bad",
    "-",
    "cd -",
    "multi",
    "a\nb",
    "end\n",
  ];
  writeFileSync(join(home, "answer"), answer.join("\0"));
  writeFileSync(zsh, `#!/bin/bash\nfile=\${4##*>|}\ncat ${home}/answer >"\${file%% 2>*}"\n`);
  chmodSync(zsh, 0o700);
  const { path } = await takeSnapshot({ ...options, shell: zsh });
  expect(existsSync(path ?? "")).toBe(true);
  const { run } = testShell({ cwd: home, snapshot: path });
  expect((await run('alias; echo "$PATH"')).stdout).toBe(
    `alias -- -='cd -'\nalias ll='ls -l '\\''a b'\\'''\n${shellEnv.PATH}:/opt/zsh bin\n`,
  );
});
