/** The state of the shared gateway, found out without changing anything: whether it is healthy, its users and its kernels. */

import { directFetch } from "../direct-fetch.ts";
import { type GatewayRecord, readRecord, recordState } from "./record.ts";
import { type GatewayUser, livingUsers } from "./users.ts";

export interface GatewayAddress {
  readonly url: string;
  readonly token: string;
}

export interface Health {
  /** `wrong`: nothing listens, or something other than our gateway. `silent`: it may only be busy. */
  readonly state: "healthy" | "wrong" | "silent";
  readonly problem?: string;
}

const ANSWER_TIMEOUT_MS = 3000;

export async function askHealth(address: GatewayAddress): Promise<Health> {
  try {
    const answer = await get(address, "/api/kernelspecs");
    if (answer.status !== 200) return { state: "wrong", problem: `it answers with status ${answer.status}` };
    const specs = JSON.parse(answer.text);
    return specs?.kernelspecs ? { state: "healthy" } : { state: "wrong", problem: "it lists no kernelspecs" };
  } catch (error) {
    if (error instanceof Error && error.name === "TimeoutError")
      return { state: "silent", problem: "it does not answer" };
    return { state: "wrong", problem: error instanceof Error ? error.message : String(error) };
  }
}

export interface RunningKernel {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly lastActivity: string;
}

/** Undefined when it does not say. */
export async function askKernels(address: GatewayAddress): Promise<RunningKernel[] | undefined> {
  let kernels: unknown;
  try {
    const answer = await get(address, "/api/kernels");
    kernels = answer.status === 200 ? JSON.parse(answer.text) : undefined;
  } catch {
    // Whether it is healthy is asked elsewhere.
    return undefined;
  }
  if (!Array.isArray(kernels)) return undefined;
  return kernels.map((kernel: Readonly<Record<string, unknown>>) => ({
    id: String(kernel["id"]),
    name: String(kernel["name"]),
    state: String(kernel["execution_state"]),
    lastActivity: String(kernel["last_activity"]),
  }));
}

async function get(
  { url, token }: GatewayAddress,
  path: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const response = await directFetch(`${url}${path}`, {
    method: "GET",
    headers: { Authorization: `token ${token}` },
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  });
  return { status: response.status, text: await response.text() };
}

export interface RunningGateway {
  readonly record: GatewayRecord;
  /** It runs on another machine with the same home; only that one knows more. */
  readonly isElsewhere: boolean;
  /** Why it does not work; undefined when it does. */
  readonly problem: string | undefined;
  readonly users: readonly GatewayUser[];
  readonly kernels: readonly RunningKernel[];
}

/** Undefined when none runs. */
export async function gatewayStatus(directory: string): Promise<RunningGateway | undefined> {
  const record = readRecord(directory);
  if (record === undefined) return undefined;
  const state = recordState(directory, record);
  if (state === "gone") return undefined;
  const isElsewhere = state === "elsewhere";
  if (isElsewhere) return { record, isElsewhere, problem: undefined, users: [], kernels: [] };
  const health = await askHealth(record);
  return {
    record,
    isElsewhere,
    problem: health.problem,
    users: livingUsers(directory),
    kernels: (await askKernels(record)) ?? [],
  };
}
