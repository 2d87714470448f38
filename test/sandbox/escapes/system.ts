/** Attempts to reach processes, namespaces, sockets and the network of the machine. */

import { dlopen, FFIType, ptr } from "bun:ffi";
import { openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { type Attempt, SECRET } from "./attempt.ts";

const { u64, i64 } = FFIType;
const { syscall } = dlopen("libc.so.6", {
  syscall: { args: [i64, u64, u64, u64, u64, u64, u64], returns: i64 },
}).symbols;

/** Numbers of system calls on x86-64 and, where they differ, on arm64. */
const calls = {
  mount: [165, 40],
  umount2: [166, 39],
  unshare: [272, 97],
  setns: [308, 268],
  chroot: [161, 51],
  ptrace: [101, 117],
  mknodat: [259, 33],
  setxattr: [188, 5],
  socket: [41, 198],
  connect: [42, 203],
  shmget: [29, 194],
  shmat: [30, 196],
  pidfd_open: [434, 434],
  prlimit64: [302, 261],
  init_module: [175, 105],
  bpf: [321, 280],
  sethostname: [170, 161],
  settimeofday: [164, 170],
  process_vm_readv: [310, 270],
  open_by_handle_at: [304, 265],
  keyctl: [250, 219],
  io_uring_setup: [425, 425],
} as const;

function call(name: keyof typeof calls, ...given: (number | bigint | string | Uint8Array)[]): string {
  const kept = given.map((value) => (typeof value === "string" ? Buffer.from(`${value}\0`) : value));
  const values = kept.map((value) => (value instanceof Uint8Array ? ptr(value) : value));
  const at = (index: number) => values[index] ?? 0;
  const number = calls[name][process.arch === "arm64" ? 1 : 0];
  const result = Number(syscall(number, at(0), at(1), at(2), at(3), at(4), at(5)));
  if (result < 0) throw new Error(`${name} was refused`);
  return `${name} gave ${result}`;
}

const [NEWNS, NEWUSER, MS_REMOUNT, MS_BIND, MNT_DETACH] = [0x20000, 0x10000000, 32, 4096, 2];
const [ATTACH, AT_FDCWD, CHARACTER_DEVICE] = [16, -100, 0o20666];
const [AF_INET, AF_PACKET, AF_VSOCK] = [2, 17, 40];

/** Whether something answers there. */
function reach(where: { path: string } | { host: string; port: number }): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(where);
    socket.setTimeout(3_000, () => reject(new Error("no answer")));
    socket.on("connect", () => resolve(`connected to ${JSON.stringify(where)}`));
    socket.on("error", reject);
    socket.on("close", () => socket.destroy());
  });
}

async function reachAny(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    const found = await reach({ path }).catch(() => undefined);
    if (found !== undefined) return found;
  }
  return undefined;
}

export const systemAttempts: Readonly<Record<string, Attempt>> = {
  "a signal to a process outside": ({ victim }) => process.kill(victim, "SIGKILL"),
  "a signal to the group of a process outside": ({ victim }) => process.kill(-victim, "SIGKILL"),
  "a look at a process outside": ({ victim }) => readFileSync(`/proc/${victim}/stat`, "utf8"),
  "the environment of a process outside": () => {
    const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
    return all.find((pid) => readFileSync(`/proc/${pid}/environ`, "utf8").includes(SECRET));
  },
  "the memory of a process outside": ({ victim }) => readFileSync(`/proc/${victim}/mem`),
  "the memory of a process outside, by a call": ({ victim }) => {
    const byte = Buffer.alloc(1);
    const local = new BigUint64Array([BigInt(ptr(byte)), 1n]);
    const remote = new BigUint64Array([0x400000n, 1n]);
    const [from, to] = [new Uint8Array(remote.buffer), new Uint8Array(local.buffer)];
    return call("process_vm_readv", victim, to, 1, from, 1, 0);
  },
  "the descriptors of a process outside": ({ victim }) => readdirSync(`/proc/${victim}/fd`).join(),
  "a debugger on a process outside": ({ victim }) => call("ptrace", ATTACH, victim, 0, 0),
  "a handle on a process outside": ({ victim }) => call("pidfd_open", victim, 0),
  "the limits of a process outside": ({ victim }) => call("prlimit64", victim, 7, 0, Buffer.alloc(16)),
  "a mount": ({ outside }) => call("mount", "none", outside, "tmpfs", 0, 0),
  "the root, writable again": () => call("mount", "none", "/", 0, MS_REMOUNT | MS_BIND, 0),
  "the project's hooks, writable again": ({ project }) =>
    call("mount", "none", join(project, ".git/hooks"), 0, MS_REMOUNT | MS_BIND, 0),
  "what hides omp's files, unmounted": ({ home }) => call("umount2", join(home, ".omp/agent"), MNT_DETACH),
  "a mount namespace": () => call("unshare", NEWNS),
  "a user namespace": () => call("unshare", NEWUSER | NEWNS),
  "the namespace of another process": () => call("setns", openSync("/proc/1/ns/mnt", "r"), 0),
  "another root": ({ outside }) => call("chroot", outside),
  "a file by its number": () => call("open_by_handle_at", AT_FDCWD, Buffer.alloc(64), 2),
  "a device of one's own": ({ project }) =>
    call("mknodat", AT_FDCWD, join(project, "memory"), CHARACTER_DEVICE, 0x101),
  "an attribute of a file": ({ file }) => call("setxattr", file, "user.evil", "x", 1, 0),
  "a module in the kernel": () => call("init_module", Buffer.alloc(64), 64, ""),
  "a program in the kernel": () => call("bpf", 5, Buffer.alloc(128), 128),
  "the name of the machine": () => call("sethostname", "evil", 4),
  "the clock of the machine": () => call("settimeofday", Buffer.alloc(16), 0),
  "memory that is shared with a process outside": ({ sharedMemory }) => call("shmget", sharedMemory, 1, 0),
  "a terminal to type into": () => writeFileSync("/dev/tty", "evil"),
  "a server on loopback": ({ tcp }) => reach({ host: "127.0.0.1", port: tcp }),
  "a server on loopback, by name": ({ tcp }) => reach({ host: "localhost", port: tcp }),
  "a server on loopback, over IPv6": ({ tcp }) => reach({ host: "::1", port: tcp }),
  "a datagram to loopback": async ({ udp }) => {
    const socket = await Bun.udpSocket({ connect: { hostname: "127.0.0.1", port: udp } });
    socket.send("evil");
    socket.close();
    // Sent is not delivered: the outside knows.
    return undefined;
  },
  "an address on the internet": () => reach({ host: "192.0.2.1", port: 80 }),
  "a name on the internet": () => Bun.dns.lookup("example.com").then((found) => found.length > 0),
  "sockets of the user's session": ({ sockets }) => reachAny(sockets),
  "a socket without a file": ({ abstractSocket }) => reach({ path: `\0${abstractSocket}` }),
  "a raw socket": () => call("socket", AF_INET, 3, 1),
  "packets of the network": () => call("socket", AF_PACKET, 3, 0),
  "the machine below this one": () => call("socket", AF_VSOCK, 1, 0),
  "the routes of the machine": () => {
    const routes = readFileSync("/proc/net/route", "utf8").trim().split("\n").slice(1);
    return routes.length > 0 ? routes.join() : undefined;
  },
  "the user's key ring": () => call("keyctl", 0, -4, 0),
  "calls that the kernel does out of sight": () => call("io_uring_setup", 4, Buffer.alloc(128)),
};
