import { describe, expect, test } from "bun:test";
import { startFailed } from "./fake-kernels.ts";
import { errorOf, GONE, held, setUp } from "./pool-calls.ts";

const place = { sessionId: "a", cwd: "/project", signal: new AbortController().signal };

describe("a look at the kernel", () => {
  test("starts it when there is none, and gets the one that code runs in", async () => {
    const { pool, use } = setUp();
    expect(await pool.look(place, async ({ id }) => id)).toEqual({ kind: "answer", value: "k1" });
    expect(await use("a")).toEqual({ kernel: "k1", lost: [] });
  });

  test("is refused at once while code runs", async () => {
    const { pool, use } = setUp();
    const { work, begun, letGo } = held();
    const call = use("a", { work });
    await begun;
    expect(await pool.look(place, async ({ id }) => id)).toEqual({ kind: "busy" });
    letGo();
    await call;
    expect(await pool.look(place, async ({ id }) => id)).toEqual({ kind: "answer", value: "k1" });
  });

  test("waits for a start that another look has begun", async () => {
    const { pool, kernels } = setUp();
    const gate = Promise.withResolvers<void>();
    kernels.starts.push(gate.promise);
    const looks = [pool.look(place, async ({ id }) => id), pool.look(place, async ({ id }) => id)];
    gate.resolve();
    expect(await Promise.all(looks)).toEqual([
      { kind: "answer", value: "k1" },
      { kind: "answer", value: "k1" },
    ]);
  });

  test("leaves it to the next code to be told that state was lost", async () => {
    const { pool, use, kernels } = setUp();
    await use("a");
    kernels.started[0]?.die("killed by SIGKILL");
    expect(await pool.look(place, async ({ id }) => id)).toEqual({ kind: "answer", value: "k2" });
    const { lost } = await use("a");
    expect(lost).toEqual([`The kernel died between two calls: killed by SIGKILL. ${GONE}`]);
  });

  test("finds nothing where each call has a kernel of its own", async () => {
    const { pool, kernels } = setUp({ mode: "per-call" });
    expect(await pool.look(place, async ({ id }) => id)).toEqual({ kind: "none" });
    expect(kernels.started).toEqual([]);
  });
});

describe("how the kernel stands", () => {
  function watched() {
    const seen: string[] = [];
    return { ...setUp({ onActivity: (activity) => seen.push(activity) }), seen };
  }

  test("is told from its start to its end", async () => {
    const { pool, use, seen } = watched();
    await pool.look(place, async () => undefined);
    expect(seen).toEqual(["starting", "idle"]);
    await use("a");
    await pool.close();
    expect(seen).toEqual(["starting", "idle", "busy", "idle", "none"]);
  });

  test("is dead as soon as it died, and until there is another", async () => {
    const { use, kernels, seen } = watched();
    await use("a");
    seen.length = 0;
    kernels.started[0]?.die("killed by SIGKILL");
    await kernels.started[0]?.exited;
    expect(seen).toEqual(["dead"]);
    await use("a");
    expect(seen).toEqual(["dead", "none", "starting", "idle", "busy", "idle"]);
  });

  test("is dead when it could not be started", async () => {
    const { use, kernels, seen } = watched();
    kernels.starts.push(startFailed);
    expect(await errorOf(use("a"))).toBe(startFailed);
    expect(seen).toEqual(["starting", "dead"]);
  });
});
