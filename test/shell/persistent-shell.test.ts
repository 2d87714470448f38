import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ShellError } from "../../src/shell/errors.ts";
import { temporaryDirectory } from "../support/home.ts";
import { groupMembers } from "../support/processes.ts";
import { until } from "../support/until.ts";
import { closeShells, plain, testShell, testShells } from "./open-shell.ts";

afterEach(closeShells);

const endedNote =
  "the command ended the shell; a new one took its place with the same directory, variables, functions and aliases";
const asBefore =
  "a new one took its place: directory, variables, functions and aliases are as they were before this command";

const ignore = () => undefined;

describe("a command", () => {
  test("gives stdout, stderr, exit code and where the shell is", async () => {
    const { run, cwd } = testShell();
    expect(await run("echo out; echo err >&2; exit_with() { return 3; }; exit_with")).toEqual(
      plain(cwd, { stdout: "out\n", stderr: "err\n", exitCode: 3 }),
    );
    mkdirSync(join(cwd, "a b"));
    expect(await run("cd 'a b'")).toEqual(plain(join(cwd, "a b")));
  });

  test("finds its stdin empty", async () => {
    const { run, cwd } = testShell();
    expect(await run("cat; read line; echo $?")).toEqual(plain(cwd, { stdout: "1\n" }));
  });

  test("has stdout and stderr that can be opened by name, and no other descriptors", async () => {
    const { run, cwd } = testShell();
    expect(await run("echo a >/dev/stdout; echo b >/dev/stderr")).toEqual(
      plain(cwd, { stdout: "a\n", stderr: "b\n" }),
    );
    // 3 is the directory that ls reads.
    expect((await run("exec 251>&-; ls /proc/self/fd")).stdout).toBe("0\n1\n2\n3\n");
  });

  test("that a signal ended says which", async () => {
    const { run, cwd } = testShell();
    expect(await run("sh -c 'kill -SEGV $$'")).toMatchObject({ exitCode: 139, signal: "SIGSEGV", cwd });
  });

  test("shows its streams in the order in which they came", async () => {
    const { shells, cwd } = testShells();
    const seen: string[] = [];
    const shell = await shells.persistent();
    // Each waits until what the other stream wrote before has been seen.
    const go = (name: string) => writeFileSync(join(cwd, name), "");
    const wait = (name: string) => `until [ -e ${name} ]; do :; done;`;
    await shell.run(`echo 1; ${wait("a")} echo 2 >&2; ${wait("b")} echo 3; ${wait("c")} echo 4 >&2`, {
      timeoutMs: 20_000,
      signal: new AbortController().signal,
      onStdout: (chunk) => {
        seen.push(`out ${Buffer.from(chunk).toString().trim()}`);
        go(seen.length === 1 ? "a" : "c");
      },
      onStderr: (chunk) => {
        seen.push(`err ${Buffer.from(chunk).toString().trim()}`);
        go("b");
      },
    });
    expect(seen).toEqual(["out 1", "err 2", "out 3", "err 4"]);
  });

  test("may be long, and holds any text but NUL", async () => {
    const { print } = testShell();
    const text = `${"x".repeat(300_000)} ünï ' " \\ $`;
    expect(await print(`cat <<'END'\n${text}\nEND`)).toBe(`${text}\n`);
  });

  test("can run in another directory without moving the shell there", async () => {
    const { run, cwd } = testShell();
    const other = temporaryDirectory();
    expect(await run("pwd", { cwd: other })).toEqual(plain(cwd, { stdout: `${other}\n` }));
    expect(await run("cd /usr", { cwd: other })).toEqual(plain("/usr"));
  });

  test("one at a time", async () => {
    const { shells, run, cwd } = testShell();
    const first = run("until [ -e go ]; do :; done");
    const shell = await shells.persistent();
    const options = {
      timeoutMs: 1000,
      signal: new AbortController().signal,
      onStdout: ignore,
      onStderr: ignore,
    };
    await expect(shell.run("true", options)).rejects.toThrow("the shell runs one command at a time");
    writeFileSync(join(cwd, "go"), "");
    expect(await first).toEqual(plain(cwd));
  });
});

