/** Where kernels live: in omp's own processes, in the shared local gateway, or in one that somebody else runs. */

import type { InterpreterFacts } from "../runtime/facts.ts";
import type { Preflight } from "../runtime/preflight.ts";
import type { Check } from "./doctor-check.ts";

const answerTimeoutMs = 3000;

export async function checkGateway(options: {
  readonly external: { readonly url: string; readonly token: string | undefined } | undefined;
  readonly sharedGateway: boolean;
  readonly facts: InterpreterFacts | undefined;
  readonly preflight: Preflight;
}): Promise<Check> {
  const { external, sharedGateway, facts, preflight } = options;
  if (external !== undefined) return checkExternal(external);
  const version = facts?.packages.kernel_gateway;
  const details = { kind: sharedGateway ? "shared" : "none", kernelGateway: version ?? null };
  if (!sharedGateway) {
    const has = version === undefined ? "" : `; jupyter_kernel_gateway ${version} is there`;
    return { name: "gateway", status: "ok", value: `not used: own kernels over ZeroMQ${has}`, details };
  }
  if (version !== undefined) {
    return { name: "gateway", status: "ok", value: `shared, jupyter_kernel_gateway ${version}`, details };
  }
  const fix = !preflight.ok && preflight.code === "KERNEL_GATEWAY_NOT_FOUND" ? { fix: preflight.fix } : {};
  const value = "shared (python.sharedGateway), but jupyter_kernel_gateway is not installed";
  return { name: "gateway", status: "fail", value, ...fix, details };
}

async function checkExternal({
  url,
  token,
}: {
  readonly url: string;
  readonly token: string | undefined;
}): Promise<Check> {
  const address = new URL(url);
  // An address may carry a password, which is nobody's to see.
  const shown = `${address.origin}${address.pathname}`;
  const base = { name: "gateway", details: { kind: "external", url: shown, token: token !== undefined } };
  const value = `external, ${shown}`;
  try {
    const response = await fetch(`${url.replace(/\/+$/, "")}/api/kernelspecs`, {
      headers: token === undefined ? {} : { Authorization: `token ${token}` },
      signal: AbortSignal.timeout(answerTimeoutMs),
    });
    await response.body?.cancel();
    if (response.ok) return { ...base, status: "ok", value: `${value}, answers` };
    const fix =
      response.status === 401 || response.status === 403
        ? "set PI_PYTHON_GATEWAY_TOKEN to the gateway's token"
        : "correct PI_PYTHON_GATEWAY_URL: no Jupyter gateway answers there";
    return { ...base, status: "fail", value: `${value} refuses with status ${response.status}`, fix };
  } catch (error) {
    const why =
      error instanceof Error && error.name === "TimeoutError" ? "does not answer" : "cannot be reached";
    return {
      ...base,
      status: "fail",
      value: `${value} ${why}`,
      fix: "start the gateway, or unset PI_PYTHON_GATEWAY_URL",
    };
  }
}
