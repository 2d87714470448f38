/**
 * The sandbox on Linux: a command line for bubblewrap. A new mount, process, network, IPC and user namespace without any capability;
 * everything that can be seen is read-only, but for the places that the policy names.
 */

import { lstatSync } from "node:fs";
import { governs, isDirectory, isSeen, type Place } from "./policy.ts";

/** Of the kernel's own files: the super-user could change the whole machine with them, also without capabilities. */
const KERNEL_FILES = [
  ...["sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "driver", "scsi", "asound", "tty", "mtrr"],
  ...["pressure", "dynamic_debug"],
].map((name) => `/proc/${name}`);

const namespaces = [
  ...["--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"],
  "--unshare-cgroup-try",
];

export interface BubblewrapOptions {
  readonly program: string;
  /** Older ones cannot forbid namespaces inside. */
  readonly canForbidNamespaces: boolean;
}

export interface BubblewrapInside {
  /** Parents first. */
  readonly places: readonly Place[];
  /** Those that must not be reached. */
  readonly sockets: readonly string[];
  readonly cwd: string;
  /** A file with the system calls that are refused; see syscall-filter.ts. */
  readonly filter: string | undefined;
}

/** bubblewrap reads it from a descriptor, which a program cannot pass on from a running one. */
const withFilter = ["/bin/sh", "-c", 'exec "$@" 9<"$0"'];

export function bubblewrapCommand(
  { program, canForbidNamespaces }: BubblewrapOptions,
  { places, sockets, cwd, filter }: BubblewrapInside,
): string[] {
  const hidden = places.filter(({ kind, path }) => kind === "hide" && isDirectory(path));
  return [
    ...(filter === undefined ? [program] : [...withFilter, filter, program, "--seccomp", "9"]),
    ...namespaces,
    ...(canForbidNamespaces ? ["--disable-userns"] : []),
    // Ends with omp, and has no terminal that it could type into.
    ...["--die-with-parent", "--new-session", "--cap-drop", "ALL"],
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
    ...KERNEL_FILES.filter(exists).flatMap((path) => ["--ro-bind", path, path]),
    ...places.flatMap(mount),
    ...visible(sockets, places).flatMap((path) => ["--ro-bind", "/dev/null", path]),
    // At the end: until then places inside them are made.
    ...hidden.flatMap(({ path }) => ["--remount-ro", path]),
    ...["--chdir", cwd, "--"],
  ];
}

function mount({ kind, path, from = path }: Place): string[] {
  if (kind === "hide") return isDirectory(path) ? ["--tmpfs", path] : ["--ro-bind", "/dev/null", path];
  if (kind === "read") return ["--ro-bind", from, path];
  return [path.startsWith("/dev/") && !path.startsWith("/dev/shm/") ? "--dev-bind" : "--bind", from, path];
}

/** Without those that are not there inside anyway, or that a program needs. */
function visible(sockets: readonly string[], places: readonly Place[]): string[] {
  return sockets.filter((socket) => {
    const governing = governs(places, socket);
    return isSeen(governing) && governing?.path !== socket;
  });
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
