import { describe, expect, test } from "bun:test";
import { until } from "../../support/until.ts";
import { errorOf, GONE, held, setUp, witness } from "./pool-calls.ts";

describe("reuse", () => {
  test("a session keeps its kernel from call to call", async () => {
    const { use, kernels } = setUp();
    expect([await use("a"), await use("a")]).toEqual([
      { kernel: "k1", lost: [] },
      { kernel: "k1", lost: [] },
    ]);
    expect(kernels.asked.map(({ cwd }) => cwd)).toEqual(["/project"]);
  });

  test("another session, or another directory, has a kernel of its own", async () => {
    const { use } = setUp();
    const calls = [await use("a"), await use("b"), await use("a", { cwd: "/other" }), await use("a")];
    expect(calls.map(({ kernel }) => kernel)).toEqual(["k1", "k2", "k3", "k1"]);
  });

  test("names that look alike when put together are still two", async () => {
    const { use } = setUp();
    const calls = [await use("a/b", { cwd: "/c" }), await use("a", { cwd: "/b/c" })];
    expect(calls.map(({ kernel }) => kernel)).toEqual(["k1", "k2"]);
  });

  test("per-call gives each call a kernel, and takes it back at its end", async () => {
    const { use, kernels } = setUp({ mode: "per-call" });
    const first = await use("a", { work: async () => void expect(kernels.alive).toEqual(["k1"]) });
    expect(kernels.alive).toEqual([]);
    const second = await use("a", { reset: true });
    expect([first, second]).toEqual([
      { kernel: "k1", lost: [] },
      { kernel: "k2", lost: [] },
    ]);
    expect(kernels.alive).toEqual([]);
  });

  test("per-call takes the kernel back when the call fails, too", async () => {
    const { use, kernels } = setUp({ mode: "per-call" });
    expect(await errorOf(use("a", { work: () => Promise.reject(new Error("a bug")) }))).toEqual(
      new Error("a bug"),
    );
    expect(kernels.started).toHaveLength(1);
    expect(kernels.alive).toEqual([]);
  });

  test("the pool itself never sends code", async () => {
    const { use, kernels } = setUp();
    await use("a", {
      work: async ({ kernel, recover }) => {
        kernels.started.find(({ id }) => id === kernel.id)?.die("exited with code 1");
        await recover();
      },
    });
    await use("a", { reset: true });
    expect(kernels.executed).toEqual([]);
  });
});

