/** Kernels that live behind a Jupyter Server, Kernel Gateway or Enterprise Gateway, over REST and a websocket. */

import { readFileSync } from "node:fs";
import { unlessAborted } from "../../async/abort.ts";
import { within } from "../../async/within.ts";
import { systemCode } from "../../protocol/index.ts";
import { KernelError } from "../errors.ts";
import type { StartKernelOptions } from "../kernel.ts";
import type { ExtensionModule } from "../python/extension-modules.ts";
import { originOf } from "../python/init-code.ts";
import { MODULE_SHARE, StartedKernels } from "../started-kernels.ts";
import { GatewayClient, type KernelSpecs, type RemoteKernel } from "./gateway-client.ts";
import { GatewayKernel } from "./gateway-kernel.ts";
import { KernelLedger } from "./kernel-ledger.ts";
import type { GatewayKernelsOptions } from "./options.ts";

const RECONNECT_LIMIT_MS = 30_000;
/** Longer than a busy server's event loop is blocked. */
const SILENCE_MS = 30_000;
/** How long a kernel that is made too late is waited for, to be ended. */
const ORPHAN_MS = 120_000;
/** How long a start waits while kernels that killed omps have left are ended. */
const CLEANING_MS = 3_000;

export class GatewayKernels extends StartedKernels<GatewayKernel> {
  readonly client: GatewayClient;
  readonly #options: GatewayKernelsOptions;
  readonly #ledger: KernelLedger | undefined;
  #spec: string | undefined;

  constructor(options: GatewayKernelsOptions) {
    super(options);
    const { gateway, ledger, trace } = options;
    const client = new GatewayClient(gateway);
    this.#options = options;
    this.client = client;
    this.#ledger = ledger === undefined ? undefined : new KernelLedger({ directory: ledger, client, trace });
  }

  protected async launch({ cwd, env }: StartKernelOptions, signal: AbortSignal): Promise<GatewayKernel> {
    signal.throwIfAborted();
    const { kernelEnv, trace, onStage, wake, isGatewayRunning } = this.#options;
    const { reconnectLimitMs = RECONNECT_LIMIT_MS, silenceMs = SILENCE_MS } = this.#options;
    const name = await this.#specName(signal);
    // They may count towards the limit that the new one needs.
    if (this.#ledger) await within(this.#ledger.endLeft(), CLEANING_MS);
    // Not ended with the signal: the gateway would still start the kernel, and its id would be unknown.
    const asked = this.client.startKernel(name, {
      env: launcherVariables(kernelEnv),
      signal: AbortSignal.timeout(ORPHAN_MS),
    });
    const remote = await unlessAborted(asked, signal, (late) => void this.#discard(late));
    this.#options.onMade?.(remote.id);
    this.#ledger?.add(remote.id);
    onStage?.(`kernel made by gateway ${this.client.address.name}`);
    const { modules, unread } = withSources(this.#options.extensionModules(cwd));
    const kernel = await GatewayKernel.start(
      {
        client: this.client,
        kernelId: remote.id,
        boot: {
          cwd,
          env: { ...this.#options.env, ...env },
          modules,
          moduleLimitMs: this.#options.startTimeoutMs / MODULE_SHARE,
          unreadModules: unread,
          preloaded: false,
          gateway: {
            name: this.client.address.name,
            isElsewhere: this.#options.files === "elsewhere",
            origin: originOf(cwd),
          },
        },
        reconnectLimitMs,
        silenceMs,
        trace,
        wake,
        isGatewayRunning,
        onRemoved: () => this.#ledger?.remove(remote.id),
      },
      signal,
    );
    onStage?.("kernel ready");
    return kernel;
  }

  /** Asked for once; that is also the check that the gateway runs and grants access. */
  async #specName(signal: AbortSignal): Promise<string> {
    const { kernelSpec, gateway } = this.#options;
    this.#spec ??= chooseSpec(await this.client.kernelSpecs(signal), kernelSpec, gateway.name);
    return this.#spec;
  }

  async #discard({ id }: RemoteKernel): Promise<void> {
    await this.client
      .remove(id)
      .catch((error: unknown) => this.#options.trace?.(`-- ${id} was not ended: ${String(error)}`));
  }

  protected describeSlowStart(limit: string): string {
    const { name } = this.client.address;
    if (this.#options.files === "shared")
      return `the shared gateway had no kernel ready after ${limit}: see omp gateway status; to wait longer, raise the setting python.startTimeout`;
    return `gateway ${name} had no kernel ready after ${limit}; on a cluster the first start may take minutes; to wait longer, raise the setting python.startTimeout`;
  }

  protected override async untilCleared(kernel: GatewayKernel): Promise<void> {
    await kernel.removed;
  }
}

/** The wanted one, the gateway's default when that is a Python, or its first Python. */
export function chooseSpec(found: KernelSpecs, wanted: string | undefined, gateway: string): string {
  const names = found.specs.map(({ name }) => name);
  const specError = (issue: string) =>
    new KernelError({ kind: "start-failed", issue, code: "KERNELSPEC_NOT_FOUND" });
  const list = names.length > 0 ? `it has ${names.sort().join(", ")}` : "it has none";
  if (wanted !== undefined) {
    if (names.includes(wanted)) return wanted;
    throw specError(`gateway ${gateway} has no kernelspec ${wanted}: ${list}; python.kernelSpec names one`);
  }
  const pythons = found.specs.filter(({ language }) => language.toLowerCase() === "python");
  const chosen = pythons.find(({ name }) => name === found.default) ?? pythons[0];
  if (chosen) return chosen.name;
  throw specError(`gateway ${gateway} has no kernelspec for Python: ${list}`);
}

function launcherVariables(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith("KERNEL_")));
}

/** The kernel does not see our disk: it gets the contents of the files. */
function withSources(modules: readonly ExtensionModule[]) {
  const read: ExtensionModule[] = [];
  const unread: { name: string; error: string }[] = [];
  for (const module of modules) {
    try {
      read.push({ ...module, source: module.source ?? readFileSync(module.path, "utf8") });
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      unread.push({ name: module.name, error: error instanceof Error ? error.message : String(error) });
    }
  }
  return { modules: read, unread };
}
