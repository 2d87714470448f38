/** The names in a directory; none when it is missing, unreadable or removed meanwhile. */

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
