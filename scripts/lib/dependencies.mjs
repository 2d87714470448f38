/**
 * The npm part of the set-up: node_modules as package-lock.json wants them. Whether they are is read from files alone; a
 * stamp saves comparing on every start.
 */

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { places, SetupError, say } from "./checkout.mjs";

/** @param {string} checkout */
export function dependenciesAreCurrent(checkout) {
  const { lockFile, installedFile, state } = places(checkout);
  const lock = readFileSync(lockFile);
  const hash = createHash("sha256").update(lock).digest("hex");
  const installed = textOf(installedFile);
  if (installed === undefined) return false;
  if (textOf(join(state, "dependencies")) === hash) return true;
  // Somebody ran npm by hand: no stamp, and yet all may be well.
  if (!sameVersions(JSON.parse(lock.toString("utf8")).packages, JSON.parse(installed).packages)) return false;
  stamp(state, hash);
  return true;
}

/**
 * @param {string} checkout
 * @param {NodeJS.ProcessEnv} env
 */
export function installDependencies(checkout, env) {
  const { lockFile, state } = places(checkout);
  say("installing npm packages (once; takes a moment)");
  // No package's install script is needed or run: Bun's binary is put into place by bun-binary.mjs.
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
      `npm ci failed in ${checkout}:\n${said}\nWhen the network and the disk are fine, run: npm ci && npm start`,
    );
  }
  stamp(state, createHash("sha256").update(readFileSync(lockFile)).digest("hex"));
}

/** The npm that runs us, else the one on PATH. */
function npmCommand(env) {
  const script = env["npm_execpath"];
  return script?.endsWith(".js") ? [process.execPath, script] : ["npm"];
}

/** Every package that the lock asks for is there in that version; optional ones are for other machines when missing. */
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
