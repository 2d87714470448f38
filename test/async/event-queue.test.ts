import { expect, test } from "bun:test";
import { EventQueue } from "../../src/async/event-queue.ts";
import { once } from "../../src/async/once.ts";

test("events arrive in order, also those pushed while the consumer waits", async () => {
  const queue = new EventQueue<number>();
  queue.push(1);
  const received: number[] = [];
  const consumed = (async () => {
    for await (const event of queue) {
      received.push(event);
      if (event === 1) queueMicrotask(() => queue.push(2));
      if (event === 2) queue.push(3);
      if (event === 3) queueMicrotask(() => queue.end());
    }
  })();
  await consumed;
  expect(received).toEqual([1, 2, 3]);
});

test("events pushed before the end are delivered after it", async () => {
  const queue = new EventQueue<string>();
  queue.push("a");
  queue.push("b");
  queue.end();
  expect(await Array.fromAsync(queue)).toEqual(["a", "b"]);
});

test("once makes its value with the first use, and only once", () => {
  let made = 0;
  const value = once(() => {
    made += 1;
    return undefined;
  });
  expect(value.made).toBeUndefined();
  expect(made).toBe(0);
  value.get();
  value.get();
  expect(made).toBe(1);
});

test("once says what it made", () => {
  const value = once(() => "text");
  expect([value.made, value.get(), value.made]).toEqual([undefined, "text", "text"]);
});
