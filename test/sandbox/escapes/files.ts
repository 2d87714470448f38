/** Attempts to write what may not be written, and to read what may not be read, by way of the file system. */

import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  lchownSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { type Attempt, SECRET, type Targets } from "./attempt.ts";

const evil = "evil";

function write(path: string): string {
  writeFileSync(path, evil);
  return `wrote ${path}`;
}

function done(change: () => void): string {
  change();
  return "done";
}

/** Reading is no escape by itself; a key is. */
function steal(path: string): string | undefined {
  return readFileSync(path, "utf8").includes(SECRET) ? `read ${path}` : undefined;
}

/** Something in the project that leads outside. */
function link(target: string, { project }: Targets): string {
  const path = join(project, `link-${Math.random().toString(36).slice(2)}`);
  symlinkSync(target, path);
  return path;
}

export const fileAttempts: Readonly<Record<string, Attempt>> = {
  "a new file by its absolute path": ({ outside }) => write(join(outside, "new")),
  "an existing file, overwritten": ({ file }) => write(file),
  "an existing file, appended to": ({ file }) => done(() => appendFileSync(file, evil)),
  "an existing file, truncated": ({ file }) => done(() => truncateSync(file, 0)),
  "an existing file, opened for both": ({ file }) => `descriptor ${openSync(file, "r+")}`,
  "a path with ..": ({ project, outside }) => write(join(project, relative(project, outside), "new")),
  "a link to a directory": (targets) => write(join(link(targets.outside, targets), "new")),
  "a link to a file": (targets) => write(link(targets.file, targets)),
  "a link to a file that is not there yet": (targets) => write(link(join(targets.outside, "new"), targets)),
  "a hard link to a file": ({ file, project }) => done(() => linkSync(file, join(project, "hard"))),
  "a file taken from outside": ({ file, project }) => done(() => renameSync(file, join(project, "taken"))),
  "a file put outside": ({ outside, project }) => {
    writeFileSync(join(project, "mine"), evil);
    renameSync(join(project, "mine"), join(outside, "new"));
    return "moved";
  },
  "a file removed": ({ file }) => done(() => unlinkSync(file)),
  "a directory made": ({ outside }) => done(() => mkdirSync(join(outside, "new"))),
  "a directory removed": ({ outside }) => done(() => rmdirSync(join(outside, "empty"))),
  "a directory removed with all that is in it": ({ outside }) =>
    done(() => rmSync(outside, { recursive: true })),
  "permissions changed": ({ file }) => done(() => chmodSync(file, 0o777)),
  "the owner changed": ({ file }) =>
    done(() => lchownSync(file, process.getuid?.() ?? 0, process.getgid?.() ?? 0)),
  "times changed": ({ file }) => done(() => utimesSync(file, 0, 0)),
  "a path through /proc/self/root": ({ outside }) => write(join("/proc/self/root", outside, "new")),
  "a path through /proc/1/root": ({ outside }) => write(join("/proc/1/root", outside, "new")),
  "a path through the root of a process outside": ({ outside, victim }) =>
    write(join(`/proc/${victim}/root`, outside, "new")),
  "a path through /proc/self/cwd": ({ outside }) =>
    write(join("/proc/self/cwd", "..".repeat(1), outside, "new")),
  "a path through a parent's open directory": ({ outside }) => write(join("/proc/1/cwd", outside, "new")),
  "a program copied over another": ({ file }) => done(() => copyFileSync("/bin/sh", file)),
  "start-up files of shells": ({ home }) => write(join(home, ".bashrc")),
  "start-up files that are not there yet": ({ home }) => write(join(home, ".bash_profile")),
  "start-up files of the desktop": ({ home }) => {
    mkdirSync(join(home, ".config", "autostart"), { recursive: true });
    return "made";
  },
  "keys that may log in": ({ home }) => {
    const file = join(home, ".ssh", "authorized_keys");
    writeFileSync(file, evil);
    return "wrote";
  },
  "the key that logs in": ({ home }) => steal(join(home, ".ssh", "id_ed25519")),
  "the machine's crontabs": () => write("/var/spool/cron/omp-escape"),
  "the machine's start-up": () => write("/etc/profile.d/omp-escape.sh"),
  "what the user trusts": ({ home }) => write(join(home, ".omp/agent/trust.json")),
  "the user's settings": ({ home }) => write(join(home, ".omp/agent/omp.jsonc")),
  "the log of another session": ({ home }) => steal(join(home, ".omp/agent/omp-sessions/log.jsonl")),
  "the project's settings": ({ project }) => write(join(project, ".omp/omp.jsonc")),
  "the project's modules": ({ project }) => write(join(project, ".omp/modules.py")),
  "the project's .omp, replaced": ({ project }) =>
    done(() => renameSync(join(project, ".omp"), join(project, "was"))),
  "a hook of git": ({ project }) => write(join(project, ".git/hooks/pre-commit")),
  "the directory of hooks, replaced": ({ project }) => {
    renameSync(join(project, ".git/hooks"), join(project, ".git/was"));
    return "moved";
  },
  "the settings of git": ({ project }) => done(() => appendFileSync(join(project, ".git/config"), "[core]")),
  "the settings of git, replaced": ({ project }) => {
    writeFileSync(join(project, "config"), evil);
    renameSync(join(project, "config"), join(project, ".git/config"));
    return "replaced";
  },
  "the settings of a submodule": ({ project }) => write(join(project, ".git/modules/sub/config")),
  "all of .git, replaced": ({ project }) =>
    done(() => renameSync(join(project, ".git"), join(project, "git"))),
  "the machine's /tmp": ({ temporary }) => {
    // There is another /tmp inside, where anything may be written.
    const found = existsSync(join(temporary, "file"));
    return found ? "seen" : undefined;
  },
  "the kernel's pattern for core dumps": () => write("/proc/sys/kernel/core_pattern"),
  "the kernel's keyboard": () => write("/proc/sysrq-trigger"),
  "the kernel's own files": () => write("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"),
  "the memory of the machine": () => `descriptor ${openSync("/dev/mem", "r+")}`,
  "the log of the kernel": () => `descriptor ${openSync("/dev/kmsg", "r+")}`,
  "the first disk": () => `descriptor ${openSync(existsSync("/dev/vda") ? "/dev/vda" : "/dev/sda", "r+")}`,
};
