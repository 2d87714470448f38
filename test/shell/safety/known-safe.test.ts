import { describe, expect, test } from "bun:test";
import { isKnownSafe } from "../../../src/shell/safety/known-safe.ts";
import commands from "./known-safe.json";

describe("runs without a question", () => {
  test.each(commands.safe)("%j", async (command) => {
    expect(await isKnownSafe(command)).toBe(true);
  });
});

describe("asks", () => {
  test.each(commands.unsafe)("%j", async (command) => {
    expect(await isKnownSafe(command)).toBe(false);
  });
});
