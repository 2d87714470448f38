/** Asks the shared gateway whether it is healthy and which kernels it has. */

import { directFetch } from "../direct-fetch.ts";

export interface GatewayAddress {
  readonly url: string;
  readonly token: string;
}

export type Health =
  | { readonly state: "healthy" }
  /** Nothing listens, or something other than our gateway. */
  | { readonly state: "wrong"; readonly why: string }
  /** It may only be busy. */
  | { readonly state: "silent" };

const ANSWER_TIMEOUT_MS = 3000;

export async function askHealth(address: GatewayAddress): Promise<Health> {
  try {
    const answer = await get(address, "/api/kernelspecs");
    if (answer.status !== 200) return { state: "wrong", why: `it answers with status ${answer.status}` };
    const specs = JSON.parse(answer.text);
    return specs?.kernelspecs ? { state: "healthy" } : { state: "wrong", why: "it lists no kernelspecs" };
  } catch (error) {
    if (error instanceof Error && error.name === "TimeoutError") return { state: "silent" };
    return { state: "wrong", why: error instanceof Error ? error.message : String(error) };
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
