/** The branches of one session: copies of its kernel that go their own way under a name, until one is kept or they are dropped. */

import { KernelError, kernelClosedError } from "../errors.ts";
import type { Kernel, KernelHost, ParkedKernel, ProcessMemory } from "../kernel.ts";
import { BRANCH_NAME_RULE, isBranchName } from "./branch-name.ts";
import type { KernelLease, LeaseRequest, Look } from "./pool.ts";
import { KernelSession } from "./session.ts";
import { TurnQueue } from "./turn-queue.ts";

/** Each is a process with memory of its own. */
const MAX_BRANCHES = 8;

export interface BranchFacts {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly madeAt: number;
  /** How many calls have run in it. */
  readonly calls: number;
  readonly memory: ProcessMemory | undefined;
}

interface Branch {
  readonly session: KernelSession;
  readonly madeAt: number;
  calls: number;
  isGivenUp: boolean;
}

export class Branches {
  readonly #trunk: () => KernelSession | undefined;
  readonly #branches = new Map<string, Branch>();
  /** How branches ended by themselves, until it is reported. */
  readonly #ends = new Map<string, string>();
  readonly #failures: string[] = [];
  readonly #closing = new AbortController();
  /** One is made at a time: of those that are asked for at once some may have the same name, and there is room for only so many. */
  readonly #making = new TurnQueue(this.#closing.signal);

  /** @param trunk the session whose kernel is copied. */
  constructor(trunk: () => KernelSession | undefined) {
    this.#trunk = trunk;
  }

  has(name: string): boolean {
    return this.#branches.has(name);
  }

  get names(): readonly string[] {
    return [...this.#branches.keys()];
  }

  /** Made if there is none of this name, and nothing is run. @returns what there is to know about a new one. Throws `KernelError`. */
  async open(name: string, signal: AbortSignal): Promise<readonly string[]> {
    if (!isBranchName(name)) throw branchError(`the name of a branch ${BRANCH_NAME_RULE}`);
    const branch = this.#branches.get(name);
    if (branch === undefined) return await this.#makeBetweenCells(name, { signal });
    branch.isGivenUp = false;
    return [];
  }

  /** For what runs no code; not waited for while it is busy. Throws `KernelError`. */
  async look<T>(name: string, signal: AbortSignal, work: (kernel: Kernel) => Promise<T>): Promise<Look<T>> {
    const session = this.#branches.get(name)?.session;
    if (session === undefined) throw this.#endedError(name);
    return session.isBusy ? { kind: "busy" } : { kind: "answer", value: await session.look(signal, work) };
  }

  /** How one that is no longer there ended by itself. */
  endOf(name: string): string | undefined {
    return this.#ends.get(name);
  }

  async list(): Promise<readonly BranchFacts[]> {
    return await Promise.all(
      [...this.#branches].map(async ([name, { session, madeAt, calls }]) => {
        return { name, madeAt, calls, memory: await session.kernel?.memory?.() };
      }),
    );
  }

  /** Runs `work` in the branch; made first if there is none of this name. Throws `KernelError`. */
  async use<T>(name: string, request: LeaseRequest, work: (lease: KernelLease) => Promise<T>): Promise<T> {
    if (!this.has(name) && request.isBranchNew === false) throw this.#endedError(name);
    const remarks = this.has(name) ? [] : await this.#makeBetweenCells(name, request);
    const branch = this.#branches.get(name);
    if (branch === undefined) throw this.#endedError(name);
    branch.calls += 1;
    return await branch.session.use(request, (lease) =>
      work({ ...lease, remarks: [...this.takeFailures(), ...remarks] }),
    );
  }

  /** A branch of a checkpoint that is there already: of a cell that is still running. One that another has made meanwhile stays. */
  async make(name: string, parked: ParkedKernel, signal: AbortSignal): Promise<readonly string[]> {
    const turn = this.#making.enter(signal);
    try {
      await turn.begun;
      if (this.has(name)) return [];
      await this.#makeRoom();
      return await this.#wake(name, parked, signal);
    } finally {
      turn.end();
    }
  }

  async #wake(name: string, parked: ParkedKernel, signal: AbortSignal): Promise<readonly string[]> {
    const kernel = await parked.wake(signal);
    const session = new KernelSession({
      host: noHost,
      cwd: "",
      lostBefore: undefined,
      isReplaced: false,
      isBorrowed: false,
      checkpoints: { count: 0, bytes: 0 },
      onExhausted: async () => 0,
    });
    await session.exchange(kernel);
    const branch = { session, madeAt: Date.now(), calls: 0, isGivenUp: false };
    this.#branches.set(name, branch);
    void kernel.exited.then(({ reason, expected }) => {
      if (this.#branches.get(name) !== branch) return;
      this.#branches.delete(name);
      if (!expected) this.#ends.set(name, reason);
    });
    const end = this.#ends.get(name);
    this.#ends.delete(name);
    const { notHeld } = parked;
    return [
      ...(end === undefined ? [] : [`The branch ${name} had ended: ${end}. What it held is gone`]),
      `The branch ${name} is new: a copy of the kernel as it is now${notHeld.length === 0 ? "" : `, without ${notHeld.join(", ")}`}`,
    ];
  }

