import { afterAll, beforeAll, expect, test } from "bun:test";
import { KernelPool } from "../../../src/kernel/pool/pool.ts";
import type { VariablesRestored } from "../../../src/protocol/time.ts";
import { localKernels, runCell } from "../../support/kernels.ts";
import { describeWithPython, testPython } from "../../support/python.ts";
import { until } from "../../support/until.ts";
import { processesLeft } from "../local/left-behind.ts";
import { held, setUp } from "./pool-calls.ts";

const signal = new AbortController().signal;
const LIMITS = { count: 3, bytes: 1 << 30 };

describeWithPython(testPython, "the past of a session's kernel", () => {
  let pool: KernelPool;
  let home: string;
  let sessions = 0;
  beforeAll(() => {
    const made = localKernels({ useForkServer: true, forksFirst: true }, { lasts: "file" });
    home = made.home;
    pool = new KernelPool({
      host: made.kernels,
      mode: "session",
      idleMs: 0,
      maxSessions: 20,
      checkpoints: LIMITS,
    });
  });
  afterAll(() => pool.close());

  function newSession() {
    sessions += 1;
    const session = { sessionId: `s${sessions}`, cwd: home };
    const history = pool.history(session);
    return {
      session,
      history,
      run: (code: string) =>
        pool.use({ ...session, reset: false, signal }, async ({ kernel, stateLost }) => {
          const { value, stdout, error, evalue } = await runCell(kernel, code);
          if (error !== undefined) throw new Error(`${error}: ${evalue}`);
          return { shown: value ?? stdout, stateLost };
        }),
      keep: async () => {
        const outcome = await history.checkpoint(signal);
        if (outcome.kind !== "kept") throw new Error(JSON.stringify(outcome));
        return outcome.checkpoint.id;
      },
    };
  }

  test("is empty before the first cell, and one checkpoint as long as no code runs", async () => {
    const { history, run, keep } = newSession();
    expect(await history.checkpoint(signal)).toEqual({ kind: "empty" });
    expect(await history.restore(undefined, signal)).toEqual({
      kind: "restored",
      undo: { kind: "empty" },
      notHeld: [],
    });
    expect(await history.changesSince(undefined, signal)).toEqual({
      added: [],
      removed: [],
      changed: [],
      unknown: [],
    });
    await run("x = 1");
    expect(await history.changesSince(undefined, signal)).toMatchObject({ added: ["x"], removed: [] });
    const id = await keep();
    expect(await keep()).toBe(id);
    expect(history.find(id) !== undefined).toBe(true);
    await run("pass");
    expect(await keep()).not.toBe(id);
  });

  test("tells what has changed, brings it back without a word of lost state, and can be undone", async () => {
    const { history, run, keep } = newSession();
    await run("import threading\na = [1]\nb = 'same'\ngone = 3\nlock = threading.Lock()");
    const id = await keep();
    expect(await history.changesSince(id, signal)).toEqual({
      added: [],
      removed: [],
      changed: [],
      unknown: [],
    });
    await run("a.append(2)\ndel gone\nnew = 4");
    expect(await history.changesSince(id, signal)).toEqual({
      added: ["new"],
      removed: ["gone"],
      changed: ["a"],
      unknown: ["lock"],
    });
    const restored = await history.restore(id, signal);
    expect(await run("(a, gone, 'new' in globals())")).toEqual({
      shown: "([1], 3, False)",
      stateLost: [],
    });
    expect(await history.restore(undoOf(restored), signal)).toMatchObject({ kind: "restored" });
    expect(await run("(a, new, 'gone' in globals())")).toEqual({
      shown: "([1, 2], 4, False)",
      stateLost: [],
    });
    expect(await history.restore(undefined, signal)).toMatchObject({ kind: "restored" });
    expect(await run("'a' in globals()")).toEqual({ shown: "False", stateLost: [] });
  });

  test("outlives a kernel that died; the oldest goes first", async () => {
    const { history, run, keep } = newSession();
    const ids: string[] = [];
    for (const value of [1, 2, 3, 4]) {
      await run(`value = ${value}`);
      ids.push(await keep());
    }
    expect(ids.map((id) => history.find(id) !== undefined)).toEqual([false, true, true, true]);
    await expect(run("import os; os._exit(3)")).rejects.toThrow("exited with code 3");
    expect(await history.restore(ids[0], signal)).toEqual({
      kind: "impossible",
      reason: "that state is no longer kept",
    });
    expect(await history.restore(ids[1], signal)).toMatchObject({
      kind: "restored",
      undo: { kind: "impossible", reason: "the kernel had ended" },
    });
    expect(await run("value")).toEqual({ shown: "2", stateLost: [] });
  });

  test("leaves a kernel alone that has run nothing since: its threads go on", async () => {
    const { history, run, keep, session } = newSession();
    await run(
      "import threading\nstop = threading.Event()\nt = threading.Thread(target=stop.wait, daemon=True, name='Worker')\nt.start()",
    );
    const id = await keep();
    expect(history.find(id)).toMatchObject({ id, notHeld: ["the thread Worker"] });
    const before = pool.sessionOf(session)?.kernel;
    expect(await history.restore(id, signal)).toMatchObject({
      undo: { kind: "kept", checkpoint: { id } },
      notHeld: [],
    });
    expect(pool.sessionOf(session)?.kernel).toBe(before);
    expect(await run("t.is_alive()")).toMatchObject({ shown: "True" });
    expect(await history.restore(id, signal)).toMatchObject({ notHeld: ["the thread Worker"] });
    expect(await run("t.is_alive()")).toMatchObject({ shown: "False" });
  });

  test("is not made while code runs", async () => {
    const { history, run, session } = newSession();
    await run("x = 1");
    const { work, begun, letGo } = held();
    const running = pool.use({ ...session, reset: false, signal }, work);
    await begun;
    expect(await history.checkpoint(signal)).toEqual({
      kind: "impossible",
      reason: "code is running in the kernel",
    });
    letGo();
    await running;
  });

  test("is not kept where python.checkpoints is 0, and branches are made all the same", async () => {
    const made = localKernels({ useForkServer: true, forksFirst: true });
    await using none = new ClosedPool({
      host: made.kernels,
      mode: "session",
      idleMs: 0,
      maxSessions: 1,
      checkpoints: { count: 0, bytes: 1 << 30 },
    });
    const session = { sessionId: "s", cwd: made.home };
    const run = (code: string, branch?: string) =>
      none.pool.use(
        { ...session, reset: false, signal, branch },
        async ({ kernel }) => (await runCell(kernel, code)).value,
      );
    await run("x = 1");
    expect(await none.pool.history(session).checkpoint(signal)).toEqual({
      kind: "impossible",
      reason: "the setting python.checkpoints is 0",
    });
    expect(await run("x += 1; x", "two")).toBe("2");
    expect(await run("x")).toBe("1");
    // The fork server, the kernel, its branch: what that was woken from has ended.
    await until("nothing is parked", () => processesLeft(made).length === 3);
    await none.pool.branches(session).keep("two", signal);
    expect(await run("x")).toBe("2");
    await until("the kernel before has ended", () => processesLeft(made).length === 2);
  });

  test("gives up the oldest when they hold too much memory", async () => {
    const made = localKernels({ useForkServer: true, forksFirst: true });
    await using small = new ClosedPool({
      host: made.kernels,
      mode: "session",
      idleMs: 0,
      maxSessions: 1,
      checkpoints: { count: 20, bytes: 100 << 20 },
    });
    const session = { sessionId: "s", cwd: made.home };
    const ids: string[] = [];
    for (let prompt = 0; prompt < 5; prompt += 1) {
      await small.pool.use({ ...session, reset: false, signal }, async ({ kernel }) => {
        await runCell(kernel, `data = b'${prompt}' * (40 << 20)`);
      });
      const kept = await small.pool.history(session).checkpoint(signal);
      if (kept.kind === "kept") ids.push(kept.checkpoint.id);
    }
    const history = small.pool.history(session);
    await until("the oldest are gone", () => ids.filter((id) => history.find(id) !== undefined).length <= 3);
    expect(history.find(ids.at(-1) ?? "") !== undefined).toBe(true);
    expect(history.find(ids[0] ?? "") !== undefined).toBe(false);
  });
});

