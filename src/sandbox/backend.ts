/** What makes a sandbox on this system, tried once: nothing is promised that does not work. */

import { existsSync } from "node:fs";
import { type BubblewrapOptions, bubblewrapCommand } from "./bubblewrap.ts";
import { SandboxError } from "./errors.ts";
import { SEATBELT } from "./seatbelt.ts";

export type SandboxBackend =
  | ({ readonly kind: "bubblewrap" } & BubblewrapOptions)
  | { readonly kind: "seatbelt" };

const nothing = { places: [], sockets: [], cwd: "/", filter: undefined };
const USUAL_PATH = "/usr/local/bin:/usr/bin:/bin:/run/current-system/sw/bin";

/** Throws SandboxError with what is missing. */
export function findBackend(
  searchPath: string | undefined,
  platform: string = process.platform,
): SandboxBackend {
  if (platform === "darwin") return findSeatbelt();
  if (platform !== "linux") throw unavailable(`there is none for ${platform}`, "SANDBOX_UNSUPPORTED");
  const program = Bun.which("bwrap", { PATH: `${searchPath ?? ""}:${USUAL_PATH}` });
  if (program === null) throw unavailable("bubblewrap is not installed", "SANDBOX_MISSING");
  return tryBubblewrap(program);
}

function findSeatbelt(): SandboxBackend {
  if (existsSync(SEATBELT)) return { kind: "seatbelt" };
  throw unavailable(`${SEATBELT} is missing`, "SANDBOX_MISSING");
}

/** Starts something in it: where user namespaces are forbidden the program is there and does not work. */
function tryBubblewrap(program: string): SandboxBackend {
  let problem = "";
  for (const canForbidNamespaces of [true, false]) {
    const options = { program, canForbidNamespaces };
    const trial = Bun.spawnSync([...bubblewrapCommand(options, nothing), "/bin/sh", "-c", ":"], {
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
      env: {},
    });
    if (trial.exitCode === 0) return { kind: "bubblewrap", ...options };
    problem ||= trial.stderr.toString().trim().split("\n").at(-1) ?? "";
  }
  throw unavailable(
    `bubblewrap does not work here: ${problem || "it failed without a message"}`,
    "SANDBOX_FAILED",
  );
}

function unavailable(why: string, code: string): SandboxError {
  const advice = code === "SANDBOX_MISSING" ? "install it (package bubblewrap), or" : "fix that, or";
  return new SandboxError({ issue: `${why}; ${advice} run without: --sandbox off`, code });
}
