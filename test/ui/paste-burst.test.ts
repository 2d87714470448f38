import { describe, expect, test } from "bun:test";
import { PasteBurst } from "../../src/ui/input/paste-burst.ts";
import { until } from "../support/until.ts";

function open() {
  const pasted: string[] = [];
  const burst = new PasteBurst((text) => pasted.push(text));
  const read = (input: string) => burst.take({ input, key: input === "\r" ? { return: true } : {} });
  return { burst, pasted, read };
}

describe("a paste that the terminal does not mark", () => {
  test("is several lines in one read, and what follows at once", async () => {
    const { pasted, read } = open();
    expect([read("one line\rtwo\r\nth"), read("ree"), read("\r"), read("four\r")]).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(pasted).toEqual([]);
    await until("the paste", () => pasted.length > 0);
    expect(pasted).toEqual(["one line\rtwo\r\nthree\rfour"]);
  });

  test("comes before the next key", () => {
    const { burst, pasted, read } = open();
    read("one line\ranother");
    expect(burst.take({ input: "", key: { leftArrow: true } })).toBe(false);
    burst.flush();
    expect([pasted, read("x")]).toEqual([["one line\ranother"], false]);
  });

  test("is no key, no line with its Enter, and nothing with other control characters", () => {
    const { pasted, read } = open();
    const typed = ["a", "\r", "go\r", "\r\r", "\rgo\r", "one\ntwo", "\x15one line\ranother", "日本"];
    expect(typed.map(read)).toEqual(typed.map(() => false));
    expect(pasted).toEqual([]);
  });

  test("is not what was typed within a second and arrives at once", () => {
    const { pasted, read } = open();
    expect(["ok\rgo", "y\rn\ry\r", "git diff\rnext"].map(read)).toEqual([false, false, false]);
    expect(pasted).toEqual([]);
  });
});
