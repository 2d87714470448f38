/** The systems that `npm run build` can make a single file for, and what goes into it: Bun's program and ripgrep, from npm. */

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { bunPackages } from "./bun-binary.mjs";
import { checkoutPaths } from "./checkout.mjs";
import { npmCommand } from "./npm.mjs";

export interface Target {
  readonly name: string;
  readonly compile: Bun.Build.CompileTarget;
  readonly bunPackage: string;
  readonly ripgrepPackage: string;
}

const systems = [
  { platform: "linux", arch: "x64" },
  { platform: "linux", arch: "arm64" },
  { platform: "darwin", arch: "x64" },
  { platform: "darwin", arch: "arm64" },
] as const;

export const targets: readonly Target[] = systems.flatMap(({ platform, arch }) =>
  bunPackages({ platform, arch }).map((bunPackage) => {
    const suffix = bunPackage.endsWith("-musl") ? "-musl" : "";
    return {
      name: `${platform}-${arch}${suffix}`,
      compile: `bun-${platform}-${arch}${suffix}` as Bun.Build.CompileTarget,
      bunPackage,
      // Linked statically: it runs with glibc and with musl.
      ripgrepPackage: `@vscode/ripgrep-${platform}-${arch}`,
    };
  }),
);

/** Where a package of package-lock.json is: npm has installed it, or it is fetched, since it is for another platform. */
export async function packageDirectory(root: string, name: string): Promise<string> {
  const { modules, state, lockFile } = checkoutPaths(root);
  const installed = join(modules, name);
  if (existsSync(installed)) return installed;
  const { version, integrity } = JSON.parse(readFileSync(lockFile, "utf8")).packages[`node_modules/${name}`];
  const fetched = join(state, "packages", `${name}@${version}`);
  if (existsSync(fetched)) return fetched;
  mkdirSync(dirname(fetched), { recursive: true });
  const aside = mkdtempSync(`${fetched}.partial-`);
  try {
    process.stderr.write(`fetching ${name}@${version}\n`);
    await run([
      ...npmCommand(process.env),
      "pack",
      "--silent",
      "--pack-destination",
      aside,
      `${name}@${version}`,
    ]);
    const archive = join(aside, readdirSync(aside)[0] ?? "");
    const hash = `sha512-${createHash("sha512").update(readFileSync(archive)).digest("base64")}`;
    if (hash !== integrity) throw new Error(`${name}@${version} is not the one in package-lock.json`);
    await run(["tar", "-xzf", archive, "-C", aside]);
    renameSync(join(aside, "package"), fetched);
    return fetched;
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

async function run(argv: readonly string[]): Promise<void> {
  const child = Bun.spawn([...argv], { stdin: "ignore", stdout: "ignore", stderr: "inherit" });
  const exitCode = await child.exited;
  if (exitCode !== 0) throw new Error(`${argv.join(" ")} ended with exit code ${exitCode}`);
}
