/**
 * One `python -m kernel_gateway` for all omp processes of a user. Owns the protocol between them:
 *
 *   1. a user writes its file first, then looks for the record (gateway.json). An unused gateway removes its record
 *      first, then looks at the users again. So no user ever holds a gateway that is about to end.
 *   2. a user that finds no usable gateway takes the lock (gateway.lock), looks again, and only then starts one.
 *   3. a gateway publishes its record only where there is none, so of two exactly one is used, and the other ends.
 */

import { chmodSync, mkdirSync } from "node:fs";
import { isRunning } from "../../../process/identity.ts";
import { systemCode } from "../../../protocol/index.ts";
import { requireDescriptors } from "./descriptors.ts";
import { endGateway, removeLeftRuns, wakeGateway } from "./end-gateway.ts";
import { exhaustedError, explainError, otherHostError, otherPythonError, unhealthyError } from "./errors.ts";
import { type LaunchOptions, launchGateway } from "./launch.ts";
import { withGatewayLock } from "./lock.ts";
import { type GatewayRecord, readRecord, recordState, unpublish } from "./record.ts";
import { askHealth, type Health } from "./status.ts";
import { livingUsers, type Registration, register, usersDirectory } from "./users.ts";

/** A starting gateway may lose against another once, or find the remains of one that was killed. */
const ATTEMPTS = 3;
/** A gateway that starts many kernels at once answers late. */
const PATIENCE_MS = 15_000;

export interface SharedGatewayOptions extends LaunchOptions {
  /** How long the holder of the lock may show no sign of life; 15 s. */
  readonly lockSilenceMs?: number | undefined;
}

/** What a user of the shared gateway holds until it releases it. */
export interface GatewayLease {
  /** `http://127.0.0.1:<port>`, no path, no slash at its end. */
  readonly url: string;
  /** For the header `Authorization: token …` only. */
  readonly token: string;
  /** The gateway's process. */
  readonly pid: number;
  /**
   * All kernels of this omp, whenever they change. They keep running while this omp lives (even suspended with Ctrl+Z), and end at once
   * when it is killed. A kernel that no omp claims ends when it had no websocket for ten times the grace period.
   */
  ownKernels(ids: readonly string[]): void;
  /** Whether it still works. Takes a while to say no for one that may only be busy; a suspended one is resumed. */
  isHealthy(): Promise<boolean>;
  /** Resumes its process if it is suspended. */
  wake(): void;
  /** Whether its process is there. */
  isRunning(): boolean;
  /** Throws KernelError when it cannot start a kernel for want of descriptors: it only waits then, and so would we. */
  requireDescriptors(): void;
  /** This omp no longer needs the gateway. Ends nothing by itself: the gateway ends after being unused for a while. */
  release(): void;
}

export class SharedGateway {
  readonly #launch: SharedGatewayOptions;

  constructor(options: SharedGatewayOptions) {
    this.#launch = options;
  }

