/** The sandbox on macOS: a profile for `sandbox-exec`. Process ids stay as they are; nothing is mounted. */

import type { Place } from "./policy.ts";

export const SEATBELT = "/usr/bin/sandbox-exec";

/** @param places parents first: of two rules about one path the later one counts. */
export function seatbeltProfile(places: readonly Place[]): string {
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
    // Kernels listen at sockets in the places that may be written; programs may listen to themselves.
    ...places.filter(({ kind }) => kind === "write").map(({ path, from = path }) => unixRule(from)),
    '(allow network* (local ip "localhost:*") (remote ip "localhost:*"))',
    "(deny process-info* (target others))",
    "(allow process-info* (target same-sandbox))",
    "(deny signal (target others))",
    "(allow signal (target same-sandbox))",
    "(deny appleevent-send)",
    "",
  ].join("\n");
}

export function seatbeltCommand(places: readonly Place[]): string[] {
  return [SEATBELT, "-p", seatbeltProfile(places)];
}

function unixRule(path: string): string {
  return `(allow network* (local unix-socket (subpath ${quote(path)})) (remote unix-socket (subpath ${quote(path)})))`;
}

/** A string as the profile's language reads it. */
function quote(path: string): string {
  return `"${path.replace(/[\\"]/g, "\\$&")}"`;
}
