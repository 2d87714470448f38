/** Which branch goes when there is no room for another, with kernels that have no process. */

import { expect, test } from "bun:test";
import type { ParkedKernel } from "../../../src/kernel/kernel.ts";
import type { FakeKernels } from "./fake-kernels.ts";
import { errorOf, held, setUp } from "./pool-calls.ts";

const signal = new AbortController().signal;
const session = { sessionId: "a", cwd: "/project" };
const eight = ["b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8"];

function parkedIn(kernels: FakeKernels): ParkedKernel {
  return {
    notHeld: [],
    exited: new Promise(() => undefined),
    isAlive: true,
    wake: () => kernels.start({ cwd: "/project" }),
    digests: async () => new Map(),
    memory: async () => undefined,
    drop: () => undefined,
  };
}

async function withEight() {
  const { kernels, pool } = setUp();
  const branches = pool.branches(session);
  const make = (name: string) => branches.make(name, parkedIn(kernels), signal);
  for (const name of eight) await make(name);
  return { kernels, pool, branches, make };
}

test("a ninth is refused while somebody works in each of the eight", async () => {
  const { kernels, branches, make } = await withEight();
  expect(String(await errorOf(make("b9")))).toContain("there are 8 branches already (b1, b2,");
  expect([branches.names, kernels.alive.length]).toEqual([eight, 8]);
});

test("one that was given up makes room, though not while it is busy or after it was opened again", async () => {
  const { kernels, pool, branches, make } = await withEight();
  for (const name of ["b2", "b3", "b4"]) branches.giveUp(name);
  const { work, begun, letGo } = held();
  const running = pool.use({ ...session, branch: "b2", reset: false, signal }, work);
  await begun;
  expect(await branches.open("b3", signal)).toEqual([]);
  await make("b9");
  expect(branches.names).toEqual(["b1", "b2", "b3", "b5", "b6", "b7", "b8", "b9"]);
  expect(String(await errorOf(make("b10")))).toContain("there are 8 branches already");
  letGo();
  await running;
  await make("b10");
  expect(branches.names).toEqual(["b1", "b3", "b5", "b6", "b7", "b8", "b9", "b10"]);
  expect(kernels.alive.length).toBe(8);
});

test("one that is asked for twice at once is one, and of nine at once eight are made", async () => {
  const { kernels, pool } = setUp();
  const branches = pool.branches(session);
  const make = (name: string) => branches.make(name, parkedIn(kernels), signal);
  const [first, second] = await Promise.all([make("b1"), make("b1")]);
  expect([first?.length, second, kernels.alive.length]).toEqual([1, [], 1]);
  const outcomes = await Promise.allSettled([...eight.slice(1), "b9"].map(make));
  expect(outcomes.map(({ status }) => status)).toEqual([...Array(7).fill("fulfilled"), "rejected"]);
  expect([branches.names, kernels.alive.length]).toEqual([eight, 8]);
});