  /** Makes this omp a user of the gateway, starting it where there is none. Throws KernelError. */
  async acquire({ signal = never() }: { readonly signal?: AbortSignal } = {}): Promise<GatewayLease> {
    return await this.#asUser(async (user) => {
      const found = () => this.#found();
      return (await found()) ?? (await this.#locked(signal, () => this.#usableOrNew(user, signal), found));
    });
  }

  /**
   * For a gateway that has no descriptors left, of which this omp is a user: a new one when no other omp uses it, else a KernelError that
   * says what to do. The lease is released in either case.
   */
  async restart(
    lease: GatewayLease,
    { signal = never() }: { readonly signal?: AbortSignal } = {},
  ): Promise<GatewayLease> {
    lease.release();
    return await this.#asUser((user) =>
      this.#locked(signal, async () => {
        const record = readRecord(this.#launch.directory);
        if (record !== undefined && record.pid === lease.pid) {
          const others = await this.#endUnlessUsed(record, user);
          if (others.length > 0) throw exhaustedError(record, others);
        }
        return await this.#usableOrNew(user, signal);
      }),
    );
  }

  async #asUser(find: (user: Registration) => Promise<GatewayRecord>): Promise<GatewayLease> {
    const { directory } = this.#launch;
    let user: Registration | undefined;
    try {
      user = registerIn(directory);
      return leaseOf(await find(user), user);
    } catch (error) {
      user?.remove();
      throw explainError(error, directory);
    }
  }

  async #locked<T>(
    signal: AbortSignal,
    work: () => Promise<T>,
    meanwhile?: () => Promise<T | undefined>,
  ): Promise<T> {
    const { directory, lockSilenceMs: silenceMs } = this.#launch;
    return await withGatewayLock({ directory, signal, silenceMs, ...(meanwhile && { meanwhile }) }, work);
  }

  async #usableOrNew(user: Registration, signal: AbortSignal): Promise<GatewayRecord> {
    const { directory } = this.#launch;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const record = await this.#usable(user);
      if (record !== undefined) return record;
      unpublish(directory).remove();
      removeLeftRuns(directory);
      await launchGateway(this.#launch, signal);
    }
    const record = await this.#usable(user);
    if (record !== undefined) return record;
    throw unhealthyError(directory);
  }

  /** The usual case, which needs no lock. */
  async #found(): Promise<GatewayRecord | undefined> {
    const { directory, python } = this.#launch;
    const record = readRecord(directory);
    if (record?.python !== python || recordState(directory, record) !== "running") return undefined;
    wakeGateway(record);
    return (await askHealth(record)).state === "healthy" ? record : undefined;
  }

  /** Under the lock: the running gateway, if it is usable. One that is not is ended, unless others use it. */
  async #usable(user: Registration): Promise<GatewayRecord | undefined> {
    const { directory, python } = this.#launch;
    const record = readRecord(directory);
    if (record === undefined) return undefined;
    const state = recordState(directory, record);
    if (state === "elsewhere") throw otherHostError(record);
    if (state === "gone") return undefined;
    if (record.python !== python) {
      const others = await this.#endUnlessUsed(record, user);
      if (others.length > 0) throw otherPythonError(record, others, python);
      return undefined;
    }
    const health = await patientHealth(record);
    if (health.state === "healthy") return record;
    // It is of no use to its other users either.
    unpublish(directory).remove();
    await endGateway(record);
    return undefined;
  }

  /** @returns the others that use it, and then it still runs. */
  async #endUnlessUsed(record: GatewayRecord, user: Registration): Promise<readonly number[]> {
    const { directory } = this.#launch;
    const others = () =>
      livingUsers(directory)
        .filter(({ name }) => name !== user.name)
        .map(({ pid }) => pid);
    if (others().length > 0) return others();
    const unpublished = unpublish(directory);
    const late = others();
    if (late.length > 0) {
      unpublished.putBack();
      return late;
    }
    unpublished.remove();
    await endGateway(record);
    return [];
  }
}

async function patientHealth(record: GatewayRecord): Promise<Health> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    wakeGateway(record);
    const health = await askHealth(record);
    if (health.state !== "silent" || performance.now() > deadline) return health;
  }
}

function leaseOf(record: GatewayRecord, user: Registration): GatewayLease {
  const { url, token, pid } = record;
  return {
    url,
    token,
    pid,
    ownKernels: user.setKernels,
    isHealthy: async () => (await patientHealth(record)).state === "healthy",
    wake: () => wakeGateway(record),
    isRunning: () => isRunning(record),
    requireDescriptors: () => requireDescriptors(record),
    release: user.remove,
  };
}

/** `omp gateway stop` may remove the directories between two of our steps. */
function registerIn(directory: string, tries = 3): Registration {
  try {
    makePrivate(directory);
    makePrivate(usersDirectory(directory));
    return register(directory);
  } catch (error) {
    if (systemCode(error) !== "ENOENT" || tries === 1) throw error;
    return registerIn(directory, tries - 1);
  }
}

function makePrivate(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  chmodSync(directory, 0o700);
}

function never(): AbortSignal {
  return new AbortController().signal;
}
