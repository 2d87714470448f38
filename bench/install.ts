/**
 * How long a newcomer waits: `npm pack`, then in an empty folder with an empty home the installation and `omp doctor`. Needs the npm
 * registry. `npm run bench -- install [version …]` measures with these versions of npm (default: the one on PATH) and with Bun.
 */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Report } from "./report.ts";

const LIMIT_S = 60;
const root = resolve(import.meta.dir, "..");
const versions = process.argv.slice(2);
const directory = mkdtempSync(join(tmpdir(), "omp-install-"));

async function run(
  argv: readonly string[],
  { cwd, env = process.env }: { cwd: string; env?: NodeJS.ProcessEnv },
) {
  const child = Bun.spawn([...argv], { cwd, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { stdout, exitCode, said: `${argv.join(" ")} ended with exit code ${exitCode}: ${stdout}${stderr}` };
}

async function must(argv: readonly string[], options: Parameters<typeof run>[1]): Promise<string> {
  const { stdout, exitCode, said } = await run(argv, options);
  if (exitCode !== 0) throw new Error(said);
  return stdout;
}

/** @returns seconds */
async function install(name: string, command: (prefix: string) => readonly string[]): Promise<number> {
  const place = join(directory, name);
  const [home, prefix, empty] = ["home", "prefix", "empty"].map((each) => join(place, each));
  for (const each of [home, prefix, empty]) mkdirSync(each ?? "", { recursive: true });
  // How to reach the registry may be in variables; everything else is as for a new user.
  const kept = Object.entries(process.env).filter(([key]) =>
    /^(?:NODE_EXTRA_CA_CERTS|PATH|.*_proxy)$/i.test(key),
  );
  const env = { ...Object.fromEntries(kept), HOME: home, BUN_INSTALL: prefix };
  const options = { cwd: empty ?? "", env };
  const before = performance.now();
  await must(command(prefix ?? ""), options);
  // It ends with 1 where Python has no ipykernel yet; what counts is that it runs.
  const doctor = await run([join(prefix ?? "", "bin", "omp"), "doctor", "--json"], options);
  JSON.parse(doctor.stdout);
  return (performance.now() - before) / 1000;
}

try {
  const packed: unknown = JSON.parse(
    await must(["npm", "pack", "--json", "--pack-destination", directory], { cwd: root }),
  );
  const [{ filename }] = Object.values(packed as Record<string, { filename: string }>) as [
    { filename: string },
  ];
  const archive = join(directory, filename);
  const report = new Report("from an empty folder to omp doctor");
  const measure = async (name: string, command: (prefix: string) => readonly string[]) =>
    report.limit(name, { value: await install(name, command), limit: LIMIT_S, unit: "s" });
  const global = ["install", "--global", "--no-fund", "--no-audit", archive];
  for (const version of versions) {
    const own = join(directory, `npm-${version}`);
    await must(["npm", "install", "--silent", "--prefix", own, `npm@${version}`], { cwd: directory });
    const npm = ["node", join(own, "node_modules", "npm", "bin", "npm-cli.js")];
    await measure(`npm ${version}`, (prefix) => [...npm, "--prefix", prefix, ...global]);
  }
  if (versions.length === 0) await measure("npm", (prefix) => ["npm", "--prefix", prefix, ...global]);
  await measure("bun", () => [process.execPath, "install", "--global", archive]);
  process.exitCode = report.print();
} finally {
  rmSync(directory, { recursive: true, force: true });
}
