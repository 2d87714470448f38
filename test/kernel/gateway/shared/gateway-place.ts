/** A directory for a shared gateway, and processes that use it; nothing of either is left when the test ends. */

import { afterEach } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { SharedGatewayOptions } from "../../../../src/kernel/gateway/shared/shared-gateway.ts";
import { jsonLines } from "../../../../src/kernel/json-lines.ts";
import { temporaryDirectory } from "../../../support/home.ts";
import { kernelEnvironment } from "../../../support/kernels.ts";
import { slowFile } from "../../../support/limits.ts";
import { isRunning, processesWith } from "../../../support/processes.ts";
import { testPython } from "../../../support/python.ts";
import { until } from "../../../support/until.ts";

// For every test file that imports this one.
slowFile(60, "a Jupyter server takes seconds to start, and so do its kernels");

const homes: string[] = [];
const users: Bun.Subprocess[] = [];

afterEach(async () => {
  for (const user of users.splice(0)) {
    user.kill("SIGKILL");
    await user.exited;
  }
  // What a failed test has left; those that pass have seen it go.
  for (const home of homes.splice(0)) {
    for (const pid of processesWith(`HOME=${home}`)) if (isRunning(pid)) process.kill(pid, "SIGKILL");
  }
});

/** Its kernels carry `HOME=<home>`, which tells them from everybody else's. */
export interface GatewayTestPlace {
  readonly home: string;
  readonly options: SharedGatewayOptions;
}

/** A grace that is short for who waits for its end, and long for who must not see it. */
export function gatewayPlace(changes: Partial<SharedGatewayOptions> = {}): GatewayTestPlace {
  const home = temporaryDirectory();
  homes.push(home);
  const options = {
    directory: join(home, "python-gateway"),
    python: testPython.path,
    env: kernelEnvironment(home),
    socketBases: [home],
    startTimeoutMs: 60_000,
    graceMs: 1000,
    ...changes,
  };
  return { home, options };
}

/** Processes of the gateway and its kernels. */
export function gatewayProcesses({ home }: GatewayTestPlace): number[] {
  return processesWith(`HOME=${home}`);
}

export async function untilGone(place: GatewayTestPlace): Promise<void> {
  await until("the gateway and its kernels are gone", () => gatewayProcesses(place).length === 0);
}

/** What is on disk beside the lock and the log, which stay. */
export function leftovers({ options }: GatewayTestPlace): string[] {
  const names = readdirSync(options.directory, { recursive: true }).map(String);
  return names.filter((name) => !["gateway.lock", "gateway.log", "users"].includes(name));
}

export interface UserReport {
  readonly pid: number;
  readonly url: string;
  readonly kernel: string;
  readonly kernelPid: number;
  readonly error?: string;
}

export interface TestUser {
  readonly process: Bun.Subprocess<"pipe", "pipe", "inherit">;
  /** Lets it begin. */
  go(): Promise<UserReport>;
  /** Lets it end in an orderly way. */
  end(): Promise<void>;
}

/** A process that is up, and waits for the word. */
export async function gatewayUser(
  { options }: GatewayTestPlace,
  { withKernel = true }: { readonly withKernel?: boolean } = {},
): Promise<TestUser> {
  const fixture = join(import.meta.dir, "fixtures/gateway-user.ts");
  const child = Bun.spawn([process.execPath, fixture, JSON.stringify({ options, withKernel })], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  users.push(child);
  const lines = jsonLines(child.stdout)[Symbol.asyncIterator]();
  await lines.next();
  return {
    process: child,
    go: async () => {
      child.stdin.write("go\n");
      await child.stdin.flush();
      return (await lines.next()).value as UserReport;
    },
    end: async () => {
      await child.stdin.end();
      await child.exited;
    },
  };
}
