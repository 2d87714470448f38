import { afterEach, describe, expect, setSystemTime, test } from "bun:test";
import { KernelError } from "../../../src/kernel/errors.ts";
import type { KernelLease } from "../../../src/kernel/pool/pool.ts";
import { until } from "../../support/until.ts";
import { exhausted, type FakeKernels, startFailed } from "./fake-kernels.ts";
import { errorOf, GIVEN_UP, GONE, held, setUp } from "./pool-calls.ts";

afterEach(() => void setSystemTime());

describe("death", () => {
  /** The kernel dies under the call. */
  const dies = (kernels: FakeKernels, told: unknown[]) => async (lease: KernelLease) => {
    kernels.started.find(({ id }) => id === lease.kernel.id)?.die("killed by SIGSEGV");
    told.push(await lease.recover());
  };

  test("under a call: a new kernel is started, the call is told, and the next call uses it", async () => {
    const { use, kernels } = setUp();
    const told: unknown[] = [];
    await use("a", { work: dies(kernels, told) });
    expect(told).toEqual([{ restarted: true, sentence: `The kernel died: killed by SIGSEGV. ${GONE}` }]);
    expect(await use("a")).toEqual({ kernel: "k2", lost: [] });
  });

  test("twice: given up until a reset, however much went well in between", async () => {
    const { use, kernels } = setUp();
    const told: unknown[] = [];
    await use("a", { work: dies(kernels, told) });
    await use("a");
    await use("a", { work: dies(kernels, told) });
    expect(told[1]).toEqual({
      restarted: false,
      sentence: `The kernel died again: killed by SIGSEGV. ${GIVEN_UP}`,
    });
    for (const _again of [1, 2]) {
      const error = await errorOf(use("a"));
      expect(error).toBeInstanceOf(KernelError);
      expect(error).toMatchObject({
        kind: "died",
        message: `python: the kernel died again: killed by SIGSEGV. ${GIVEN_UP} (KERNEL_GIVEN_UP)`,
      });
    }
    expect(kernels.started).toHaveLength(2);
    expect(await use("a", { reset: true })).toEqual({ kernel: "k3", lost: [] });
    expect(await use("a")).toEqual({ kernel: "k3", lost: [] });
  });

  test("between two calls counts, too; being ended by the user or its gateway does not", async () => {
    const { use, kernels } = setUp();
    for (const endedBy of ["user", "gateway", undefined] as const) {
      await use("a");
      kernels.started.at(-1)?.die("gone", endedBy);
    }
    expect((await use("a")).lost).toEqual([`The kernel died between two calls: gone. ${GONE}`]);
    kernels.started.at(-1)?.die("gone");
    expect(await errorOf(use("a"))).toMatchObject({
      message: `python: the kernel died again: gone. ${GIVEN_UP} (KERNEL_GIVEN_UP)`,
    });
    expect(await use("a", { reset: true })).toEqual({ kernel: "k5", lost: [] });
  });

  test("says who has ended it", async () => {
    const { use, kernels } = setUp();
    await use("a");
    kernels.started[0]?.die("omp kernel stop", "user");
    const told = `The kernel was ended by the user between two calls: omp kernel stop. ${GONE}`;
    expect((await use("a")).lost).toEqual([told]);
    const recovered = await use("a", {
      work: async (lease) => {
        kernels.started[1]?.die("it did not respond to an interrupt", "omp");
        expect(await lease.recover()).toMatchObject({
          restarted: true,
          sentence: `The kernel was ended by omp: it did not respond to an interrupt. ${GONE}`,
        });
      },
    });
    expect(recovered.kernel).toBe("k2");
  });

  test("of one session is not the other's", async () => {
    const { use, kernels } = setUp();
    const told: { restarted?: boolean }[] = [];
    await use("a", { work: dies(kernels, told) });
    await use("b", { work: dies(kernels, told) });
    expect(told.map(({ restarted }) => restarted)).toEqual([true, true]);
  });

  test("between two calls is told to the next one", async () => {
    const { use, kernels } = setUp();
    await use("a");
    kernels.started[0]?.die("killed by SIGKILL");
    const told = `The kernel died between two calls: killed by SIGKILL. ${GONE}`;
    expect(await use("a")).toEqual({ kernel: "k2", lost: [told] });
    expect(await use("a")).toEqual({ kernel: "k2", lost: [] });
  });

  test("of a kernel that nobody waits for is told even when its successor does not start at once", async () => {
    const { use, kernels } = setUp();
    await use("a");
    kernels.started[0]?.die("killed by SIGKILL");
    kernels.starts.push(startFailed);
    expect(await errorOf(use("a"))).toBe(startFailed);
    const told = `The kernel died between two calls: killed by SIGKILL. ${GONE}`;
    expect(await use("a")).toEqual({ kernel: "k2", lost: [told] });
  });

  test("a kernel left alone is asked whether it still answers, and replaced when it does not", async () => {
    const { use, kernels } = setUp();
    await use("a");
    const [kernel] = kernels.started;
    if (!kernel) throw new Error("no kernel");
    kernel.responds = false;
    expect((await use("a")).kernel).toBe("k1");
    setSystemTime(new Date(Date.now() + 60_000));
    expect(await use("a")).toEqual({ kernel: "k2", lost: [`The kernel stopped responding. ${GONE}`] });
    expect(kernel.state).toBe("shutdown");
  });

  test("a successor that does not start is said, and the next call tries again", async () => {
    const { use, kernels } = setUp();
    const told: unknown[] = [];
    await use("a", {
      work: async (lease) => {
        kernels.starts.push(startFailed);
        await dies(kernels, told)(lease);
      },
    });
    expect(told).toEqual([
      {
        restarted: false,
        sentence:
          "The kernel died: killed by SIGSEGV; a new one could not be started: python: no luck (KERNEL_START)",
      },
    ]);
    expect((await use("a")).kernel).toBe("k2");
  });
});

