/** Real kernels for tests, and the result of a cell as one value. */

import { afterAll, afterEach } from "bun:test";
import { KernelError } from "../../src/kernel/errors.ts";
import type { ExecuteOptions, Kernel, KernelMessage } from "../../src/kernel/kernel.ts";
import { LocalKernels, type LocalKernelsOptions } from "../../src/kernel/local/local-kernels.ts";
import { temporaryDirectory } from "./home.ts";
import { type TestPython, testPython } from "./python.ts";

const eachTest: LocalKernels[] = [];
const eachFile: LocalKernels[] = [];

async function closeAll(kernels: LocalKernels[]): Promise<void> {
  await Promise.all(kernels.splice(0).map((each) => each.close()));
}

afterEach(() => closeAll(eachTest));
afterAll(() => closeAll(eachFile));

export interface TestKernels {
  readonly kernels: LocalKernels;
  /** The directory of everything that these kernels keep on disk. */
  readonly base: string;
  /** The user's home, and the working directory of the kernels. */
  readonly home: string;
}

/** Kernels on this machine; they end with the test (or the file). */
export function localKernels(
  options: Partial<LocalKernelsOptions> & { python?: string } = {},
  { lasts = "test" }: { lasts?: "test" | "file" } = {},
): TestKernels {
  const base = temporaryDirectory({ lasts });
  const home = temporaryDirectory({ lasts });
  const kernels = new LocalKernels({
    python: testPython.path,
    env: kernelEnvironment(home),
    transport: "auto",
    useForkServer: false,
    startTimeoutMs: 30_000,
    runtimeBases: [base],
    extensionModules: () => [],
    ...options,
  });
  (lasts === "test" ? eachTest : eachFile).push(kernels);
  return { kernels, base, home };
}

export function kernelEnvironment(home: string, python: TestPython = testPython): Record<string, string> {
  return { PATH: `${python.venv}/bin:${process.env["PATH"]}`, HOME: home, LANG: "C.UTF-8" };
}

export interface CellResult {
  readonly messages: readonly KernelMessage[];
  /** Message types in order of arrival, without `status`, `execute_input` and `execute_reply`; adjacent messages of one stream count as one. */
  readonly outputs: readonly string[];
  readonly stdout: string;
  readonly stderr: string;
  /** `text/plain` of the cell's value. */
  readonly value: string | undefined;
  /** `ename` of the exception. */
  readonly error: string | undefined;
  readonly evalue: string | undefined;
  readonly reply: KernelMessage["content"];
}

const PLUMBING = new Set(["status", "execute_input", "execute_reply"]);

export async function runCell(kernel: Kernel, code: string, options?: ExecuteOptions): Promise<CellResult> {
  const messages = [];
  for await (const message of kernel.execute(code, options)) messages.push(message);
  return cellResult(messages);
}

export function cellResult(messages: readonly KernelMessage[]): CellResult {
  const ofType = (type: string) => messages.filter(({ header }) => header.msg_type === type);
  const text = (name: string) =>
    ofType("stream")
      .filter(({ content }) => content["name"] === name)
      .map(({ content }) => content["text"])
      .join("");
  const labels = messages
    .filter(({ header }) => !PLUMBING.has(header.msg_type))
    .map(({ header, content }) => (header.msg_type === "stream" ? String(content["name"]) : header.msg_type));
  const data = ofType("execute_result")[0]?.content["data"] as Record<string, string> | undefined;
  const reply = ofType("execute_reply")[0]?.content ?? {};
  const failure = ofType("error")[0]?.content ?? (reply["status"] === "error" ? reply : undefined);
  return {
    messages,
    outputs: labels.filter((label, index) => label !== labels[index - 1]),
    stdout: text("stdout"),
    stderr: text("stderr"),
    value: data?.["text/plain"],
    error: failure && String(failure["ename"]),
    evalue: failure && String(failure["evalue"]),
    reply,
  };
}

/** The KernelError that the promise rejects with; anything else fails the test. */
export async function kernelErrorOf(promise: Promise<unknown>): Promise<KernelError> {
  const error = await promise.then(
    () => new Error("it did not fail"),
    (reason: unknown) => reason,
  );
  if (error instanceof KernelError) return error;
  throw error;
}

/** A cell that prints `begun` and then ignores interrupts. */
export const deafCell = [
  "import signal, time",
  "signal.signal(signal.SIGINT, signal.SIG_IGN)",
  "print('begun', flush=True)",
  "while True: time.sleep(1)",
].join("\n");
