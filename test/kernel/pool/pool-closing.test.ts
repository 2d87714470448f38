import { describe, expect, test } from "bun:test";
import { until } from "../../support/until.ts";
import { errorOf, held, setUp, witness } from "./pool-calls.ts";

describe("closing", () => {
  const closedError = { name: "KernelError", kind: "closed" };

  test("ends every kernel; a later call is refused", async () => {
    const { use, kernels, pool } = setUp();
    await use("a");
    await use("b");
    await pool.close();
    expect([kernels.alive, kernels.closed]).toEqual([[], true]);
    expect(await errorOf(use("a"))).toMatchObject(closedError);
    expect(kernels.started).toHaveLength(2);
    await pool.close();
  });

  test("while a call is at work: no successor is started for it, and nothing is left", async () => {
    const { use, kernels, pool } = setUp();
    const first = held();
    const outcome = Promise.withResolvers<unknown>();
    const running = use("a", {
      work: async (lease) => {
        await first.work(lease);
        outcome.resolve(await lease.recover());
      },
    });
    await first.begun;
    const closing = pool.close();
    first.letGo();
    expect(await outcome.promise).toMatchObject({ restarted: false });
    await errorOf(running);
    await closing;
    expect(kernels.started).toHaveLength(1);
    expect(kernels.alive).toEqual([]);
  });

  test("while a kernel starts: the call is refused, and the kernel does not outlive it", async () => {
    const { use, kernels, pool } = setUp();
    const gate = Promise.withResolvers<void>();
    kernels.starts.push(gate.promise);
    const refused = witness();
    const starting = errorOf(use("a", { work: refused.work }));
    await until("the start was asked for", () => kernels.asked.length === 1);
    const closing = pool.close();
    gate.resolve();
    expect(await starting).toMatchObject(closedError);
    await closing;
    expect(refused.ran).toBe(false);
    expect(kernels.alive).toEqual([]);
  });

  test("calls that wait in the queue do not run", async () => {
    const { use, kernels, pool } = setUp();
    const first = held();
    const refused = witness();
    const running = use("a", first);
    await first.begun;
    const waiting = errorOf(use("a", { work: refused.work }));
    const closing = pool.close();
    first.letGo();
    await errorOf(running);
    expect(await waiting).toMatchObject(closedError);
    await closing;
    expect(refused.ran).toBe(false);
    expect(kernels.started).toHaveLength(1);
    expect(kernels.alive).toEqual([]);
  });

  test("ends per-call kernels that are at work", async () => {
    const { use, kernels, pool } = setUp({ mode: "per-call" });
    const first = held();
    const running = use("a", first);
    await first.begun;
    const closing = pool.close();
    await until("the kernel is gone", () => kernels.alive.length === 0);
    first.letGo();
    await errorOf(running);
    await closing;
  });

  test("a call that waits for room is refused", async () => {
    const { use, kernels, pool } = setUp({ maxSessions: 1 });
    const first = held();
    const running = use("a", first);
    await first.begun;
    const waiting = errorOf(use("b"));
    const closing = pool.close();
    first.letGo();
    await errorOf(running);
    expect(await waiting).toMatchObject(closedError);
    await closing;
    expect(kernels.alive).toEqual([]);
    expect(kernels.started).toHaveLength(1);
  });
});
