/**
 * The kernels that each omp has in external gateways, kept on disk: one small file per process. An omp that is killed cannot end its
 * kernels there, and a gateway may keep them for hours. So the next omp that needs the same gateway ends them, when that process is gone
 * and no client is connected to them.
 */

import { mkdirSync, rmSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { identityOf, isRunning, type ProcessIdentity } from "../../process/identity.ts";
import { systemCode } from "../../protocol/index.ts";
import { KernelError } from "../errors.ts";
import { namesIn, readJsonFile, replaceJsonFile } from "../files.ts";
import type { TraceLine } from "../jupyter/trace.ts";
import type { GatewayClient } from "./gateway-client.ts";

/** After this a file is removed although its kernels could not be ended. */
const FORGOTTEN_MS = 7 * 24 * 3_600_000;

interface Page extends ProcessIdentity {
  readonly host: string;
  /** Of the gateway, without anything secret. */
  readonly url: string;
  readonly kernels: readonly string[];
}

export interface KernelLedgerOptions {
  readonly directory: string;
  readonly client: GatewayClient;
  readonly trace: TraceLine | undefined;
}

export class KernelLedger {
  readonly #options: KernelLedgerOptions;
  readonly #name = `${process.pid}-${crypto.randomUUID().slice(0, 8)}.json`;
  readonly #kernels = new Set<string>();

  constructor(options: KernelLedgerOptions) {
    this.#options = options;
  }

  add(id: string): void {
    this.#kernels.add(id);
    this.#write();
  }

  /** The gateway has ended it. */
  remove(id: string): void {
    if (this.#kernels.delete(id)) this.#write();
  }

  /** Ends what omps that were killed have left in this gateway. Never throws: what cannot be ended now is tried next time. */
  async endLeft(): Promise<void> {
    const { directory } = this.#options;
    const pages = namesIn(directory).filter((name) => name.endsWith(".json"));
    await Promise.all(pages.map((name) => this.#endLeftBy(join(directory, name))));
  }

  async #endLeftBy(file: string): Promise<void> {
    const { client, trace } = this.#options;
    const page = readPage(file);
    if (page?.host !== hostname() || page.url !== client.address.shown || isRunning(page)) return;
    const ended = await Promise.all(page.kernels.map((id) => this.#end(id)));
    const age = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (ended.every((isEnded) => isEnded) || age > FORGOTTEN_MS) rmSync(file, { force: true });
    else trace?.(`-- kernels of omp ${page.pid} could not be ended`);
  }

  async #end(id: string): Promise<boolean> {
    const { client, trace } = this.#options;
    try {
      const kernel = await client.kernel(id);
      if (kernel === undefined) return true;
      // Another client has taken it over, or the gateway has not noticed yet that its omp is gone.
      if (kernel.connections !== 0) return false;
      trace?.(`-- ending kernel ${id}, which a killed omp has left`);
      await client.remove(id);
      return true;
    } catch (error) {
      if (!(error instanceof KernelError)) throw error;
      trace?.(`-- ${id} was not ended: ${error.message}`);
      return false;
    }
  }

  /** A disk that is full costs the ledger, and no kernel. */
  #write(): void {
    const { directory, client, trace } = this.#options;
    const file = join(directory, this.#name);
    const kernels = [...this.#kernels];
    try {
      if (kernels.length === 0) {
        rmSync(file, { force: true });
        return;
      }
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      const page: Page = { ...identityOf(process.pid), host: hostname(), url: client.address.shown, kernels };
      replaceJsonFile(file, page);
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      trace?.(`-- ${file} was not written: ${String(error)}`);
    }
  }
}

function readPage(file: string): Page | undefined {
  const { pid, started, host, url, kernels } = readJsonFile(file) ?? {};
  if (typeof pid !== "number" || typeof host !== "string" || typeof url !== "string") return undefined;
  if (!Array.isArray(kernels)) return undefined;
  return {
    pid,
    started: typeof started === "string" ? started : undefined,
    host,
    url,
    kernels: kernels.filter((id) => typeof id === "string"),
  };
}
