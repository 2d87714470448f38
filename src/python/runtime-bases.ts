/** Where private directories for sockets and pipes may be made, best first. XDG_RUNTIME_DIR may name what does not exist. */

import { tmpdir } from "node:os";

export function runtimeBases(env: Readonly<Record<string, string | undefined>>): string[] {
  return [...new Set([env["XDG_RUNTIME_DIR"] || tmpdir(), tmpdir(), "/tmp"])];
}
