import { expect, test } from "bun:test";
import { onAbort } from "../../src/async/abort.ts";
import { TimeLimit } from "../../src/async/time-limit.ts";

function over({ signal }: TimeLimit): Promise<void> {
  return new Promise((resolve) => onAbort(signal, resolve));
}

test("a limit is over when its time is", async () => {
  await over(new TimeLimit(1));
});

test("no time passes while it is held, by one or by several", async () => {
  const limit = new TimeLimit(1);
  const [first, second] = [limit.hold(), limit.hold()];
  await over(new TimeLimit(20));
  expect(limit.signal.aborted).toBe(false);
  first();
  first();
  await over(new TimeLimit(20));
  expect(limit.signal.aborted).toBe(false);
  second();
  await over(limit);
});

test("one that is stopped is never over", async () => {
  const limit = new TimeLimit(1);
  const release = limit.hold();
  limit.stop();
  release();
  await over(new TimeLimit(20));
  expect(limit.signal.aborted).toBe(false);
});