describe("the queue", () => {
  test("calls of a session run one after the other, in the order in which they came", async () => {
    const { use } = setUp();
    const events: string[] = [];
    const call = (name: string) =>
      use("a", {
        work: async () => {
          events.push(`${name} begins`);
          await new Promise((resolve) => setImmediate(resolve));
          events.push(`${name} ends`);
        },
      });
    await Promise.all([call("1"), call("2"), call("3")]);
    expect(events).toEqual(["1 begins", "1 ends", "2 begins", "2 ends", "3 begins", "3 ends"]);
  });

  test("calls of two sessions do not wait for each other", async () => {
    const { use } = setUp();
    const first = held();
    const running = use("a", first);
    await first.begun;
    expect((await use("b")).kernel).toBe("k2");
    first.letGo();
    await running;
  });

  test("a call that throws does not hold up the next", async () => {
    const { use } = setUp();
    const failing = errorOf(use("a", { work: () => Promise.reject(new Error("a bug")) }));
    const next = use("a");
    expect(await failing).toEqual(new Error("a bug"));
    expect(await next).toEqual({ kernel: "k1", lost: [] });
  });

  test("a call that was aborted while it waited does not run, and the next does", async () => {
    const { use, kernels } = setUp();
    const first = held();
    const abort = new AbortController();
    const refused = witness();
    const running = use("a", first);
    const waiting = errorOf(use("a", { signal: abort.signal, work: refused.work }));
    const next = use("a");
    await first.begun;
    abort.abort(new Error("not wanted any more"));
    first.letGo();
    expect(await waiting).toEqual(new Error("not wanted any more"));
    expect((await next).kernel).toBe("k1");
    await running;
    expect(refused.ran).toBe(false);
    expect(kernels.started).toHaveLength(1);
  });

  test("a call that was aborted while it waited is told at once", async () => {
    const { use } = setUp();
    const first = held();
    const abort = new AbortController();
    const running = use("a", first);
    await first.begun;
    const waiting = errorOf(use("a", { signal: abort.signal }));
    abort.abort(new Error("not wanted any more"));
    expect(await waiting).toEqual(new Error("not wanted any more"));
    first.letGo();
    await running;
  });

  test("a call aborted before it came starts no kernel", async () => {
    const { use, kernels } = setUp();
    const reason = new Error("never wanted");
    expect(await errorOf(use("a", { signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(kernels.asked).toEqual([]);
  });
});

describe("the limit of kernels", () => {
  test("the session that was not used for longest gives way, and is told at its next use", async () => {
    const { use, kernels } = setUp();
    for (const session of ["a", "b", "c", "d", "a", "e"]) await use(session);
    expect(kernels.alive).toEqual(["k1", "k3", "k4", "k5"]);
    const told = `The kernel was ended by omp: more than 4 kernels were in use. ${GONE}`;
    expect(await use("b")).toEqual({ kernel: "k6", lost: [told] });
    expect(await use("b")).toEqual({ kernel: "k6", lost: [] });
    expect(kernels.mostAtOnce).toBe(4);
  });

  test("a session that is at work does not give way", async () => {
    const { use, kernels } = setUp({ maxSessions: 2 });
    const first = held();
    const running = use("a", first);
    await first.begun;
    await use("b");
    await use("c");
    expect(kernels.alive).toEqual(["k1", "k3"]);
    first.letGo();
    await running;
  });

  test("when all are at work a new session waits for the first that ends", async () => {
    const { use, kernels } = setUp({ maxSessions: 2 });
    const [first, second] = [held(), held()];
    const running = [use("a", first), use("b", second)];
    await Promise.all([first.begun, second.begun]);
    const third = use("c");
    second.letGo();
    expect((await third).kernel).toBe("k3");
    expect(kernels.alive).toEqual(["k1", "k3"]);
    first.letGo();
    await Promise.all(running);
  });

  test("a call that waits for room and is aborted is told at once", async () => {
    const { use, kernels } = setUp({ maxSessions: 1 });
    const first = held();
    const running = use("a", first);
    await first.begun;
    const abort = new AbortController();
    const waiting = errorOf(use("b", { signal: abort.signal }));
    abort.abort(new Error("not wanted any more"));
    expect(await waiting).toEqual(new Error("not wanted any more"));
    first.letGo();
    await running;
    expect(kernels.started).toHaveLength(1);
  });

  test("many sessions that come at the same time stay within it, each with its call done", async () => {
    const { use, kernels, pool } = setUp();
    const calls = Array.from({ length: 20 }, (_, index) =>
      use(`s${index}`, { work: () => new Promise((resolve) => setImmediate(resolve)) }),
    );
    const ids = (await Promise.all(calls)).map(({ kernel }) => kernel);
    expect(new Set(ids).size).toBe(20);
    expect(kernels.mostAtOnce).toBe(4);
    expect(kernels.alive).toHaveLength(4);
    expect(pool.sessions).toHaveLength(4);
    await pool.close();
    expect(kernels.alive).toEqual([]);
  });

  test("a session about to be used is not taken for idle while room is made for another", async () => {
    const { use, kernels } = setUp({ maxSessions: 1 });
    await use("a");
    const gate = Promise.withResolvers<void>();
    kernels.shutdownGate = gate.promise;
    const calls = [use("b"), use("c")];
    gate.resolve();
    expect((await Promise.all(calls)).map(({ lost }) => lost)).toEqual([[], []]);
    expect(kernels.alive).toHaveLength(1);
  });
});

describe("idleness", () => {
  test("a kernel that nobody uses is given back, and its session is told", async () => {
    const { use, kernels, pool } = setUp({ idleMs: 20 });
    await use("a");
    await until("the idle kernel is gone", () => kernels.alive.length === 0);
    expect(pool.sessions).toEqual([]);
    const { kernel, lost } = await use("a");
    expect(kernel).toBe("k2");
    expect(lost).toHaveLength(1);
    expect(lost[0]).toMatch(/^The kernel was ended by omp: it was not used for .+\. A new one was started/);
  });

  test("one that holds something is told of when it goes", async () => {
    const lost: string[] = [];
    const { use, pool, kernels } = setUp({ idleMs: 20, onStateLost: (why) => lost.push(why) });
    await pool.look({ sessionId: "a", cwd: "/project", signal: new AbortController().signal }, async () => 1);
    await until("the unused kernel is gone", () => kernels.alive.length === 0);
    expect(lost).toEqual([]);
    expect(await use("a")).toEqual({ kernel: "k2", lost: [] });
    await until("the used one is gone", () => kernels.alive.length === 0);
    expect(lost).toEqual(["it was not used for 0.02 seconds"]);
  });

  test("one that holds something is kept, where that is asked for", async () => {
    const { use, pool, kernels } = setUp({ idleMs: 5, keepsState: true });
    const signal = new AbortController().signal;
    await use("a");
    await pool.look({ sessionId: "b", cwd: "/project", signal }, async () => 1);
    await until("the one that holds nothing is gone", () => kernels.alive.length === 1);
    expect(await use("a")).toEqual({ kernel: "k1", lost: [] });
  });

  test("a kernel at work is not idle, however long it takes", async () => {
    const { use, kernels } = setUp({ idleMs: 5 });
    await use("a");
    const first = held();
    const running = use("a", first);
    await first.begun;
    await use("b");
    await until("the other's is gone", () => kernels.alive.length === 1);
    expect(kernels.alive).toEqual(["k1"]);
    first.letGo();
    expect(await running).toEqual({ kernel: "k1", lost: [] });
    await until("it is gone as well, once unused", () => kernels.alive.length === 0);
  });

  test("a queued call keeps the kernel", async () => {
    const { use, kernels } = setUp({ idleMs: 5 });
    const [first, second] = [held(), held()];
    const running = [use("a", first), use("a", second)];
    first.letGo();
    await second.begun;
    await use("b");
    await until("the other's is gone", () => kernels.alive.length === 1);
    second.letGo();
    expect(await Promise.all(running)).toEqual([
      { kernel: "k1", lost: [] },
      { kernel: "k1", lost: [] },
    ]);
  });

  test("0 keeps kernels for ever", async () => {
    const { use, kernels } = setUp({ idleMs: 0 });
    await use("a");
    const timed = setUp({ idleMs: 5 });
    await timed.use("a");
    await until("a timer of another pool has run", () => timed.kernels.alive.length === 0);
    expect(kernels.alive).toEqual(["k1"]);
  });
});
