/** Real Jupyter servers for tests: on loopback, with a token, each at its own port, stopped after the test or the file. */

import { afterAll, afterEach } from "bun:test";
import { randomBytes, randomInt } from "node:crypto";
import { openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { within } from "../../src/async/within.ts";
import { GatewayKernels } from "../../src/kernel/gateway/gateway-kernels.ts";
import type { GatewayKernelsOptions } from "../../src/kernel/gateway/options.ts";
import { killGroup } from "../../src/process/group.ts";
import { temporaryDirectory } from "./home.ts";
import { slowFile, Waiting, waitLimitMs } from "./limits.ts";
import { enterprisePython, type TestPython, testPython } from "./python.ts";

// For every test file that imports this one.
slowFile(60, "a Jupyter server takes seconds to start, and so do its kernels");

const STOP_GRACE_MS = 5_000;

export type GatewayKind = "kernel gateway" | "jupyter server" | "enterprise gateway";

export interface TestGateway {
  readonly kind: GatewayKind;
  readonly url: string;
  readonly token: string;
  readonly pid: number;
  /** What it wrote to its log. */
  readonly log: string;
  stop(): Promise<void>;
  /** As a crash would, with no time to clean up. Its kernels die with it. */
  kill(): Promise<void>;
}

interface Program {
  readonly python: TestPython;
  readonly packages: readonly string[];
  readonly module: string;
  /** The class its options belong to. */
  readonly app: string;
  readonly tokenVariable: string;
}

const programs: Readonly<Record<GatewayKind, Program>> = {
  "kernel gateway": {
    python: testPython,
    packages: ["jupyter_kernel_gateway"],
    module: "kernel_gateway",
    app: "KernelGatewayApp",
    tokenVariable: "KG_AUTH_TOKEN",
  },
  "jupyter server": {
    python: testPython,
    packages: ["jupyter_server"],
    module: "jupyter_server",
    app: "ServerApp",
    tokenVariable: "JUPYTER_TOKEN",
  },
  "enterprise gateway": {
    python: enterprisePython,
    packages: ["jupyter_enterprise_gateway"],
    module: "enterprise_gateway",
    app: "EnterpriseGatewayApp",
    tokenVariable: "EG_AUTH_TOKEN",
  },
};

/** What the gateway needs, for `describeWithPython`. */
export function gatewayNeeds(kind: GatewayKind): Pick<Program, "python" | "packages"> {
  return programs[kind];
}

const stopping = { test: [] as TestGateway[], file: [] as TestGateway[] };
const closing = { test: [] as GatewayKernels[], file: [] as GatewayKernels[] };

async function endAll(lasts: "test" | "file"): Promise<void> {
  await Promise.all(closing[lasts].splice(0).map((kernels) => kernels.close()));
  await Promise.all(stopping[lasts].splice(0).map((gateway) => gateway.stop()));
}

afterEach(() => endAll("test"));
afterAll(() => endAll("file"));

export interface StartGatewayOptions {
  readonly lasts?: "test" | "file";
  /** `--Class.option=value`, added after our own. */
  readonly argv?: readonly string[];
  /** Whether the server drops output that arrives too fast, as it does by default. */
  readonly limitsRate?: boolean;
  /** The authority of a server that was given a certificate. */
  readonly ca?: string;
  readonly basePath?: string;
}

export async function startGateway(
  kind: GatewayKind,
  { lasts = "test", argv = [], limitsRate = false, ca, basePath = "" }: StartGatewayOptions = {},
): Promise<TestGateway> {
  const { python, module, app, tokenVariable } = programs[kind];
  const home = temporaryDirectory({ lasts });
  const token = randomBytes(16).toString("hex");
  const port = freePort();
  const log = join(home, "gateway.log");
  const output = openSync(log, "a", 0o600);
  // Hides an optional package whose import takes two seconds of the server's start.
  writeFileSync(join(home, "rfc3987_syntax.py"), 'raise ImportError("not needed")\n');
  const child = Bun.spawn({
    cmd: [
      python.path,
      "-m",
      module,
      `--${app}.ip=127.0.0.1`,
      `--${app}.port=${port}`,
      `--${app}.port_retries=0`,
      // Notices a kernel's death sooner than after the default three seconds.
      "--KernelRestarter.time_to_dead=0.5",
      ...(limitsRate ? [] : ["--ZMQChannelsWebsocketConnection.limit_rate=False"]),
      ...(kind === "jupyter server" ? ["--ServerApp.open_browser=False", "--allow-root"] : []),
      ...argv,
    ],
    cwd: home,
    env: {
      PATH: `${python.venv}/bin:${process.env["PATH"]}`,
      HOME: home,
      LANG: "C.UTF-8",
      JUPYTER_RUNTIME_DIR: join(home, "runtime"),
      [tokenVariable]: token,
    },
    stdin: "ignore",
    stdout: output,
    stderr: output,
    detached: true,
  });
  const end = async (signal: "SIGTERM" | "SIGKILL") => {
    killGroup(child.pid, signal);
    await child.exited;
  };
  const gateway: TestGateway = {
    kind,
    url: `${ca === undefined ? "http" : "https"}://127.0.0.1:${port}/${basePath}`,
    token,
    pid: child.pid,
    log,
    // Some servers wait minutes for a kernel that does not respond; kernels end by themselves once their server is gone.
    stop: async () => {
      killGroup(child.pid, "SIGTERM");
      if (!(await within(child.exited, STOP_GRACE_MS))) await end("SIGKILL");
    },
    kill: () => end("SIGKILL"),
  };
  stopping[lasts].push(gateway);
  await untilHealthy(gateway, { ca, hasEnded: () => child.exitCode !== null });
  return gateway;
}

async function untilHealthy(
  { url, token, kind, log }: TestGateway,
  { ca, hasEnded }: { ca: string | undefined; hasEnded: () => boolean },
): Promise<void> {
  const tls = ca === undefined ? {} : { tls: { ca } };
  const headers = { Authorization: `token ${token}` };
  const waiting = new Waiting(startGateway);
  const end = performance.now() + waitLimitMs();
  for (;;) {
    const response = await fetch(`${url}api/kernelspecs`, { headers, ...tls }).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.ok) return;
    if (hasEnded()) throw new Error(`the ${kind} ended: ${readLog(log)}`);
    if (performance.now() > end) throw waiting.error(`the ${kind} does not answer: ${readLog(log)}`);
    await Bun.sleep(50);
  }
}

function readLog(file: string): string {
  return Buffer.from(Bun.spawnSync(["tail", "-n", "20", file]).stdout).toString();
}

/** A random port outside the system's own range, so that no other program takes it before the server does. */
export function freePort(): number {
  for (;;) {
    const port = randomInt(20_000, 30_000);
    if (isFree(port)) return port;
  }
}

function isFree(port: number): boolean {
  try {
    Bun.listen({ hostname: "127.0.0.1", port, socket: { data: () => undefined } }).stop(true);
    return true;
  } catch {
    // In use.
    return false;
  }
}

/** Kernels in a gateway; they end with the test (or the file). */
export function gatewayKernels(
  { url, token, kind }: Pick<TestGateway, "url" | "token" | "kind">,
  options: Partial<GatewayKernelsOptions> = {},
  { lasts = "test" }: { lasts?: "test" | "file" } = {},
): GatewayKernels {
  const kernels = new GatewayKernels({
    gateway: { name: kind.replace(" ", "-"), url, token },
    kernelEnv: {},
    env: {},
    startTimeoutMs: 30_000,
    extensionModules: () => [],
    files: "elsewhere",
    ...options,
  });
  closing[lasts].push(kernels);
  return kernels;
}
