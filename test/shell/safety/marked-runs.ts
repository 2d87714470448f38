/**
 * What bash really runs: commands that hide a marker, each in a directory of its own inside bubblewrap, where nothing else can be
 * changed. Tells which of them ran the marker.
 */

import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Before each command, for the shell and for the reader: what the hidden words use. */
export const PREFIX = `set -- 'a[$(mark)]' -o out\nv='-o out' w=mark e='a[$(mark)]' p='$(mark)'\n`;

/** Programs that run others in ways of their own, and files whose text is not in the command: following does not look into them. */
const ELSEWHERE = /sed|awk|git|compress|--pre|evil|hostile|bare|source/;

export function canBeFollowed(command: string): boolean {
  return command.includes("mark") && !ELSEWHERE.test(command) && !command.includes("\0");
}

const REAL =
  "ls cat echo head tail wc grep sort uniq find printf test true false jq xargs date diff tr cut timeout which file tree pwd basename dirname env sh bash sleep rm mkdir cp";

/** Each trace is a file named after the command's number: what a command leaves running marks nothing but itself. */
const DRIVER = `
mkdir -p /tmp/bin /tmp/traces
for name in ${REAL}; do path=$(command -v $name) && ln -s "$path" /tmp/bin/$name; done
printf '#!/bin/sh\\n: > "/tmp/traces/$MARKED"\\n' > /tmp/bin/mark
/bin/chmod +x /tmp/bin/mark
number=0
while IFS= read -r -d '' command <&9; do
  mkdir -p /tmp/$number/sub && cd /tmp/$number && echo b > a.txt && echo a > b.txt
  MARKED=$number PATH=/tmp/bin HOME=/tmp/$number timeout -k 1 2 bash --norc -c "$command" </dev/null >/dev/null 2>&1 9<&-
  number=$((number + 1))
done 9<"$1/commands"
sleep 1
cp -r /tmp/traces "$1/"
`;

/** @param directory an empty one outside /tmp's own names; what the sandbox writes goes there. */
export async function runMarked(
  commands: readonly string[],
  directory: string,
): Promise<ReadonlySet<string>> {
  writeFileSync(join(directory, "commands"), commands.map((command) => `${PREFIX}${command}\0`).join(""));
  const sandbox = ["bwrap", "--ro-bind", "/", "/", "--tmpfs", "/tmp", "--bind", directory, directory];
  const shut = ["--dev", "/dev", "--proc", "/proc", "--unshare-all", "--die-with-parent"];
  const child = Bun.spawn([...sandbox, ...shut, "bash", "--norc", "-c", DRIVER, "driver", directory], {
    stdin: "ignore",
    stdout: "ignore",
    stderr: "inherit",
  });
  await child.exited;
  const numbers = readdirSync(join(directory, "traces")).filter((name) => /^\d+$/.test(name));
  return new Set(numbers.map((number) => commands[Number(number)] ?? ""));
}
