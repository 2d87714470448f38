/** A pool over an existing kernel that omp did not start: what is reported when it is gone, and that the pool never gives up on it. */

import { expect, test } from "bun:test";
import type { KernelLease } from "../../../src/kernel/pool/pool.ts";
import { type FakeKernels, startFailed } from "./fake-kernels.ts";
import { errorOf, setUp } from "./pool-calls.ts";

const ANOTHER =
  "Its owner has restarted it, and omp now uses the new one: all variables, imports and other state are gone.";

const dies = (kernels: FakeKernels, told: unknown[]) => async (lease: KernelLease) => {
  kernels.started.at(-1)?.die("the connection to it ended");
  told.push(await lease.recover());
};

test("under a call, with another one in its place: told as another, as often as it happens", async () => {
  const { use, kernels } = setUp({ isBorrowed: true });
  const told: unknown[] = [];
  for (const _time of [1, 2, 3]) await use("a", { work: dies(kernels, told) });
  const another = { restarted: true, sentence: `The kernel died: the connection to it ended. ${ANOTHER}` };
  expect(told).toEqual([another, another, another]);
  expect(await use("a")).toEqual({ kernel: "k4", lost: [] });
});

test("under a call, with none in its place: told what to do; the next call looks for it again", async () => {
  const { use, kernels } = setUp({ isBorrowed: true });
  await use("a");
  const told: unknown[] = [];
  kernels.starts.push(startFailed, startFailed);
  await use("a", { work: dies(kernels, told) });
  expect(told).toEqual([
    {
      restarted: false,
      sentence:
        "The kernel died: the connection to it ended. All variables, imports and other state are gone. omp did not start it and does not replace it: ask the user to start it again, and the next call will use it.",
    },
  ]);
  expect(await errorOf(use("a"))).toBe(startFailed);
  expect(await use("a")).toEqual({ kernel: "k2", lost: [] });
});

test("between two calls: told once there is another, however many calls met none", async () => {
  const { use, kernels } = setUp({ isBorrowed: true });
  await use("a");
  kernels.started[0]?.die("another client restarted it");
  kernels.starts.push(startFailed);
  expect(await errorOf(use("a"))).toBe(startFailed);
  expect(await use("a")).toEqual({
    kernel: "k2",
    lost: [`The kernel died between two calls: another client restarted it. ${ANOTHER}`],
  });
});

test("when only the connection to it was lost: nothing is gone", async () => {
  const { use, kernels } = setUp({ isBorrowed: true });
  const sameAgain = kernels.start.bind(kernels);
  kernels.start = async (options) => Object.assign(await sameAgain(options), { id: "the same" });
  await use("a");
  kernels.started[0]?.die("the connection to it ended");
  expect(await use("a")).toEqual({ kernel: "the same", lost: [] });
  const told: unknown[] = [];
  await use("a", { work: dies(kernels, told) });
  expect(told).toEqual([
    {
      restarted: false,
      sentence:
        "The connection to the kernel broke and was restored. It is the same kernel, with its state; whether this cell has ended there is not known.",
    },
  ]);
});
