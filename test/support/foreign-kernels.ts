/** Kernels of another program: `python -m ipykernel_launcher -f <file>`, as Jupyter starts them. They end with the test (or the file). */

import { afterAll, afterEach } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readConnection } from "../../src/kernel/existing/connection.ts";
import { JupyterClient } from "../../src/kernel/jupyter/client.ts";
import { Channels } from "../../src/kernel/local/channels.ts";
import { type KernelTransport, writeConnectionFile } from "../../src/kernel/local/connection-file.ts";
import { temporaryDirectory } from "./home.ts";
import { kernelEnvironment } from "./kernels.ts";
import { waitLimitMs, withinLimit } from "./limits.ts";
import { isRunning } from "./processes.ts";
import { type TestPython, testPython } from "./python.ts";
import { until } from "./until.ts";

export interface ForeignKernel {
  readonly file: string;
  readonly pid: number;
  /** Its own working directory. */
  readonly cwd: string;
  readonly isAlive: () => boolean;
  /** Kills it without warning. */
  kill(): Promise<void>;
}

export interface ForeignOptions {
  readonly python?: TestPython;
  readonly transport?: KernelTransport;
  readonly lasts?: "test" | "file";
  /** A kernel program to run instead of ipykernel's own. */
  readonly script?: string;
  /** The connection file of a kernel that has ended, to replace it with the same ports and key. */
  readonly file?: string;
  /** Other fields for its connection file; only over ipc. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
}

const eachTest: ForeignKernel[] = [];
const eachFile: ForeignKernel[] = [];

async function killAll(kernels: ForeignKernel[]): Promise<void> {
  await Promise.all(kernels.splice(0).map((kernel) => kernel.kill()));
}

afterEach(() => killAll(eachTest));
afterAll(() => killAll(eachFile));

export async function startForeignKernel(options: ForeignOptions = {}): Promise<ForeignKernel> {
  const { python = testPython, transport = "tcp", lasts = "test" } = options;
  const directory = temporaryDirectory({ lasts });
  const cwd = temporaryDirectory({ lasts });
  const file = options.file ?? madeFile(directory, { transport, fields: options.fields });
  const program = options.script === undefined ? ["-m", "ipykernel_launcher"] : [options.script];
  const child = Bun.spawn([python.path, ...program, "-f", file, "--HistoryManager.enabled=False"], {
    cwd,
    env: kernelEnvironment(cwd, python),
    stdin: "ignore",
    stdout: "ignore",
    stderr: Bun.file(join(directory, "log")),
    // In a session of its own: signals sent to the tests do not reach it.
    detached: true,
  });
  const kernel: ForeignKernel = {
    file,
    pid: child.pid,
    cwd,
    isAlive: () => isRunning(child.pid),
    kill: async () => {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
  (lasts === "test" ? eachTest : eachFile).push(kernel);
  const log = () => readFileSync(join(directory, "log"), "utf8");
  await until(
    "the kernel has written its ports",
    () => {
      if (child.exitCode !== null) throw new Error(`the kernel ended at its start: ${log()}`);
      return hasPorts(file);
    },
    { instead: log },
  );
  await withinLimit(untilItAnswers(file, child), waitLimitMs(), () => `the kernel does not answer: ${log()}`);
  return kernel;
}

/** Its sockets accept connections before it serves them, so the kernel is asked for its kernel_info_reply. */
async function untilItAnswers(file: string, child: Bun.Subprocess): Promise<void> {
  const ended = new AbortController();
  const client = new JupyterClient();
  const fail = () => client.fail(new Error("the kernel ended before it answered"));
  void child.exited.then(() => {
    ended.abort();
    fail();
  });
  const channels = await Channels.open({
    info: readConnection(file).info,
    signal: ended.signal,
    trace: undefined,
    onMessage: (message) => client.receive(message),
    onLost: fail,
  });
  client.transport = channels;
  try {
    await client.request("shell", "kernel_info_request", {}, "reply").reply();
  } finally {
    channels.close();
  }
}

/** For tcp the kernel itself makes the file, as it does for `jupyter kernel`. */
function madeFile(
  directory: string,
  { transport, fields }: { readonly transport: KernelTransport; readonly fields: ForeignOptions["fields"] },
): string {
  if (transport === "tcp") return join(directory, "kernel.json");
  const { path } = writeConnectionFile(directory, "ipc");
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), ...fields }));
  return path;
}

function hasPorts(file: string): boolean {
  if (!existsSync(file)) return false;
  try {
    return Number(JSON.parse(readFileSync(file, "utf8")).hb_port) > 0;
  } catch (error) {
    // The kernel is still writing it.
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
