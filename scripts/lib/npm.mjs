/** Running npm: which one, where its cache is, so that it ends with us, and its failures in one line. */

import { spawn, spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { homedir, constants as system, tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { SetupError } from "./checkout.mjs";

/** The oldest that comes with Node 20; npm 6 cannot read our lock file at all. */
const OLDEST_NPM = 9;
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
 * npm fails without a cache that it can write to: where the home is read-only, it gets one for this run.
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ flags: string[], remove: () => void }}
 */
export function writableCache(env) {
  const home = env["HOME"] || homedir();
  const usual = env["npm_config_cache"] || join(home, ".npm");
  if (canWrite(usual)) return { flags: ["--cache", usual], remove: () => undefined };
  const directory = mkdtempSync(join(tmpdir(), "omp-npm-cache-"));
  return {
    flags: ["--cache", directory],
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** Whether it, or what it would be made in, can be written to. */
export function canWrite(path) {
  let nearest = path;
  while (!existsSync(nearest)) nearest = dirname(nearest);
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
    const child = spawn(command, [...first, ...args], {
      cwd: checkout,
      env: { ...quick, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    let interruptedBy;
    const keep = (text) => {
      output = (output + text).slice(-MAX_OUTPUT_CHARS);
    };
    child.stdout.setEncoding("utf8").on("data", keep);
    child.stderr.setEncoding("utf8").on("data", keep);
    const handlers = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]).map((signal) => {
      const handler = () => {
        interruptedBy ??= 128 + system.signals[signal];
        child.kill("SIGTERM");
        setTimeout(() => child.kill("SIGKILL"), KILL_AFTER_MS).unref();
      };
      process.on(signal, handler);
      return [signal, handler];
    });
    const release = () => {
      for (const [signal, handler] of handlers) process.off(signal, handler);
    };
    child.once("spawn", () => onChild?.(child.pid));
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
 * @param {string} output what npm wrote
 * @param {{ checkout: string, sizeMb: number }} place
 */
export function installFailure(output, { checkout, sizeMb }) {
  const code = /npm (?:error|ERR!) code (\w+)/.exec(output)?.[1] ?? /\b(ENOSPC|EDQUOT)\b/.exec(output)?.[1];
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new SetupError(
      `npm packages: the disk is full; free about ${sizeMb} MB for ${checkout}, then try again (${code})`,
    );
  }
  if (code !== undefined && unreachable.has(code)) {
    const where = /request to (?:https?:\/\/)?([^/\s]+)/.exec(output)?.[1];
    return new SetupError(
      `npm packages: the registry${where === undefined ? "" : ` ${where}`} cannot be reached; ` +
        `check the network and npm's proxy settings, then try again (${code})`,
    );
  }
  const said = output.split("\n").filter((line) => line.trim() !== "");
  return new SetupError(
    `npm packages: 'npm ci' failed in ${checkout}; see npm's own words, then try again (${code ?? "NPM"})\n` +
      said.slice(-12).join("\n"),
  );
}
