/** Runs a program in place of this process: same terminal, same signals, same exit status. */

import { spawn } from "node:child_process";
import { constants } from "node:os";

const passedOn = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]);

/**
 * @param {string[]} argv
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<{ exitCode: number, signal: NodeJS.Signals | null }>}
 */
export function runInherited([command, ...args], options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: "inherit" });
    // A terminal sends Ctrl+C to the child as well, which decides what it means; a `kill` of this process is passed on.
    // Either way this process waits until the child ends.
    const handlers = passedOn.map((signal) => {
      const handler = () => (signal !== "SIGINT" || !process.stdin.isTTY) && child.kill(signal);
      process.on(signal, handler);
      return [signal, handler];
    });
    const release = () => {
      for (const [signal, handler] of handlers) process.off(signal, handler);
    };
    child.once("error", (error) => {
      release();
      reject(error);
    });
    child.once("exit", (exitCode, signal) => {
      release();
      resolve({ exitCode: exitCode ?? 128 + (signal === null ? 0 : constants.signals[signal]), signal });
    });
  });
}

/**
 * Ends this process the way the child ended.
 * @param {{ exitCode: number, signal: NodeJS.Signals | null }} end
 */
export function endLike({ exitCode, signal }) {
  process.exitCode = exitCode;
  if (signal !== null) process.kill(process.pid, signal);
}