describe("what stays from command to command", () => {
  const setUp = `
    cd sub; export EXPORTED='a b'; plain=$'x\\ny'; array=(1 '2 3'); declare -A map=([k]=v)
    greet() { echo "hello $1"; }; alias hi='echo aliased'; umask 027; shopt -s extglob; set -o noglob
    trap 'echo got usr1' USR1; set -- one 'two three'`;
  const show = `
    pwd; sh -c 'echo $EXPORTED'; echo "$plain" "\${array[1]}" "\${map[k]}"; greet you; hi; umask
    shopt -q extglob && echo extglob; echo *; kill -USR1 $$; echo $# "$2"`;
  const shown = (cwd: string) =>
    `${cwd}/sub\na b\nx\ny 2 3 v\nhello you\naliased\n0027\nextglob\n*\ngot usr1\n2 two three\n`;

  test("is everything", async () => {
    const { run, print, cwd } = testShell();
    mkdirSync(join(cwd, "sub"));
    expect(await run(setUp)).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await print(show)).toBe(shown(cwd));
    expect(await print("false; true; (exit 7)")).toBe("");
    expect(await print("echo $?")).toBe("7\n");
  });

  test("outlives `exit`, with the exit code told", async () => {
    const { run, print, cwd } = testShell();
    mkdirSync(join(cwd, "sub"));
    expect(await run(`${setUp}; exit 3`)).toEqual(
      plain(`${cwd}/sub`, { exitCode: 3, replaced: true, notes: [endedNote] }),
    );
    expect(await print(show)).toBe(shown(cwd));
  });

  test("outlives `exec`, as it was before", async () => {
    const { run, print, cwd } = testShell();
    mkdirSync(join(cwd, "sub"));
    await run(setUp);
    const note = `the shell was replaced by another program (exec) and ended with it; ${asBefore}`;
    expect(await run("plain=changed; exec sh -c 'echo in its place; exit 4'")).toEqual(
      plain(`${cwd}/sub`, { exitCode: 4, stdout: "in its place\n", replaced: true, notes: [note] }),
    );
    expect(await print(show)).toBe(shown(cwd));
  });

  test("outlives the death of the shell, as it was before", async () => {
    const { run, print, cwd } = testShell();
    mkdirSync(join(cwd, "sub"));
    await run(setUp);
    const note = `the shell was killed by SIGKILL; ${asBefore}`;
    expect(await run("kill -9 $$")).toEqual(
      plain(`${cwd}/sub`, { exitCode: null, signal: "SIGKILL", replaced: true, notes: [note] }),
    );
    expect(await print(show)).toBe(shown(cwd));
  });

  test("outlives a death between two commands", async () => {
    const { run, shells, cwd } = testShell();
    await run("kept=yes");
    const shell = await shells.persistent();
    await shell.state();
    const pid = shell.pid ?? 0;
    process.kill(pid, "SIGKILL");
    await until("the shell is gone", () => !existsSync(`/proc/${pid}/exe`));
    expect(await run("echo $kept")).toEqual(
      plain(cwd, {
        stdout: "yes\n",
        notes: [`the shell was killed by SIGKILL; ${asBefore.replace("before this", "after the last")}`],
      }),
    );
  });

  test("is told to be gone when it is: a removed directory", async () => {
    const { run, cwd } = testShell();
    mkdirSync(join(cwd, "gone"));
    expect(await run("cd gone; rmdir ../gone; pwd")).toEqual(
      plain(join(cwd, "gone"), { stdout: `${cwd}/gone\n` }),
    );
    expect(await run("exit 1")).toEqual(
      plain(cwd, {
        exitCode: 1,
        replaced: true,
        notes: [endedNote, `the shell's directory is gone; it is in '${cwd}' now`],
      }),
    );
  });

  test("and background jobs that a lost shell can no longer know", async () => {
    const { run } = testShell();
    expect((await run("sleep 1000 & jobs -p")).stdout).toMatch(/^\d+\n$/);
    const { notes } = await run("exit");
    expect(notes).toEqual([
      endedNote,
      "background jobs of the old shell still run, but `jobs`, `fg` and `wait` no longer know them",
    ]);
  });

  test("and its files are private and gone at the end", async () => {
    const base = temporaryDirectory();
    const { shells, run } = testShell({ runtimeBases: [base] });
    await run("x=1");
    const [directory = ""] = [...new Bun.Glob("*").scanSync({ cwd: base, onlyFiles: false })];
    expect(statSync(join(base, directory)).mode & 0o777).toBe(0o700);
    await shells.close();
    expect([...new Bun.Glob("*").scanSync({ cwd: base, onlyFiles: false })]).toEqual([]);
  });
});

