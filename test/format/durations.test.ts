import { expect, test } from "bun:test";
import {
  formatAge,
  formatDuration,
  formatElapsed,
  formatLimit,
  formatWait,
  secondsSince,
  spellDuration,
} from "../../src/format/durations.ts";

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];

test("durations have the precision that matters", () => {
  expect([0, 340.4, 2_000, 12_300, 184_000, 2 * HOUR + 5 * MINUTE].map(formatDuration)).toEqual([
    "0 ms",
    "340 ms",
    "2.0 s",
    "12 s",
    "3 min 4 s",
    "2 h 5 min",
  ]);
});

test("what still runs is shown in whole seconds, rounded down; a wait is rounded up", () => {
  expect([-5, 999, 2_999, 61_500].map(formatElapsed)).toEqual(["0 s", "0 s", "2 s", "1 min 1 s"]);
  expect([1, 2_000, 2_001].map(formatWait)).toEqual(["1 s", "2 s", "3 s"]);
});

test("limits are spelled in seconds", () => {
  expect([500, 1_000, 120_000].map(formatLimit)).toEqual(["0.5 seconds", "1 second", "120 seconds"]);
});

test("durations in words have at most two units", () => {
  const times = [0, 300, SECOND, 12_400, 65 * SECOND, MINUTE, DAY + 3 * HOUR + MINUTE, 2 * DAY + MINUTE];
  expect(times.map(spellDuration)).toEqual([
    "0 seconds",
    "0.3 seconds",
    "1 second",
    "12 seconds",
    "1 minute 5 seconds",
    "1 minute",
    "1 day 3 hours",
    "2 days",
  ]);
});

test("an age has one unit", () => {
  expect([0, 5 * MINUTE, 3 * HOUR, DAY, 3 * DAY].map(formatAge)).toEqual([
    "just now",
    "5 min ago",
    "3 h ago",
    "1 day ago",
    "3 days ago",
  ]);
});

test("seconds since a date are whole, never negative, and 0 for what is no date", () => {
  const [past, future] = [-90 * SECOND, HOUR].map((ms) => new Date(Date.now() + ms).toISOString());
  expect([past ?? "", future ?? "", "yesterday"].map(secondsSince)).toEqual([90, 0, 0]);
});
