/** Runs a program in place of this process: same terminal, same signals, same exit status. */

import { spawn } from "node:child_process";
import { constants } from "node:os";

const DRAIN_MS = 2_000;
const passedOn = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]);

/**
 * @param {string[]} argv
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, onError?: (text: string) => void }} [options] onError also gets what it writes to
 *   stderr, which then is no terminal for it
 * @returns {Promise<{ exitCode: number, signal: NodeJS.Signals | null }>}
 */
export function runInherited([command, ...args], { onError, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const stdio = onError === undefined ? "inherit" : ["inherit", "inherit", "pipe"];
    const child = spawn(command, args, { ...options, stdio });
    child.stderr?.setEncoding("utf8").on("data", (text) => {
      process.stderr.write(text);
      onError?.(text);
    });
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
    child.once("exit", async (exitCode, signal) => {
      release();
      await drain(child.stderr);
      resolve({ exitCode: exitCode ?? 128 + (signal === null ? 0 : constants.signals[signal]), signal });
    });
  });
}

/** What is still on its way is waited for, but not a process that the child has left behind and that keeps the pipe open. */
async function drain(stream) {
  if (stream === null || stream.closed) return;
  const ended = new Promise((resolve) => stream.once("close", resolve));
  const limit = setTimeout(() => stream.destroy(), DRAIN_MS);
  await ended;
  clearTimeout(limit);
}

/**
 * Ends this process the way the child ended.
 * @param {{ exitCode: number, signal: NodeJS.Signals | null }} end
 */
export function endLike({ exitCode, signal }) {
  process.exitCode = exitCode;
  if (signal !== null) process.kill(process.pid, signal);
}
