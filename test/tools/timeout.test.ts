import { expect, test } from "bun:test";
import * as z from "zod";
import {
  chooseTimeout,
  countField,
  flagField,
  type TimeoutRange,
  timeoutField,
} from "../../src/tools/fields.ts";

const seconds: TimeoutRange = { unit: "seconds", min: 1, max: 600, fallback: 30 };
const milliseconds: TimeoutRange = { unit: "milliseconds", min: 1000, max: 600_000, fallback: 120_000 };

test("a schema shows the model the range and the default", () => {
  const input = z.object({
    timeout: timeoutField(seconds),
    limit: countField(1, { fallback: 5 }),
    all: flagField("All."),
  });
  expect(z.toJSONSchema(input, { io: "input" })["properties"]).toEqual({
    timeout: { type: "number", description: "Time limit in seconds.", minimum: 1, maximum: 600, default: 30 },
    limit: { type: "number", minimum: 1, default: 5 },
    all: { type: "boolean", description: "All.", default: false },
  });
  // Only shown: what is out of range is clamped later, and nothing is filled in here.
  expect(input.parse({ timeout: 9000 })).toEqual({ timeout: 9000 });
});

test("a number in range is taken as it is, none means the default", () => {
  expect(chooseTimeout(undefined, seconds)).toEqual({ milliseconds: 30_000, seconds: 30, remark: undefined });
  expect(chooseTimeout(1, seconds)).toEqual({ milliseconds: 1000, seconds: 1, remark: undefined });
  expect(chooseTimeout(1.5, seconds)).toEqual({ milliseconds: 1500, seconds: 1.5, remark: undefined });
  expect(chooseTimeout(2000, milliseconds)).toEqual({ milliseconds: 2000, seconds: 2, remark: undefined });
});

test("a number out of range is clamped, and the result says so", () => {
  expect(chooseTimeout(0, seconds)).toEqual({
    milliseconds: 1000,
    seconds: 1,
    remark: "timeout 0 is outside 1 to 600 seconds; 1 was used",
  });
  expect(chooseTimeout(-3, seconds).seconds).toBe(1);
  expect(chooseTimeout(900, seconds)).toEqual({
    milliseconds: 600_000,
    seconds: 600,
    remark: "timeout 900 is outside 1 to 600 seconds; 600 was used",
  });
  expect(chooseTimeout(30, milliseconds)).toEqual({
    milliseconds: 1000,
    seconds: 1,
    remark: "timeout 30 is outside 1000 to 600000 milliseconds; 1000 was used",
  });
});