describe("what a model types", () => {
  test("unclosed quotes and here-documents end with their own error", async () => {
    const { run, cwd } = testShell();
    expect(await run("echo 'open")).toEqual(
      plain(cwd, {
        exitCode: 2,
        stderr: "bash: eval: line 1: unexpected EOF while looking for matching `''\n",
      }),
    );
    expect(await run("cat <<END\ntext")).toMatchObject({ exitCode: 0, stdout: "text\n" });
    expect(await run("if true; then")).toMatchObject({ exitCode: 2 });
    expect(await run("echo fine")).toEqual(plain(cwd, { stdout: "fine\n" }));
  });

  test("set -e, set -u and missing variables end the command, not the session", async () => {
    const { run, print } = testShell();
    expect(await run("set -e; false; echo not reached")).toMatchObject({
      exitCode: 1,
      stdout: "",
      replaced: true,
    });
    expect(await print("echo $-")).toMatch(/e/);
    expect(await run("set +e; set -u; echo $unset_name; echo not reached")).toMatchObject({
      exitCode: 127,
      stdout: "",
      stderr: "bash: line 1: unset_name: unbound variable\n",
    });
    expect(await run(`set +u; : \${unset_name:?is missing}`)).toMatchObject({ exitCode: 127 });
    expect(await print("echo fine")).toBe("fine\n");
  });

  test("closed and moved descriptors are given back", async () => {
    const { run, print } = testShell();
    expect(await run("exec 1>&- 2>&- 0<&-; echo lost")).toMatchObject({
      exitCode: 1,
      stdout: "",
      stderr: "",
    });
    await run("exec >log 2>&1 <log; echo logged");
    expect(await print("cat log")).toBe("logged\n");
  });

  test("break, continue and return outside of loops and functions are errors that change nothing", async () => {
    const { run, cwd } = testShell();
    expect(await run("break; continue; return 5; echo $?; declare -i x=2+3; echo $x; local y")).toEqual(
      plain(cwd, {
        exitCode: 1,
        stdout: "2\n5\n",
        stderr: [
          "bash: line 1: break: only meaningful in a `for', `while', or `until' loop\n",
          "bash: line 1: continue: only meaningful in a `for', `while', or `until' loop\n",
          "bash: line 1: return: can only `return' from a function or sourced script\n",
          "bash: line 1: local: can only be used in a function\n",
        ].join(""),
      }),
    );
  });

  test("a trap on EXIT runs when the shell is left, once", async () => {
    const { run, print, shells, cwd } = testShell();
    await run("trap 'echo bye' EXIT");
    expect(await print("echo still here")).toBe("still here\n");
    expect(await run("exit 2")).toMatchObject({ exitCode: 2, stdout: "bye\n" });
    await run("trap 'echo closed >closed' EXIT");
    await shells.close();
    expect(readFileSync(join(cwd, "closed"), "utf8")).toBe("closed\n");
  });

  test("DEBUG and ERR traps, IFS, aliases and functions cannot get between the shell and omp", async () => {
    const { run, print, cwd } = testShell();
    await run("trap 'echo debug' DEBUG; trap 'echo err' ERR; IFS=0123456789");
    expect((await run("false")).exitCode).toBe(1);
    await run(
      "trap - DEBUG ERR; unset IFS; alias builtin=false read=false eval=false; printf() { :; }; read() { :; }",
    );
    expect(await run("echo works")).toEqual(plain(cwd, { stdout: "works\n" }));
    expect(await run("exit 9")).toMatchObject({ exitCode: 9 });
    expect(await print("echo still works")).toBe("still works\n");
  });

  test("the removal of omp's own directory is mended", async () => {
    const base = temporaryDirectory();
    const { run, print } = testShell({ runtimeBases: [base] });
    await run("x=1");
    expect(await run(`rm -rf ${base}/omp-shell-*`)).toMatchObject({ exitCode: 0 });
    expect(await print("echo $x")).toBe("1\n");
    expect(await run("exit 3")).toMatchObject({ exitCode: 3 });
    expect(await print("echo $x")).toBe("1\n");
  });

  test("a shell without mapfile (bash 3) works the same way", async () => {
    const snapshot = join(temporaryDirectory(), "snapshot.sh");
    writeFileSync(snapshot, "enable -n mapfile\n");
    const { run, print } = testShell({ snapshot });
    await run("x=1; f() { echo f; }");
    expect(await print("echo $x; f")).toBe("1\nf\n");
    expect(await run("exit 3")).toMatchObject({ exitCode: 3, replaced: true });
    expect(await print("echo $x; f")).toBe("1\nf\n");
  });
});

