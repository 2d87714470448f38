/**
 * The first code that every kernel runs, whatever carries the messages: place, environment, fast output, helpers, extension
 * modules. Sent as a silent execution, so that it leaves no trace in counters and history.
 */

import { KernelError } from "../errors.ts";
import type { KernelFacts } from "../kernel.ts";
import { type BootResult, bootCode, bootMime } from "../python/init-code.ts";
import type { JupyterClient } from "./client.ts";
import type { MessageContent } from "./message.ts";

export interface ExtensionModule {
  readonly name: string;
  readonly path: string;
}

export interface KernelPlace {
  readonly cwd: string;
  /** Variables set inside the kernel. */
  readonly env: Readonly<Record<string, string>>;
  /** Loaded in this order; a later one's names win. */
  readonly modules: readonly ExtensionModule[];
  /** Whether a fork server has loaded our sources into the kernel already. */
  readonly preloaded: boolean;
}

export async function bootKernel(client: JupyterClient, place: KernelPlace): Promise<KernelFacts> {
  let report: BootResult | undefined;
  let problem = "it reported nothing";
  const { cwd, env, modules, preloaded } = place;
  const code = bootCode({ cwd, env: { ...env }, modules: [...modules] }, { preloaded });
  for await (const { header, content } of client.execute(code, { silent: true, userExpressions: {} })) {
    if (header.msg_type === "display_data") report ??= readReport(content);
    if (content["status"] === "error") problem = `${content["ename"]}: ${content["evalue"]}`;
  }
  if (report) return factsOf(report);
  throw new KernelError({
    kind: "start-failed",
    issue: `the kernel's start-up code failed: ${problem}`,
    code: "KERNEL_BOOT",
  });
}

function readReport(content: MessageContent): BootResult | undefined {
  const data = content["data"] as Readonly<Record<string, unknown>> | undefined;
  return data?.[bootMime] as BootResult | undefined;
}

function factsOf(report: BootResult): KernelFacts {
  return {
    pythonVersion: report.python,
    executable: report.executable,
    ipykernelVersion: report.ipykernel ?? "unknown",
    pid: report.pid,
    failedModules: report.modules
      .filter(({ ok }) => !ok)
      .map(({ name, error }) => ({ name, error: error ?? "unknown error" })),
    helpers: report.helpers,
    streamProblem: report.problem ?? undefined,
  };
}
