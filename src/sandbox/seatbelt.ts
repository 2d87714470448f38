/** The sandbox on macOS: a profile for `sandbox-exec`. Process ids stay as they are; nothing is mounted. */

import type { Place } from "./policy.ts";

export const SEATBELT = "/usr/bin/sandbox-exec";

/** @param places parents first: of two rules about one path the later one counts. @param proxyPort on loopback, to allowed hosts. */
export function seatbeltProfile(places: readonly Place[], proxyPort?: number): string {
  const rules = places.map(({ kind, path, from = path }) => {
    const where = `(subpath ${quote(from)})`;
    if (kind === "write") return `(allow file-read* file-write* ${where})`;
    if (kind === "read") return `(deny file-write* ${where})\n(allow file-read* ${where})`;
    return `(deny file-read* file-write* ${where})\n(allow file-read-metadata ${where})`;
  });
  return [
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (regex #"^/dev/fd/"))',
    ...rules,
    "(deny network*)",
    // Kernels listen at sockets in the places that may be written. Loopback is the machine's own, with all that listens there.
    ...places.filter(({ kind }) => kind === "write").map(({ path, from = path }) => unixRule(from)),
    ...(proxyPort === undefined ? [] : [`(allow network-outbound (remote ip "localhost:${proxyPort}"))`]),
    "(deny process-info* (target others))",
    "(allow process-info* (target same-sandbox))",
    "(deny signal (target others))",
    "(allow signal (target same-sandbox))",
    "(deny appleevent-send)",
    "",
  ].join("\n");
}

export function seatbeltCommand(places: readonly Place[], proxyPort?: number): string[] {
  return [SEATBELT, "-p", seatbeltProfile(places, proxyPort)];
}

function unixRule(path: string): string {
  return `(allow network* (local unix-socket (subpath ${quote(path)})) (remote unix-socket (subpath ${quote(path)})))`;
}

/** A string as the profile's language reads it. */
function quote(path: string): string {
  return `"${path.replace(/[\\"]/g, "\\$&")}"`;
}
