import { describe, expect, test } from "bun:test";
import { onAbort, unlessAborted, untilAborted } from "../../src/async/abort.ts";
import { sleep } from "../../src/async/sleep.ts";

const reason = new Error("stopped");

describe("onAbort", () => {
  test("calls the listener once when the signal aborts", () => {
    const controller = new AbortController();
    let calls = 0;
    onAbort(controller.signal, () => (calls += 1));
    expect(calls).toBe(0);
    controller.abort();
    controller.abort();
    expect(calls).toBe(1);
  });

  test("calls the listener at once when the signal has already aborted", () => {
    let calls = 0;
    onAbort(AbortSignal.abort(), () => (calls += 1));
    expect(calls).toBe(1);
  });

  test("does not call a listener that stopped listening", () => {
    const controller = new AbortController();
    let calls = 0;
    const stopListening = onAbort(controller.signal, () => (calls += 1));
    stopListening();
    controller.abort();
    expect(calls).toBe(0);
  });

  test("does nothing without a signal", () => {
    const stopListening = onAbort(undefined, () => expect.unreachable());
    stopListening();
  });
});

describe("unlessAborted", () => {
  test("gives the value of a promise that resolves first", async () => {
    expect(await unlessAborted(Promise.resolve(3), new AbortController().signal)).toBe(3);
  });

  test("throws what the promise throws", async () => {
    const failed = Promise.reject(new Error("failed"));
    expect(unlessAborted(failed, new AbortController().signal)).rejects.toThrow("failed");
  });

  test("throws the signal's reason, and hands a late value over", async () => {
    const controller = new AbortController();
    const late = Promise.withResolvers<number>();
    const handedOver = Promise.withResolvers<number>();
    const waiting = unlessAborted(late.promise, controller.signal, handedOver.resolve);
    controller.abort(reason);
    expect(await waiting.catch((error: unknown) => error)).toBe(reason);
    late.resolve(4);
    expect(await handedOver.promise).toBe(4);
  });

  test("a late failure is no unhandled rejection", async () => {
    const late = Promise.withResolvers<number>();
    const waiting = unlessAborted(late.promise, AbortSignal.abort(reason));
    expect(await waiting.catch((error: unknown) => error)).toBe(reason);
    late.reject(new Error("too late to matter"));
    await Bun.sleep(0);
  });
});

describe("untilAborted", () => {
  test("ends with the promise or with the signal, whichever is first", async () => {
    const never = new Promise<void>(() => undefined);
    await untilAborted(Promise.resolve(), new AbortController().signal);
    await untilAborted(never, AbortSignal.abort(reason));
    await untilAborted(Promise.resolve(), undefined);
    const controller = new AbortController();
    const waiting = untilAborted(never, controller.signal);
    controller.abort(reason);
    await waiting;
  });

  test("throws what the promise throws", () => {
    expect(untilAborted(Promise.reject(new Error("failed")), undefined)).rejects.toThrow("failed");
  });
});

describe("sleep", () => {
  test("ends after its time", async () => {
    await sleep(1, new AbortController().signal);
  });

  test("ends as soon as the signal aborts", async () => {
    const controller = new AbortController();
    const sleeping = sleep(2 ** 30, controller.signal);
    controller.abort(reason);
    await sleeping;
    await sleep(2 ** 30, controller.signal);
  });
});