function undoOf(restored: VariablesRestored): string {
  if (restored.kind === "restored" && restored.undo.kind === "kept") return restored.undo.checkpoint.id;
  throw new Error(JSON.stringify(restored));
}

class ClosedPool {
  readonly pool: KernelPool;
  constructor(options: ConstructorParameters<typeof KernelPool>[0]) {
    this.pool = new KernelPool(options);
  }
  async [Symbol.asyncDispose](): Promise<void> {
    await this.pool.close();
  }
}

test("kernels that cannot be copied say so", async () => {
  const { pool, use } = setUp({ checkpoints: LIMITS });
  const history = pool.history({ sessionId: "a", cwd: "/project" });
  await use("a");
  expect(await history.checkpoint(signal)).toEqual({
    kind: "impossible",
    reason: "omp did not start this kernel",
  });
  expect(await history.restore("unknown", signal)).toEqual({
    kind: "impossible",
    reason: "that state is no longer kept",
  });
  // An empty one instead could not be undone.
  expect(await history.restore(undefined, signal)).toEqual({
    kind: "impossible",
    reason: "the present ones cannot be kept: omp did not start this kernel",
  });
  const existing = setUp({ isBorrowed: true, checkpoints: LIMITS });
  expect(await existing.pool.history({ sessionId: "a", cwd: "/" }).checkpoint(signal)).toEqual({
    kind: "impossible",
    reason: "omp did not start this kernel",
  });
  const perCall = setUp({ mode: "per-call", checkpoints: LIMITS });
  expect(await perCall.pool.history({ sessionId: "a", cwd: "/" }).checkpoint(signal)).toEqual({
    kind: "impossible",
    reason: "no kernel outlives a call",
  });
});
