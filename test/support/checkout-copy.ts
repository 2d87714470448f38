/** A checkout of its own for a test: the sources copied, the npm packages linked, nothing set up. */

import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryDirectory } from "./home.ts";
import { checkout } from "./omp.ts";

const parts = ["bin", "src", "prompts", "scripts", "package.json", "package-lock.json", "tsconfig.json"];

/** As after `npm ci` that ran no install scripts: Bun is still the stub that its package ships. */
export function copyCheckout(): string {
  const copy = join(temporaryDirectory({ lasts: "file" }), "a copy");
  for (const part of parts) cpSync(join(checkout, part), join(copy, part), { recursive: true });
  const [from, to] = [join(checkout, "node_modules"), join(copy, "node_modules")];
  mkdirSync(join(to, "bun", "bin"), { recursive: true });
  writeFileSync(join(to, "bun", "bin", "bun.exe"), "#!/bin/sh\necho stub >&2\nexit 1\n", { mode: 0o755 });
  // Where the package of the platform has it before Bun's install script takes it away.
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
