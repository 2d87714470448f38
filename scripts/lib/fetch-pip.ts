/**
 * pip's wheel for builds: inside omp it serves those whose Python has no pip. Fetched by a pip, in the version and with the hash that
 * the managed environment is pinned to, and kept in dist.
 */

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pinnedPackages } from "../../src/python/managed-requirements.ts";
import { pinOfPip } from "../../src/python/pip-wheel.ts";

export async function fetchPip(root: string): Promise<string> {
  const pin = pinOfPip(pinnedPackages);
  if (pin === undefined) throw new Error("managed-requirements.txt does not pin pip");
  const directory = join(root, "dist", "pip");
  const wheel = join(directory, pin.name);
  const isRight = () =>
    existsSync(wheel) && pin.hashes.includes(createHash("sha256").update(readFileSync(wheel)).digest("hex"));
  if (isRight()) return wheel;

  mkdirSync(directory, { recursive: true });
  const options = ["--quiet", "--no-deps", "--only-binary", ":all:", "--dest", directory];
  const problems: string[] = [];
  for (const python of [join(root, ".venv", "bin", "python"), "python3"]) {
    if (Bun.which(python) === null) continue;
    const argv = [python, "-m", "pip", "download", ...options, `pip==${pin.version}`];
    const { stderr } = Bun.spawnSync(argv, { stdin: "ignore", stdout: "ignore", stderr: "pipe" });
    if (isRight()) return wheel;
    problems.push(`${python}: ${stderr.toString().trim() || "a wheel with another hash"}`);
  }
  throw new Error(`no Python here could fetch pip ${pin.version}\n${problems.join("\n")}`);
}
