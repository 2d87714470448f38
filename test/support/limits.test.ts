import { expect, test } from "bun:test";
import { loadFactor, TEST_LIMIT_MS, WAIT_LIMIT_MS } from "../../scripts/lib/test-limits.mjs";
import { temporaryPlace } from "./home.ts";
import { slow, waitLimitMs, withinLimit } from "./limits.ts";
import { openScreen } from "./screen.ts";
import { until } from "./until.ts";

const idle = { load: 0, cores: 8, workers: 6 };

test("the load factor is the given one, a generous one on CI, or that of the machine", () => {
  expect(loadFactor({ OMP_TEST_LOAD: "2.5", CI: "true" }, idle)).toBe(2.5);
  expect(loadFactor({ CI: "true" }, idle)).toBe(16);
  expect(loadFactor({}, idle)).toBe(1);
  expect(loadFactor({}, { ...idle, cores: 2, workers: 3 })).toBe(2);
  expect(loadFactor({}, { ...idle, cores: 2, workers: 3, load: 7.3 })).toBe(6);
  expect(loadFactor({}, { ...idle, cores: 1, load: 300 })).toBe(16);
  for (const bad of ["", "0", "-1", "fast", "Infinity"])
    expect(() => loadFactor({ OMP_TEST_LOAD: bad }, idle)).toThrow("must be a number above 0");
});

test("a wait ends well before its test does, and says what it waited for and what it found", async () => {
  const usual = waitLimitMs();
  expect(WAIT_LIMIT_MS).toBeLessThan(TEST_LIMIT_MS);
  const failure = until("the kettle boils", () => false, { limitMs: 20, instead: () => "cold water" });
  await expect(failure).rejects.toThrow(
    /^after [\d.]+ s still waiting until the kettle boils; found: "cold water"$/,
  );
  expect(slow(60, "for this test")).toBe(usual * 8);
  expect(waitLimitMs()).toBe(usual * 4);
});

test("what takes too long fails with its reason", async () => {
  const never = new Promise<void>(() => undefined);
  await expect(withinLimit(never, 10, () => "it is still raining")).rejects.toThrow(
    /^after [\d.]+ s it is still raining$/,
  );
  expect(await withinLimit(Promise.resolve(1), 10, () => "")).toBe(1);
});

test("a program that ends without showing what is waited for fails at once, with its screen", async () => {
  const screen = openScreen({ place: temporaryPlace(), argv: ["/bin/sh", "-c", "echo hello; echo there"] });
  await expect(screen.waitFor("goodbye")).rejects.toThrow(
    /^after [\d.]+ s the program ended without showing "goodbye"; the screen is:\n {2}│ hello\n {2}│ there$/,
  );
  expect(await screen.ended()).toBe(0);
});