describe("background jobs of a command", () => {
  test("do not hold it, and are still jobs for the next one", async () => {
    const { run, cwd } = testShell();
    expect(await run("sleep 1000 & echo started")).toEqual(plain(cwd, { stdout: "started\n" }));
    expect(await run("kill %1 && wait %1; echo $?")).toMatchObject({ stdout: "143\n", cwd });
  });

  test("are heard for a moment: output that comes just after the end counts", async () => {
    const { run, cwd } = testShell();
    expect(await run("echo through > >(cat)")).toEqual(plain(cwd, { stdout: "through\n" }));
  });

  test("may write later: it is told with the next command, apart", async () => {
    const { run, cwd } = testShell();
    const late = "(until [ -e go ]; do sleep 0.01; done; echo late; touch written) &";
    expect(await run(`${late} echo now`)).toEqual(plain(cwd, { stdout: "now\n" }));
    writeFileSync(join(cwd, "go"), "");
    // Without a turn of the event loop: what is in the pipe counts, not what was read of it.
    while (!existsSync(join(cwd, "written"))) Bun.sleepSync(1);
    const { late: told, ...rest } = await run("echo next");
    expect(rest).toEqual({ ...plain(cwd, { stdout: "next\n" }), late: undefined } as typeof rest);
    expect(told).toEqual({ text: "late\n", bytes: 5 });
  });
});

describe("a shell that cannot be", () => {
  test("says that there is no bash", async () => {
    const which = Bun.which;
    Bun.which = () => null;
    try {
      const { shells } = testShells();
      await expect(shells.persistent()).rejects.toThrow("bash: bash not found in PATH (ENOENT)");
    } finally {
      Bun.which = which;
    }
  });

  test("takes the next directory for its files where the first cannot be used", async () => {
    const { run } = testShell({ runtimeBases: ["/nowhere", temporaryDirectory()] });
    expect((await run("echo hi")).stdout).toBe("hi\n");
  });

  test("says that there is no place for its files", async () => {
    const { shells } = testShells({ runtimeBases: ["/nowhere"] });
    await expect(shells.persistent()).rejects.toThrow(
      "bash: private directory could not be made in '/nowhere' (ENOENT)",
    );
  });

  test("says that it is closed", async () => {
    const { shells, run } = testShell();
    await run("true");
    await shells.close();
    const error = await run("true").catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ShellError);
    expect(error).toMatchObject({ message: "bash: the session's shell is closed (CLOSED)", kind: "closed" });
  });

  test("a listener that throws ends the command and is seen", async () => {
    const { run, cwd } = testShell();
    const options = {
      onStdout: () => {
        throw new Error("full");
      },
    };
    await expect(run("echo $$ >pid; echo x; sleep 1000", options)).rejects.toThrow("full");
    const pid = Number(readFileSync(join(cwd, "pid"), "utf8"));
    expect(groupMembers(pid)).toEqual([pid]);
    expect((await run("echo again")).stdout).toBe("again\n");
  });
});
