/** Questions to the shared gateway. Not by `fetch`: that would send them, and the token with them, to HTTP_PROXY. */

import { request } from "node:http";

export interface GatewayAddress {
  readonly url: string;
  readonly token: string;
}

export type Health =
  | { readonly state: "healthy" }
  /** Nobody listens, or somebody who is no gateway of ours. */
  | { readonly state: "wrong"; readonly why: string }
  /** It may only be busy. */
  | { readonly state: "silent" };

const ANSWER_TIMEOUT_MS = 3000;
const MAX_ANSWER_BYTES = 4_000_000;

export async function askHealth(address: GatewayAddress): Promise<Health> {
  try {
    const answer = await get(address, "/api/kernelspecs");
    if (answer.status !== 200) return { state: "wrong", why: `it answers with status ${answer.status}` };
    const specs = JSON.parse(answer.text);
    return specs?.kernelspecs ? { state: "healthy" } : { state: "wrong", why: "it lists no kernelspecs" };
  } catch (error) {
    if (error instanceof SilenceError) return { state: "silent" };
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

class SilenceError extends Error {}

async function get(
  { url, token }: GatewayAddress,
  path: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const call = request(`${url}${path}`, { headers: { Authorization: `token ${token}` }, agent: false });
  const deadline = setTimeout(() => {
    reject(new SilenceError());
    call.destroy();
  }, ANSWER_TIMEOUT_MS);
  call.on("error", reject);
  call.on("response", (response) => {
    let text = "";
    response.setEncoding("utf8");
    response.on("data", (piece: string) => {
      text += piece;
      if (text.length <= MAX_ANSWER_BYTES) return;
      reject(new Error("its answer does not end"));
      call.destroy();
    });
    response.on("error", reject);
    response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
  });
  call.end();
  try {
    return await promise;
  } finally {
    clearTimeout(deadline);
  }
}
