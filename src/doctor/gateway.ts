/** What `omp doctor` says about where kernels live: omp's own processes, the shared local gateway, or an external one. */

import { formatLimit } from "../format/durations.ts";
import { count } from "../format/numbers.ts";
import { KernelError } from "../kernel/errors.ts";
import { chooseGateway, type HostChoiceOptions, type KernelHostChoice } from "../kernel/hosts/host-choice.ts";
import type { InterpreterFacts } from "../python/facts.ts";
import type { Preflight } from "../python/preflight.ts";
import { type Check, type CheckStatus, list } from "./check.ts";

const ANSWER_TIMEOUT_MS = 3_000;

export interface GatewayQuestion {
  readonly choice: KernelHostChoice;
  readonly options: HostChoiceOptions;
  readonly facts: InterpreterFacts | undefined;
  readonly preflight: Preflight;
  /** Where every omp finds the shared gateway. */
  readonly sharedDirectory: string;
}

/** The host that is used first, then every other gateway of the settings: those may be down without doing harm. */
export async function checkGateways(question: GatewayQuestion): Promise<readonly [Check, ...Check[]]> {
  const { choice, options } = question;
  const usedName =
    choice.kind === "external" ? choice.gateway.name : choice.kind === "unusable" ? choice.name : undefined;
  const others = options.settings.gateways.filter(({ name }) => name !== usedName);
  return await Promise.all([
    checkUsed(question),
    ...others.map(({ name }) => checkExternal(chooseGateway(name, options), `gateway ${name}`, "warn")),
  ]);
}

async function checkUsed(question: GatewayQuestion): Promise<Check> {
  const { choice, facts, preflight } = question;
  const name = "gateway";
  if (choice.kind === "external" || choice.kind === "unusable")
    return await checkExternal(choice, name, "fail");
  const isShared = choice.kind === "shared";
  const version = facts?.packages.kernel_gateway;
  const details = { kind: isShared ? "shared" : "none", kernelGateway: version ?? null };
  if (!isShared) {
    const has = version === undefined ? "" : `; jupyter_kernel_gateway ${version} is installed`;
    return { name, status: "ok", value: `not used; kernels are local, over ZeroMQ${has}`, details };
  }
  if (version !== undefined) {
    const value = `shared, jupyter_kernel_gateway ${version}`;
    return { name, value, ...(await sharedState(question.sharedDirectory)), details };
  }
  const fix = !preflight.ok && preflight.code === "KERNEL_GATEWAY_NOT_FOUND" ? { fix: preflight.fix } : {};
  const value = "shared (python.sharedGateway), but jupyter_kernel_gateway is not installed";
  return { name, status: "fail", value, ...fix, details };
}

/** Whether it runs, and its state. One that does not run is started by the first kernel. */
async function sharedState(directory: string): Promise<Pick<Check, "status" | "notes" | "fix">> {
  const { gatewayStatus } = await import("../kernel/gateway/shared/status.ts");
  const running = await gatewayStatus(directory);
  if (running === undefined) return { status: "ok", notes: ["not running; starts with the first kernel"] };
  const { record, isElsewhere, problem, kernels } = running;
  if (isElsewhere) {
    const fix = "give each machine its own OMP_HOME, or set python.sharedGateway to false here";
    return { status: "fail", notes: [`runs on ${record.host}`], fix };
  }
  if (problem !== undefined) {
    return { status: "warn", notes: [`running, but ${problem}`], fix: "omp gateway stop --force" };
  }
  const notes = [`running: pid ${record.pid}, ${count(kernels.length, "kernel")}, ${record.python}`];
  return { status: "ok", notes };
}

async function checkExternal(
  choice: ReturnType<typeof chooseGateway>,
  name: string,
  bad: CheckStatus,
): Promise<Check> {
  if (choice.kind === "unusable") {
    const { issue, fix } = choice.problem;
    return { name, status: bad, value: issue, fix, details: { kind: "external", gateway: choice.name } };
  }
  const { gateway, kernelSpec } = choice;
  const { GatewayClient } = await import("../kernel/gateway/gateway-client.ts");
  const client = new GatewayClient(gateway);
  const { shown, hasToken } = client.address;
  const details = { kind: "external", gateway: gateway.name, url: shown, token: hasToken };
  const value = `external, ${shown}`;
  try {
    const { specs } = await client.kernelSpecs(AbortSignal.timeout(ANSWER_TIMEOUT_MS));
    const python = specs.filter(({ language }) => language.toLowerCase() === "python");
    const names = python.map((spec) => spec.name);
    const known = { ...details, kernelSpecs: names };
    if (kernelSpec !== undefined && !names.includes(kernelSpec)) {
      const fix = `set the kernelSpec to one of ${list(names)}`;
      const missing = `${value}, has no Python kernelspec '${kernelSpec}'`;
      return { name, status: bad, value: missing, fix, details: known };
    }
    if (names.length === 0) {
      const fix = "install ipykernel where the gateway runs";
      return { name, status: bad, value: `${value}, has no Python kernelspec`, fix, details: known };
    }
    return { name, status: "ok", value: `${value}, answers; kernelspecs: ${list(names)}`, details: known };
  } catch (error) {
    return { name, status: bad, ...problemOf(error, value), details };
  }
}

/** The client's message ends with what to do; our own time limit has no message. */
function problemOf(error: unknown, value: string): { readonly value: string; readonly fix?: string } {
  if (error instanceof KernelError) {
    const at = error.issue.lastIndexOf(": ");
    if (at === -1) return { value: error.issue };
    return { value: error.issue.slice(0, at), fix: error.issue.slice(at + 2) };
  }
  if (error instanceof Error && error.name === "TimeoutError") {
    const fix = "check that the gateway is running and that nothing blocks the connection";
    return { value: `${value} did not answer within ${formatLimit(ANSWER_TIMEOUT_MS)}`, fix };
  }
  throw error;
}
