/**
 * The Unix sockets that programs on this machine listen at: an SSH agent, Docker, a database, another omp's kernel. A network of its own
 * does not keep a program from those that have a name in the file system, nor does a file system that cannot be written.
 */

import { readFileSync, statSync } from "node:fs";
import { attempt } from "../protocol/index.ts";

const TABLE = "/proc/net/unix";

/** By name, those that there are at this moment. */
export function listeningSockets(table: string = TABLE): string[] {
  const lines = (attempt(() => readFileSync(table, "utf8")) ?? "").split("\n").slice(1);
  const paths = lines
    .map((line) => /^(?:\S+\s+){7}(\/.*)$/.exec(line)?.[1])
    .filter((path) => path !== undefined);
  return [...new Set(paths)].filter((path) => attempt(() => statSync(path).isSocket()) === true);
}
