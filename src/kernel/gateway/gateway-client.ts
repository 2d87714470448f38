/** A gateway's REST interface: the few calls that kernels need. Every failure is a `KernelError` that says what to do. */

import { asRecord } from "../../protocol/record.ts";
import { KernelError } from "../errors.ts";
import { GatewayAddress } from "./address.ts";
import { directFetch, isDirect } from "./direct-fetch.ts";
import {
  type GatewayTask,
  networkError,
  notJsonError,
  noWebsocketError,
  type Refusal,
  refusalError,
} from "./failures.ts";
import type { GatewayAccess } from "./options.ts";

/** For calls that a healthy gateway answers at once. */
const ANSWER_MS = 10_000;
/** How much of an error's body is read. Kernel Gateway sends a traceback, and the reason is at its end. */
const MAX_ERROR_BYTES = 65_536;

export interface KernelSpecs {
  readonly default: string | undefined;
  readonly specs: readonly { readonly name: string; readonly language: string }[];
}

export interface RemoteKernel {
  readonly id: string;
  readonly name: string;
  readonly executionState: string | undefined;
  readonly lastActivity: string | undefined;
  readonly connections: number | undefined;
}

interface CallOptions {
  readonly method?: "GET" | "POST" | "DELETE";
  readonly body?: unknown;
  /** Instead of the usual time limit. */
  readonly signal?: AbortSignal | undefined;
}

export class GatewayClient {
  readonly address: GatewayAddress;
  /** Until a server turned out not to. */
  speaksV1 = true;

  constructor(access: GatewayAccess) {
    this.address = new GatewayAddress(access);
  }

  /** Also the health check: an answer means that the gateway runs and grants access. */
  async kernelSpecs(signal?: AbortSignal): Promise<KernelSpecs> {
    const answer = asRecord(await this.#json("list the kernelspecs", "api/kernelspecs", { signal }));
    const specs = Object.entries(asRecord(answer["kernelspecs"])).map(([name, entry]) => ({
      name,
      language: text(asRecord(asRecord(entry)["spec"])["language"]) ?? "",
    }));
    return { default: text(answer["default"]), specs };
  }

  /** Takes as long as the kernel's start; on a cluster that may be minutes. */
  async startKernel(
    name: string,
    { env, signal }: { readonly env: Readonly<Record<string, string>>; readonly signal: AbortSignal },
  ): Promise<RemoteKernel> {
    const body = Object.keys(env).length > 0 ? { name, env } : { name };
    return readKernel(await this.#json("start a kernel", "api/kernels", { method: "POST", body, signal }));
  }

  async kernels(): Promise<readonly RemoteKernel[]> {
    const list = await this.#json("list the kernels", "api/kernels");
    return Array.isArray(list) ? list.map(readKernel) : [];
  }

  /** Undefined when the gateway has no such kernel (any more). */
  async kernel(id: string): Promise<RemoteKernel | undefined> {
    const response = await this.#fetch(kernelPath(id));
    if (response.status === 404) {
      const body = await readStart(response);
      // A proxy's 404 page says nothing about kernels.
      return body.trimStart().startsWith("{")
        ? undefined
        : await this.#refuse("look at the kernel", refusalOf(response, body));
    }
    return readKernel(await this.#read("look at the kernel", response));
  }

  async interrupt(id: string): Promise<void> {
    const response = await this.#fetch(`${kernelPath(id)}/interrupt`, { method: "POST" });
    if (!response.ok) await this.#read("interrupt the kernel", response);
    else await response.body?.cancel();
  }

  /** A kernel that is already gone counts as ended. */
  async remove(id: string, signal?: AbortSignal): Promise<void> {
    const response = await this.#fetch(kernelPath(id), { method: "DELETE", signal });
    if (response.ok || response.status === 404) await response.body?.cancel();
    else await this.#read("end the kernel", response);
  }

  /** A websocket that is refused does not say why; its address, asked for as a page, does. */
  async explainWebsocket(path: string): Promise<KernelError> {
    try {
      const response = await this.#fetch(path);
      const body = await readStart(response);
      // The answers of a server that has a websocket here: the request arrived, its Upgrade header did not.
      if (response.ok || response.status === 400 || response.status === 426)
        return noWebsocketError(this.address);
      return refusalError(this.address, "connect to the kernel", refusalOf(response, body));
    } catch (error) {
      if (error instanceof KernelError) return error;
      throw error;
    }
  }

  async #json(task: GatewayTask, path: string, options?: CallOptions): Promise<unknown> {
    return await this.#read(task, await this.#fetch(path, options));
  }

  async #fetch(path: string, { method = "GET", body, signal }: CallOptions = {}): Promise<Response> {
    const { address } = this;
    try {
      const url = address.http(path);
      const request = {
        method,
        headers: {
          ...address.headers,
          Accept: "application/json",
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: signal ?? AbortSignal.timeout(ANSWER_MS),
      };
      if (isDirect(url)) return await directFetch(url, request);
      // A redirect must not get the token.
      return await fetch(url, { ...request, redirect: "manual", ...address.tls });
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw networkError(address, error);
    }
  }

  async #read(task: GatewayTask, response: Response): Promise<unknown> {
    if (!response.ok) return await this.#refuse(task, refusalOf(response, await readStart(response)));
    const body = await response.text().catch((error: unknown) => {
      throw networkError(this.address, error);
    });
    try {
      return JSON.parse(body);
    } catch (error) {
      if (error instanceof SyntaxError) throw notJsonError(this.address, body);
      throw error;
    }
  }

  /**
   * 403 is the answer to a wrong token, to a list that is switched off, to one kernel too many, and of a hub whose server does not run.
   * The answer to a plain request for the kernelspecs tells which it was.
   */
  async #refuse(task: GatewayTask, refusal: Refusal): Promise<never> {
    const { address } = this;
    if (refusal.status !== 403 || task === "list the kernelspecs") throw refusalError(address, task, refusal);
    const look = await this.#fetch("api/kernelspecs");
    const answer = refusalOf(look, await readStart(look));
    throw refusalError(address, task, look.ok ? { ...refusal, canList: true } : answer);
  }
}

function refusalOf({ status, headers }: Response, body: string): Refusal {
  const location = headers.get("Location") ?? undefined;
  return { status, body, location, isHub: headers.has("X-JupyterHub-Version") };
}

export function kernelPath(id: string): string {
  return `api/kernels/${encodeURIComponent(id)}`;
}

async function readStart(response: Response): Promise<string> {
  const body = await response.text().catch(() => "");
  return body.slice(0, MAX_ERROR_BYTES);
}

function readKernel(value: unknown): RemoteKernel {
  const model = asRecord(value);
  return {
    id: text(model["id"]) ?? "",
    name: text(model["name"]) ?? "",
    executionState: text(model["execution_state"]),
    lastActivity: text(model["last_activity"]),
    connections: typeof model["connections"] === "number" ? model["connections"] : undefined,
  };
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
