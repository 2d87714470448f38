/** A copy of the checkout for a test: the sources are copied, the npm packages linked, and nothing is set up. */

import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryDirectory } from "./home.ts";
import { checkout } from "./omp.ts";

const parts = ["bin", "src", "prompts", "scripts", "package.json", "package-lock.json", "tsconfig.json"];

/** As after an `npm ci` without install scripts: Bun is still the stub from its package. */
export function copyCheckout(): string {
  const copy = join(temporaryDirectory({ lasts: "file" }), "a copy");
  for (const part of parts) cpSync(join(checkout, part), join(copy, part), { recursive: true });
  const [from, to] = [join(checkout, "node_modules"), join(copy, "node_modules")];
  mkdirSync(join(to, "bun", "bin"), { recursive: true });
  writeFileSync(join(to, "bun", "bin", "bun.exe"), "#!/bin/sh\necho stub >&2\nexit 1\n", { mode: 0o755 });
  // Where the package of the platform has it until Bun's install script moves it.
  const binary = join(to, "@oven", "bun-of-this-platform", "bin", "bun");
  mkdirSync(dirname(binary), { recursive: true });
  cpSync(join(from, "bun", "bin", "bun.exe"), binary);
  cpSync(join(from, ".package-lock.json"), join(to, ".package-lock.json"));
  for (const name of readdirSync(from)) {
    if (!name.startsWith(".") && name !== "bun" && name !== "@oven")
      symlinkSync(join(from, name), join(to, name));
  }
  return copy;
}
