import { describe, expect, test } from "bun:test";
import { isKnownSafe } from "../../../src/shell/safety/known-safe.ts";
import commands from "./known-safe.json";

const place = { home: "/home/ann", cwd: "/home/ann/project" };

describe("runs without a question", () => {
  test.each(commands.safe)("%j", (command) => {
    expect(isKnownSafe(command, place)).toBe(true);
  });
});

describe("asks", () => {
  test.each(commands.unsafe)("%j", (command) => {
    expect(isKnownSafe(command, place)).toBe(false);
  });
});