describe("reset", () => {
  test("gives an empty kernel without a word about lost state, and ends the old one before code runs", async () => {
    const { use, kernels } = setUp();
    await use("a");
    const gate = Promise.withResolvers<void>();
    kernels.shutdownGate = gate.promise;
    const aliveAtWork: string[] = [];
    const call = use("a", { reset: true, work: async () => void aliveAtWork.push(...kernels.alive) });
    await until("the new one has started", () => kernels.started.length === 2);
    gate.resolve();
    expect(await call).toEqual({ kernel: "k2", lost: [] });
    expect(aliveAtWork).toEqual(["k2"]);
  });

  test("forgets what was lost before", async () => {
    const { use, kernels } = setUp();
    await use("a");
    kernels.started[0]?.die("killed by SIGKILL");
    expect(await use("a", { reset: true })).toEqual({ kernel: "k2", lost: [] });
    const evicting = setUp({ maxSessions: 1 });
    await evicting.use("a");
    await evicting.use("b");
    expect(await evicting.use("a", { reset: true })).toEqual({ kernel: "k3", lost: [] });
  });

  test("whose start fails leaves no kernel, and the next call starts one", async () => {
    const { use, kernels } = setUp();
    await use("a");
    kernels.starts.push(startFailed);
    expect(await errorOf(use("a", { reset: true }))).toBe(startFailed);
    expect(kernels.alive).toEqual([]);
    expect((await use("a")).kernel).toBe("k2");
  });
});

describe("a machine without room", () => {
  test("idle kernels are given back and the start is tried once more", async () => {
    const { use, kernels } = setUp();
    await use("a");
    await use("b");
    kernels.starts.push(exhausted);
    expect((await use("c")).kernel).toBe("k3");
    expect(kernels.alive).toEqual(["k3"]);
    const told = `The kernel was ended by omp: the machine had no room for more kernels. ${GONE}`;
    expect(await use("a")).toEqual({ kernel: "k4", lost: [told] });
  });

  test("kernels at work are not", async () => {
    const { use, kernels } = setUp();
    const first = held();
    const running = use("a", first);
    await first.begun;
    await use("b");
    kernels.starts.push(exhausted);
    await use("c");
    expect(kernels.alive).toEqual(["k1", "k3"]);
    first.letGo();
    await running;
  });

  test("with nothing to give back, or when it did not help, the error is told", async () => {
    const { use, kernels } = setUp();
    kernels.starts.push(exhausted);
    expect(await errorOf(use("a"))).toBe(exhausted);
    expect(kernels.asked).toHaveLength(1);
    await use("b");
    kernels.starts.push(exhausted, exhausted);
    expect(await errorOf(use("a"))).toBe(exhausted);
    expect(kernels.asked).toHaveLength(4);
  });

  test("other errors of a start are not tried again", async () => {
    const { use, kernels } = setUp();
    kernels.starts.push(startFailed);
    expect(await errorOf(use("a"))).toBe(startFailed);
    expect(kernels.asked).toHaveLength(1);
    expect((await use("a")).kernel).toBe("k1");
  });
});

describe("a kernel for one call", () => {
  test("has no successor", async () => {
    const { use, kernels } = setUp({ mode: "per-call" });
    const told: unknown[] = [];
    const work = async ({ recover }: KernelLease) => {
      kernels.started[0]?.die("killed by SIGSEGV");
      told.push(await recover());
    };
    await use("a", { work });
    expect(told).toEqual([{ restarted: false, sentence: "The kernel died: killed by SIGSEGV." }]);
    expect(kernels.started).toHaveLength(1);
  });
});
