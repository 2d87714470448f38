/**
 * uv for the tests' environments: it makes all of them in the time that pip needs for one. Taken from PATH, else installed from the package
 * index into `.venv-uv` in the checkout. Without either, pip makes the environments.
 */

import { join } from "node:path";
import { usualPythons } from "../src/python/base-pythons.ts";
import { type EnvironmentPlan, ensureEnvironment } from "../src/python/managed-environment.ts";
import { EnvironmentError } from "../src/python/managed-environment-errors.ts";

const UV = "uv==0.13.8";

/** Where uv keeps what it downloads; the environments hold links to the same files, so it can go once they are made. */
export function uvCache(root: string): string {
  return join(root, ".venv-uv-cache");
}

/** The path of uv; undefined where it cannot be had. */
export async function ensureUv(
  root: string,
  options: Pick<EnvironmentPlan, "env" | "signal" | "onProgress">,
): Promise<string | undefined> {
  const found = Bun.which("uv", { PATH: options.env["PATH"] ?? "" });
  if (found !== null) return found;
  const target = join(root, ".venv-uv");
  try {
    await ensureEnvironment({
      target,
      requirements: { packages: [UV] },
      label: "uv",
      imports: ["uv"],
      borrow: false,
      adopt: false,
      elsewhere: usualPythons,
      ...options,
    });
    return join(target, "bin", "uv");
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    options.onProgress(
      `no uv (${error.tried.at(-1)?.problem ?? error.issue}): pip makes the environments, which takes longer`,
    );
    return undefined;
  }
}
