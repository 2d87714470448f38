/** What is in a directory that may be missing, not ours to read, or gone at any moment: nothing, then. */

import { readdirSync } from "node:fs";
import { systemCode } from "../protocol/index.ts";

export function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return [];
  }
}
