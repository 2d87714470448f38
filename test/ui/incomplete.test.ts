import { describe, expect, test } from "bun:test";
import { isIncompletePython } from "../../src/ui/input/incomplete.ts";

describe("Python that wants another line", () => {
  test.each([
    "for i in range(3):",
    "for i in range(3):  # count",
    "for i in range(3):\n    print(i)",
    "f(1,\n  2,",
    "x = [",
    'text = """one',
    "text = '''one\ntwo",
    "total = 1 + \\",
    "if x: # (",
  ])("%j", (code) => expect(isIncompletePython(code)).toBe(true));
});

describe("Python that is whole", () => {
  test.each([
    "",
    "1 + 1",
    "x = {'a': 1}",
    "for i in range(3):\n    print(i)\n",
    "if x: print(x)",
    "print('not a block:')",
    'text = """one\ntwo"""',
    "f(1,\n  2)",
    "x = ')' # (",
    "a = 1\nb = 2",
    "%timeit x",
  ])("%j", (code) => expect(isIncompletePython(code)).toBe(false));
});
