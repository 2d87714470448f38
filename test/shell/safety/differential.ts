/**
 * What bash really does with commands that were judged safe: runs them, many in one process, in a directory full of traps, with a PATH on
 * which everything but the programs of the safe list leaves a trace.
 */

import { mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../../src/protocol/error.ts";
import { isKnownSafe } from "../../../src/shell/safety/known-safe.ts";
import { readLiveShell } from "../../../src/shell/safety/live-shell.ts";
import { HiddenCommands } from "./hidden-commands.ts";

export interface Differential {
  readonly made: number;
  /** Those that were judged safe, and so were run. */
  readonly safe: number;
  /** Those of them that ran something else, or changed a file. */
  readonly wrong: readonly string[];
  /** Those that did not end in time: nothing can be said of them. */
  readonly stuck: readonly string[];
}

const REAL =
  "ls cat echo head tail wc grep egrep fgrep sort uniq sed awk mawk find printf test [ true false git jq xargs date diff tr cut timeout which file " +
  "tree rg pwd basename dirname stat du df nl tac rev fold comm cmp paste column realpath readlink whoami id uname nproc printenv seq md5sum od ps";
const TRACED =
  "mark rm touch mv cp tee sh bash dash less more gpg ssh vi pr editor env nice nohup x npm make pytest";
/** Names that programs take for options when a wildcard finds them. */
const TRAPS = [
  "-o",
  "--output=out",
  "--compress-program=mark",
  "-exec",
  "-delete",
  "-fprint",
  "--pre=mark",
  "a.txt",
  "b.txt",
];
const LIMIT_MS = 20_000;
const PAST = new Date("2020-01-01");

/** @param root an empty directory. */
export class TrapDirectory {
  readonly #place: string;
  readonly #bin: string;
  readonly #trace: string;
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
    this.#place = join(root, "place");
    this.#bin = join(root, "bin");
    this.#trace = join(root, "trace");
    for (const directory of [this.#place, this.#bin, join(root, "home")]) mkdirSync(directory);
    const marker = `#!/bin/sh\necho "$0 $*" >> ${this.#trace}\n`;
    const makeMarker = (path: string) => writeFileSync(path, marker, { mode: 0o755 });
    for (const name of REAL.split(" ")) {
      const path = Bun.which(name);
      if (path !== null) symlinkSync(path, join(this.#bin, name));
    }
    for (const name of TRACED.split(" ")) makeMarker(join(this.#bin, name));
    for (const name of TRAPS) writeFileSync(join(this.#place, name), "b 2\na 1\n");
    for (const name of ["evil", "sub"]) mkdirSync(join(this.#place, name));
    makeMarker(join(this.#place, "mark"));
    for (const name of ["ls", "cat", "git"]) makeMarker(join(this.#place, "evil", name));
    for (const name of ["repo", "hostile"]) this.#git(["init", "-q", name]);
    const [repo, as] = [
      join(this.#place, "repo"),
      ["-C", "repo", "-c", "user.name=a", "-c", "user.email=a@b"],
    ];
    for (const text of ["one", "two"]) {
      writeFileSync(join(repo, "a.txt"), text);
      this.#git(["-C", "repo", "add", "."]);
      this.#git([...as, ...(text === "one" ? ["commit", "-q", "-m", text] : ["stash", "-q"])]);
    }
    this.#git(["-C", "hostile", "config", "core.fsmonitor", join(this.#bin, "mark")]);
    mkdirSync(join(this.#place, "hostile", "inner"));
    symlinkSync(join("hostile", "inner"), join(this.#place, "link"));
    this.#git(["init", "-q", "--bare", "bare"]);
    for (const [key, value] of [
      ["core.bare", "false"],
      ["core.worktree", "."],
      ["core.fsmonitor", join(this.#bin, "mark")],
    ] as const)
      this.#git(["--git-dir=bare", "config", key, value]);
    for (const name of TRAPS) utimesSync(join(this.#place, name), PAST, PAST);
  }

  /** Makes so many commands from the seed, and runs those that are judged safe. */
  async judge(seed: number, count: number): Promise<Differential> {
    const shell = readLiveShell("", { PATH: this.#bin });
    const place = { home: join(this.#root, "home"), cwd: this.#place, shell };
    const maker = new HiddenCommands(seed);
    const made = Array.from({ length: count }, () => maker.make());
    const safe = made.filter((command) => isKnownSafe(command, place));
    return { made: made.length, safe: safe.length, ...(await this.run(safe)) };
  }

  async run(commands: readonly string[]): Promise<Pick<Differential, "wrong" | "stuck">> {
    const wrong: string[] = [];
    const stuck: string[] = [];
    for (let from = 0; from < commands.length; ) {
      const ended = await this.#run(commands.slice(from));
      wrong.push(...ended.wrong.map((index) => commands[from + index] ?? ""));
      from += ended.done;
      if (from < commands.length) {
        stuck.push(commands[from] ?? "");
        from += 1;
      }
    }
    return { wrong, stuck };
  }

  /** @returns how many ended, and which of them left a trace. */
  async #run(commands: readonly string[]): Promise<{ done: number; wrong: number[] }> {
    const [list, report, driver] = ["commands", "report", "driver"].map((name) => join(this.#root, name));
    if (list === undefined || report === undefined || driver === undefined) throw new Error("no names");
    writeFileSync(list, commands.map((command) => `${command}\0`).join(""));
    writeFileSync(report, "");
    writeFileSync(`${report}.past`, "");
    utimesSync(`${report}.past`, PAST, PAST);
    writeFileSync(driver, driverScript({ place: this.#place, list, report, trace: this.#trace }));
    const bash = Bun.spawn(["/bin/bash", "--norc", driver], {
      env: { PATH: this.#bin, HOME: join(this.#root, "home"), TZ: "UTC", GIT_CONFIG_NOSYSTEM: "1" },
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
      detached: true,
    });
    // Of its own group: what a command left is ended with it.
    const end = () => attempt(() => process.kill(-bash.pid, "SIGKILL"));
    const timer = setTimeout(end, LIMIT_MS);
    await bash.exited;
    clearTimeout(timer);
    end();
    rmSync(this.#trace, { force: true });
    const lines = readFileSync(report, "utf8")
      .split("\n")
      .filter((line) => line !== "");
    return {
      done: lines.length,
      wrong: lines.flatMap((line, index) => (line === "ok" ? [] : [index])),
    };
  }

  #git(args: readonly string[]): void {
    const { exitCode, stderr } = Bun.spawnSync(["git", ...args], { cwd: this.#place });
    if (exitCode !== 0) throw new Error(stderr.toString());
  }
}

/** After each command: a trace, a new file or a file with a new date is an effect. */
function driverScript(at: { place: string; list: string; report: string; trace: string }): string {
  return `
cd ${at.place}
shopt -s dotglob nullglob
expected=(* repo/*)
while IFS= read -r -d '' __command <&9; do
  # A substitution ends when everything has ended that the command has started.
  __ended=$(
    exec 8>&1 9<&- </dev/null >/dev/null 2>&1
    shopt -u dotglob nullglob
    set -- 'a[$(mark)]' -o out
    v='-o out' w=mark s='/p;1e mark' n='1 mark' e='a[$(mark)]' p='$(mark)'
    eval "$__command"
  )
  __result=ok
  [[ -s ${at.trace} ]] && __result=trace
  __found=(* repo/*)
  [[ "\${__found[*]}" == "\${expected[*]}" ]] || { __result=files; /bin/rm -rf out repo/out; }
  for __file in ${TRAPS.map((name) => `./${name}`).join(" ")}; do [[ $__file -nt ${at.report}.past ]] && { __result=changed; /usr/bin/touch -r ${at.report}.past -- $__file; }; done
  [[ $__result == ok ]] || : > ${at.trace}
  echo "$__result" >> ${at.report}
done 9<${at.list}
`;
}
