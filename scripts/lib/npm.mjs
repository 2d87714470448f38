/** Running npm: which one, where its cache is, so that it ends with us, and its failures in one line. */

import { spawn, spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import { homedir, constants as system } from "node:os";
import { basename, dirname, join } from "node:path";
import { SetupError } from "./checkout.mjs";

/** Node 20 comes with npm 9; npm 6 cannot read our lock file at all. */
const OLDEST_NPM = 8;
/** What npm keeps of the packages, roughly. */
const CACHE_MB = 150;
const KILL_AFTER_MS = 5_000;
const MAX_OUTPUT_CHARS = 20_000;

/** The npm that runs this script, otherwise the one on PATH. */
export function npmCommand(env) {
  const script = env["npm_execpath"];
  return script !== undefined && basename(script) === "npm-cli.js" ? [process.execPath, script] : ["npm"];
}

/** @param {NodeJS.ProcessEnv} env */
export function checkNpm(env) {
  const [command, ...args] = npmCommand(env);
  const { error, stdout } = spawnSync(command, [...args, "--version"], { env, encoding: "utf8" });
  if (error?.code === "ENOENT")
    throw new SetupError("npm is not on PATH; install Node 20 or newer with npm, then try again (NO_NPM)");
  const version = stdout?.trim() ?? "";
  if (Number.parseInt(version, 10) < OLDEST_NPM) {
    throw new SetupError(
      `npm ${version} is too old for this package-lock.json; run 'npm install -g npm@10', then try again (OLD_NPM)`,
    );
  }
}

/**
 * npm fails without a cache that it can write to: where the home is read-only or full, it gets one for this run.
 * @param {NodeJS.ProcessEnv} env
 * @param {string} scratch a directory that is removed after this run
 */
export function npmCache(env, scratch) {
  const usual = env["npm_config_cache"] || join(env["HOME"] || homedir(), ".npm");
  return canWrite(usual) && freeMb(usual) > CACHE_MB ? usual : join(scratch, "npm-cache");
}

function nearestExisting(path) {
  return existsSync(path) ? path : nearestExisting(dirname(path));
}

function freeMb(path) {
  const { bavail, bsize } = statfsSync(nearestExisting(path));
  return (bavail * bsize) / 1e6;
}

/** Whether it, or what it would be made in, can be written to. */
export function canWrite(path) {
  const nearest = nearestExisting(path);
  try {
    accessSync(nearest, constants.W_OK);
    return statSync(nearest).isDirectory();
  } catch {
    return false;
  }
}

/**
 * @param {string[]} args
 * @param {{ checkout: string, env: NodeJS.ProcessEnv, onChild?: (pid: number) => void }} options
 * @returns {Promise<{ exitCode: number, output: string, interruptedBy: number | undefined }>} interruptedBy: our exit code
 */
export function runNpm(args, { checkout, env, onChild }) {
  const [command, ...first] = npmCommand(env);
  // By default npm is silent for 70 seconds before it says that the registry cannot be reached.
  const quick = {
    npm_config_fetch_retries: "2",
    npm_config_fetch_retry_mintimeout: "1000",
    npm_config_fetch_retry_maxtimeout: "5000",
  };
  return new Promise((resolve, reject) => {
    let output = "";
    let interruptedBy;
    let child;
    // Before npm starts: a signal in between must not leave it alone.
    const handlers = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]).map((signal) => {
      const handler = () => {
        interruptedBy ??= 128 + system.signals[signal];
        child?.kill("SIGTERM");
        setTimeout(() => child?.kill("SIGKILL"), KILL_AFTER_MS).unref();
      };
      process.on(signal, handler);
      return [signal, handler];
    });
    const release = () => {
      for (const [signal, handler] of handlers) process.off(signal, handler);
    };
    child = spawn(command, [...first, ...args], {
      cwd: checkout,
      env: { ...quick, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const keep = (text) => {
      output = (output + text).slice(-MAX_OUTPUT_CHARS);
    };
    child.stdout.setEncoding("utf8").on("data", keep);
    child.stderr.setEncoding("utf8").on("data", keep);
    if (child.pid !== undefined) onChild?.(child.pid);
    child.once("error", (error) => {
      release();
      reject(error);
    });
    child.once("close", (exitCode) => {
      release();
      resolve({ exitCode: exitCode ?? 1, output, interruptedBy });
    });
  });
}

const unreachable = new Set([
  ..."ENOTFOUND EAI_AGAIN ECONNREFUSED ECONNRESET ETIMEDOUT ENETUNREACH EHOSTUNREACH".split(" "),
  ..."ERR_SOCKET_TIMEOUT ERR_INVALID_URL".split(" "),
]);

/**
 * npm takes packages for whole that it could not write to the end, with no more than a warning.
 * @param {string} output what npm wrote
 * @returns {string | undefined} the error's code
 */
export function fullDisk(output) {
  return /\b(ENOSPC|EDQUOT)\b/.exec(output)?.[1];
}

/**
 * @param {string} output what npm wrote
 * @param {{ checkout: string, sizeMb: number }} place
 */
export function installFailure(output, { checkout, sizeMb }) {
  const full = fullDisk(output);
  if (full !== undefined) {
    return new SetupError(
      `npm packages: the disk is full; free about ${sizeMb} MB for ${checkout}, then try again (${full})`,
    );
  }
  const code = /npm (?:error|ERR!) code (\w+)/.exec(output)?.[1];
  if (code !== undefined && unreachable.has(code)) {
    const where = /request to (?:https?:\/\/)?([^/\s]+)/.exec(output)?.[1];
    return new SetupError(
      `npm packages: the registry${where === undefined ? "" : ` ${where}`} cannot be reached; ` +
        `check the network and npm's proxy settings, then try again (${code})`,
    );
  }
  const said = output.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("npm warn"));
  return new SetupError(
    `npm packages: 'npm ci' failed in ${checkout}; see npm's messages, then try again (${code ?? "NPM"})\n` +
      said.slice(-12).join("\n"),
  );
}
