/**
 * The npm part of the set-up: node_modules as in package-lock.json. Checking reads files only, and a stamp saves comparing
 * them at every start.
 */

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkoutPaths, SetupError, say } from "./checkout.mjs";

/** @param {string} checkout */
export function dependenciesAreCurrent(checkout) {
  const { lockFile, installedFile, state } = checkoutPaths(checkout);
  const lock = readFileSync(lockFile);
  const hash = createHash("sha256").update(lock).digest("hex");
  const installed = textOf(installedFile);
  if (installed === undefined) return false;
  if (textOf(join(state, "dependencies")) === hash) return true;
  // The user ran npm: there is no stamp, but the packages may be right.
  if (!sameVersions(JSON.parse(lock.toString("utf8")).packages, JSON.parse(installed).packages)) return false;
  stamp(state, hash);
  return true;
}

/**
 * @param {string} checkout
 * @param {NodeJS.ProcessEnv} env
 */
export function installDependencies(checkout, env) {
  const { lockFile, state } = checkoutPaths(checkout);
  say("installing npm packages (once; takes a moment)");
  // No package needs its install script: bun-binary.mjs installs Bun's binary.
  const flags = ["ci", "--ignore-scripts", "--include=dev", "--include=optional", "--no-audit", "--no-fund"];
  const [command, ...first] = npmCommand(env);
  const { status, error, stdout, stderr } = spawnSync(command, [...first, ...flags, "--loglevel=error"], {
    cwd: checkout,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (status !== 0) {
    const said = error?.message ?? lastLines(`${stdout}\n${stderr}`, 12);
    throw new SetupError(
      `npm ci failed in ${checkout}:\n${said}\nCheck the network and the disk, then run: npm ci && npm start`,
    );
  }
  stamp(state, createHash("sha256").update(readFileSync(lockFile)).digest("hex"));
}

/** The npm that runs this script, otherwise the one on PATH. */
function npmCommand(env) {
  const script = env["npm_execpath"];
  return script?.endsWith(".js") ? [process.execPath, script] : ["npm"];
}

/** Whether every locked package is installed in its version; missing optional ones are for other platforms. */
function sameVersions(wanted, installed) {
  const there = Object.keys(installed);
  return (
    there.every((name) => wanted[name]?.version === installed[name].version) &&
    Object.entries(wanted).every(([name, entry]) => name === "" || entry.optional || name in installed)
  );
}

function stamp(state, hash) {
  mkdirSync(state, { recursive: true });
  writeFileSync(join(state, "dependencies"), hash);
}

function textOf(file) {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

function lastLines(text, count) {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.slice(-count).join("\n");
}
