/** The state of a directory as one value. */

import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Every file, link, pipe and its permissions, and directories without anything in them; other directories only by what is in them. */
export function stateOf(root: string, { except = [] }: { readonly except?: readonly string[] } = {}) {
  const found: Record<string, string> = {};
  const walk = (directory: Buffer, prefix: string) => {
    const entries = readdirSync(directory, { encoding: "buffer" });
    if (entries.length === 0 && prefix !== "") found[prefix] = "empty";
    for (const entry of entries) {
      const path = Buffer.concat([directory, Buffer.from("/"), entry]);
      const name = prefix + entry.toString("latin1");
      if (except.includes(name)) continue;
      const stats = lstatSync(path);
      if (stats.isDirectory()) walk(path, `${name}/`);
      else found[name] = describe(path, stats);
    }
  };
  walk(Buffer.from(root), "");
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function describe(path: Buffer, stats: ReturnType<typeof lstatSync>): string {
  if (stats === undefined) return "gone";
  if (stats.isSymbolicLink()) return `-> ${readlinkSync(path)}`;
  if (!stats.isFile()) return "special";
  const mode = (Number(stats.mode) & 0o777).toString(8);
  return `${mode} ${createHash("sha256").update(readFileSync(path)).digest("hex").slice(0, 16)}`;
}
