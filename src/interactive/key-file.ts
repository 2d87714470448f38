/** The user's own keys: `agent/keys.json` in omp's home, such as { "ctrl+t": "undo", "ctrl+z": null }. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ompPaths } from "../config/paths.ts";
import { systemCode } from "../protocol/index.ts";
import type { Invocation } from "../protocol/invocation.ts";
import { defaultKeymap, type KeymapResult, keymapFrom } from "../ui/editor/keymap.ts";

/** Never throws: a bad key file must not keep the user out. Problems name the file. */
export function readKeymap({ env }: Invocation): KeymapResult {
  const path = join(ompPaths({ env }).home, "agent", "keys.json");
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const code = systemCode(error);
    const problems = code === "ENOENT" ? [] : [`${path}: cannot be read (${code ?? "EIO"})`];
    return { keymap: defaultKeymap(), problems };
  }
  const { keymap, problems } = keymapFrom(text);
  return { keymap, problems: problems.map((problem) => `${path}: ${problem}`) };
}
