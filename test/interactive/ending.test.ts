import { afterEach, expect, test } from "bun:test";
import { Ending } from "../../src/interactive/ending.ts";
import { until } from "../support/until.ts";

let ending: Ending;
afterEach(() => ending.release());

/** Its exit code, once it has one. */
function watched(): { readonly code: number | undefined } {
  const seen: { code: number | undefined } = { code: undefined };
  ending = new Ending();
  void ending.reached.then((code) => {
    seen.code = code;
  });
  return seen;
}

/** As the handlers are called; the process itself is not interrupted. */
async function interrupted(): Promise<void> {
  process.emit("SIGINT");
  await Promise.resolve();
}

test("a Ctrl+C is not omp's while somebody else has the terminal, nor when it is heard just after", async () => {
  const seen = watched();
  await ending.whileLent(interrupted);
  await interrupted();
  expect(seen.code).toBeUndefined();
});

test("and is omp's again after that", async () => {
  const seen = watched();
  await ending.whileLent(async () => undefined);
  expect(
    await until("an interrupt ends it", () => {
      process.emit("SIGINT");
      return seen.code;
    }),
  ).toBe(130);
});

test("other signals are omp's all the time", async () => {
  const seen = watched();
  await ending.whileLent(async () => {
    process.emit("SIGTERM");
    await Promise.resolve();
  });
  expect(seen.code).toBe(143);
});
