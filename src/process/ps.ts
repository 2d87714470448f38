/** What `ps` says about processes: for systems without /proc. */

import { basename } from "node:path";
import type { ProcessStat } from "./proc.ts";

const INIT = 1;

/** Every process that has not ended. The `ps` of macOS does not know the session, but marks its leader: the others are those below it. */
export function statsFromPs(): ProcessStat[] {
  const rows = readPs();
  const byPid = new Map(rows.map((row) => [row.pid, row]));
  const sessionOf = ({ pid, parent, group, state }: Row): number => {
    if (state.includes("s")) return pid;
    // What has lost its parent still has its group, whose leader may be there.
    const above = byPid.get(parent === INIT && group !== pid ? group : parent);
    return above === undefined || above.pid === INIT || above.pid === pid ? group : sessionOf(above);
  };
  return rows
    .filter(({ state }) => !state.startsWith("Z"))
    .map((row) => ({ ...row, session: sessionOf(row), started: "" }));
}

type Row = Omit<ProcessStat, "session" | "started">;

function readPs(): Row[] {
  const answer = Bun.spawnSync(["ps", "-axo", "pid=,ppid=,pgid=,stat=,comm="]).stdout.toString();
  return answer.split("\n").flatMap((line) => {
    const [pid, parent, group, state, ...name] = line.trim().split(/\s+/);
    if (pid === undefined || pid === "" || state === undefined) return [];
    const numbers = { pid: Number(pid), parent: Number(parent), group: Number(group) };
    // macOS shows the path of the program, Linux its name.
    return [{ ...numbers, state, name: basename(name.join(" ")) }];
  });
}