  /** It becomes the session's kernel, and the one that there was is ended; the other branches stay. After what runs in either. */
  async keep(name: string, signal: AbortSignal): Promise<void> {
    const { branch, trunk } = this.#pair(name);
    await trunk.inTurn(signal, () => this.#replace(trunk, name, branch, signal));
  }

  /** As `keep`, for a cell of the kernel that is given up: it cannot wait, so the next call is told what went wrong. Throws `KernelError`. */
  keepAfterwards(name: string): void {
    const { branch, trunk } = this.#pair(name);
    const { signal } = new AbortController();
    const note = (error: unknown) => {
      const why = error instanceof KernelError ? error.issue : String(error);
      this.#failures.push(`The branch ${name} was not kept: ${why}. The session's kernel is the one before`);
    };
    // Noted before the turn is over: the next call may have the next one.
    const replace = () => this.#replace(trunk, name, branch, signal).catch(note);
    void trunk.inTurn(signal, replace).catch(note);
  }

  /** What has gone wrong since the last call, told once. */
  takeFailures(): readonly string[] {
    return this.#failures.splice(0);
  }

  async drop(name: string): Promise<void> {
    const branch = this.#branches.get(name);
    if (branch === undefined) throw unknownBranch(name);
    this.#branches.delete(name);
    await end(branch);
  }

  /** It stays until room is needed: nobody works in it any more, though its values may be asked for. */
  giveUp(name: string): void {
    const branch = this.#branches.get(name);
    if (branch !== undefined) branch.isGivenUp = true;
  }

  async close(): Promise<void> {
    this.#closing.abort(kernelClosedError());
    const branches = [...this.#branches.values()];
    this.#branches.clear();
    await Promise.all(branches.map(end));
  }

  #pair(name: string): { readonly branch: Branch; readonly trunk: KernelSession } {
    const [branch, trunk] = [this.#branches.get(name), this.#trunk()];
    if (branch === undefined || trunk === undefined) throw unknownBranch(name);
    return { branch, trunk };
  }

  /** In a turn of the trunk's. While it was waited for, the branch may have ended. */
  async #replace(trunk: KernelSession, name: string, branch: Branch, signal: AbortSignal): Promise<void> {
    const assertThere = () => {
      if (this.#branches.get(name) !== branch) throw this.#endedError(name);
    };
    assertThere();
    await branch.session.inTurn(signal, async () => {
      const left = trunk.usableKernel;
      if (left !== undefined) await trunk.checkpoints.take(left, signal);
      assertThere();
      this.#branches.delete(name);
      await trunk.exchange(branch.session.release());
      trunk.checkpoints.noteCode();
    });
  }

  async #makeBetweenCells(
    name: string,
    { signal, waiting }: Pick<LeaseRequest, "signal" | "waiting">,
  ): Promise<readonly string[]> {
    const trunk = this.#trunk();
    if (trunk?.kernel && waiting?.includes(trunk.kernel))
      throw branchError(
        `the cell that makes this call is running; name a new branch by omp.branch("${name}") first`,
      );
    if (trunk === undefined) throw branchError("there is nothing to branch off: no cell has run yet");
    const { parked, reason, release } = await trunk.look(signal, (kernel: Kernel) =>
      trunk.checkpoints.copy(kernel, signal),
    );
    if (parked === undefined) throw branchError(`the kernel cannot be copied: ${reason}`);
    return await this.make(name, parked, signal).finally(release);
  }

  #endedError(name: string): KernelError {
    const end = this.#ends.get(name);
    return branchError(`the branch ${name} has ended${end === undefined ? "" : `: ${end}`}`);
  }

  /** What nobody works in any more goes first. */
  async #makeRoom(): Promise<void> {
    const [oldest] =
      [...this.#branches].find(([, { isGivenUp, session }]) => isGivenUp && !session.isBusy) ?? [];
    if (this.#branches.size >= MAX_BRANCHES && oldest !== undefined) await this.drop(oldest);
    if (this.#branches.size >= MAX_BRANCHES)
      throw branchError(
        `there are ${MAX_BRANCHES} branches already (${this.names.join(", ")}); drop one first`,
      );
  }
}

/** At once: at its exit it would remove what the kernel that it is a copy of still uses. */
async function end({ session }: Branch): Promise<void> {
  await session.kernel?.shutdown({ graceMs: 0 });
  await session.close();
}

/** A branch that has ended is not replaced: another kernel would not have what it had. */
const noHost: KernelHost = {
  start: async () => {
    throw branchError("the branch has ended");
  },
  close: async () => undefined,
};

function unknownBranch(name: string): KernelError {
  return branchError(`there is no branch ${name}`);
}

function branchError(issue: string): KernelError {
  return new KernelError({ kind: "unsupported", issue, code: "NO_BRANCH" });
}
