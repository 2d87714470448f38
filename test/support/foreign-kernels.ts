/** Kernels that somebody else has started: `python -m ipykernel_launcher -f <file>`, as Jupyter does. They end with the test (or the file). */

import { afterAll, afterEach } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readConnection } from "../../src/kernel/existing/connection.ts";
import { Channels } from "../../src/kernel/local/channels.ts";
import { type KernelTransport, writeConnectionFile } from "../../src/kernel/local/connection-file.ts";
import { temporaryDirectory } from "./home.ts";
import { kernelEnvironment } from "./kernels.ts";
import { isRunning } from "./processes.ts";
import { type TestPython, testPython } from "./python.ts";
import { until } from "./until.ts";

export interface ForeignKernel {
  readonly file: string;
  readonly pid: number;
  /** Its own working directory. */
  readonly cwd: string;
  readonly isAlive: () => boolean;
  /** Ends it without a word. */
  kill(): Promise<void>;
}

export interface ForeignOptions {
  readonly python?: TestPython;
  readonly transport?: KernelTransport;
  readonly lasts?: "test" | "file";
  /** Another program that is a kernel, instead of ipykernel's own. */
  readonly script?: string;
  /** In place of one that has ended: the same file, and so the same ports and key. */
  readonly file?: string;
  /** What its connection file says otherwise; only over ipc. */
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
    // As a terminal of its own: a signal for the tests is none for it.
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
  await until("the kernel has written its ports", () => {
    if (child.exitCode !== null) throw new Error(readFileSync(join(directory, "log"), "utf8"));
    return hasPorts(file);
  });
  await listening(file, child);
  return kernel;
}

/** A file that was there before the kernel tells of ports where nobody listens yet. */
async function listening(file: string, child: Bun.Subprocess): Promise<void> {
  const ended = new AbortController();
  void child.exited.then(() => ended.abort());
  const channels = await Channels.open({
    info: readConnection(file).info,
    signal: ended.signal,
    trace: undefined,
    onMessage: () => undefined,
    onLost: () => undefined,
  });
  channels.close();
}

/** For tcp there is none before: the kernel makes it, as it does for `jupyter kernel`. */
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
    // It is just being written.
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
