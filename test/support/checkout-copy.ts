/** A copy of the checkout for a test: the sources are copied, the npm packages linked, and nothing is set up. */

import { cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "./home.ts";
import { checkout } from "./omp.ts";

const parts = ["bin", "src", "prompts", "scripts", "package.json", "package-lock.json", "tsconfig.json"];

export function copyCheckout(): string {
  const copy = join(temporaryDirectory({ lasts: "file" }), "a copy");
  for (const part of parts) cpSync(join(checkout, part), join(copy, part), { recursive: true });
  const [from, to] = [join(checkout, "node_modules"), join(copy, "node_modules")];
  mkdirSync(to);
  cpSync(join(from, ".package-lock.json"), join(to, ".package-lock.json"));
  for (const name of readdirSync(from)) {
    if (!name.startsWith(".")) symlinkSync(join(from, name), join(to, name));
  }
  return copy;
}
