/** Ends the process of a shared gateway, and what is left of it on disk. */

import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { killGroup } from "../../../process/group.ts";
import { isRunning, type ProcessIdentity } from "../../../process/identity.ts";
import { listStats } from "../../../process/proc.ts";
import { attempt, systemCode } from "../../../protocol/index.ts";
import { readJsonFile } from "../../files.ts";

/** For its kernels to end in an orderly way. */
const TERMINATION_MS = 8000;
const POLL_MS = 20;

/** Resolves when neither the gateway nor a kernel of it runs. */
export async function endGateway(gateway: ProcessIdentity): Promise<void> {
  if (!isRunning(gateway)) return;
  const kernels = childrenOf(gateway.pid);
  signal(gateway, "SIGTERM");
  // A suspended process acts on it only when it is resumed.
  wakeGateway(gateway);
  if (!(await hasEnded(gateway, TERMINATION_MS))) {
    signal(gateway, "SIGKILL");
    await hasEnded(gateway, TERMINATION_MS);
  }
  // Each leads a group of its own. As a rule none is left.
  for (const { pid, started } of kernels) if (isRunning({ pid, started })) killGroup(pid, "SIGKILL");
}

/** Resumes a suspended gateway (SIGSTOP); a running one does not notice. */
export function wakeGateway(gateway: ProcessIdentity): void {
  signal(gateway, "SIGCONT");
}

function signal(gateway: ProcessIdentity, name: NodeJS.Signals): void {
  if (!isRunning(gateway)) return;
  try {
    process.kill(gateway.pid, name);
  } catch (error) {
    if (systemCode(error) !== "ESRCH") throw error;
  }
}

async function hasEnded(gateway: ProcessIdentity, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (isRunning(gateway)) {
    if (performance.now() > deadline) return false;
    await Bun.sleep(POLL_MS);
  }
  return true;
}

/** On Linux; elsewhere kernels notice by themselves that their parent is gone. */
function childrenOf(parent: number): ProcessIdentity[] {
  return listStats().filter((stat) => stat.parent === parent);
}

const UNCLAIMED_MS = 60_000;

/** In a gateway's directory: where the sockets of its kernels are. */
export const SOCKETS_FILE = "sockets";

/** Directories of gateways that were killed. One without an owner may be that of a gateway which starts right now. */
export function removeLeftRuns(directory: string): void {
  for (const name of readdirSync(directory)) {
    if (!name.startsWith("run-")) continue;
    const run = join(directory, name);
    const owner = ownerOf(run);
    const age = Date.now() - (statSync(run, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    const isLeft = owner === undefined ? age > UNCLAIMED_MS : !isRunning(owner);
    if (!isLeft) continue;
    const sockets = attempt(() => readFileSync(join(run, SOCKETS_FILE), "utf8"));
    if (sockets !== undefined) rmSync(sockets, { recursive: true, force: true });
    rmSync(run, { recursive: true, force: true });
  }
}

function ownerOf(run: string): ProcessIdentity | undefined {
  const { pid, started } = readJsonFile(join(run, "owner.json")) ?? {};
  if (typeof pid !== "number") return undefined;
  return { pid, started: typeof started === "string" ? started : undefined };
}
