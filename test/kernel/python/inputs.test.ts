/** `omp.inputs.<name>` as Python code sees it, on files of several encodings and forms. */

import { expect, test } from "bun:test";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { kindOf } from "../../../src/app/input-kind.ts";
import { temporaryDirectory } from "../../support/home.ts";
import { checkout } from "../../support/omp.ts";
import { describeWithPython, testPython } from "../../support/python.ts";

/** Without a kernel: only what omp answers is left out. */
const LOAD = `
import json, sys, types
calls = types.ModuleType("_omp.calls")
calls.ToolError = RuntimeError
calls.calls = None
sys.modules["_omp"] = types.ModuleType("_omp")
sys.modules["_omp.calls"] = calls
module = {"__name__": "_omp.inputs"}
exec(open(sys.argv[1]).read(), module)
x = module["Input"](json.loads(sys.argv[2]))
print(json.dumps(eval(sys.argv[3])))
`;

function evaluate(data: string | Uint8Array, expression: string): unknown {
  const bytes = typeof data === "string" ? Buffer.from(data) : data;
  const path = join(temporaryDirectory(), "data");
  writeFileSync(path, bytes);
  const found = {
    ...{ name: "stdin", path, bytes: bytes.length, lines: null },
    ...kindOf({ head: bytes, tail: bytes }),
    changed: String(statSync(path, { bigint: true }).mtimeNs),
  };
  const source = join(checkout, "src/kernel/python/inputs.py");
  const run = Bun.spawnSync([testPython.path, "-c", LOAD, source, JSON.stringify(found), expression]);
  expect(run.stderr.toString()).toBe("");
  return JSON.parse(run.stdout.toString());
}

describeWithPython(testPython, "an input", () => {
  const utf16 = Buffer.from("\ufeffone\r\ntwo é\r\nthree", "utf16le");

  test.each<[string, string | Uint8Array, string, unknown]>([
    ["lines without their ends", "a\r\nb\n\nc", "list(x)", ["a", "b", "", "c"]],
    [
      "a byte order mark is no part of it",
      "\ufeffa\nb",
      "[x.text(), x.head(1), x.tail(2)]",
      ["a\nb", "a\n", "a\nb"],
    ],
    [
      "UTF-16",
      utf16,
      "[list(x), x.tail(2), 'é' in x, x.grep('^t')]",
      [
        ["one", "two é", "three"],
        "two é\nthree",
        true,
        [
          [2, "two é"],
          [3, "three"],
        ],
      ],
    ],
    ["what is not UTF-8", Buffer.from("K\xf6ln", "latin1"), "str(x)", "K\ufffdln"],
    ["JSON", '{"a": [1, 2]}', "x.json()", { a: [1, 2] }],
    ["JSON Lines", '{"a": 1}\n\n{"a": 2}\n', "x.json()", [{ a: 1 }, { a: 2 }]],
    [
      "bytes",
      Buffer.from([0, 1, 255]),
      "[x.open('rb').read().hex(), b'\\x01' in x, b'\\x02' in x]",
      ["0001ff", true, false],
    ],
    ["few lines", "a\nb\n", "[x.head(0), x.tail(0), x.head(9), x.tail(9)]", ["", "", "a\nb\n", "a\nb\n"]],
    [
      "several matches in a line",
      "aa a\nb\na",
      "[x.grep('a'), x.grep('a', limit=1), x.grep('(?i)B')]",
      [
        [
          [1, "aa a"],
          [3, "a"],
        ],
        [[1, "aa a"]],
        [[2, "b"]],
      ],
    ],
    ["nothing", "", "[list(x), x.text(), x.tail(), x.grep('x'), 'x' in x]", [[], "", "", [], false]],
  ])("%s", (_, data, expression, expected) => {
    expect(evaluate(data, expression)).toEqual(expected);
  });

  test("a needle across the blocks that are read is found, and its line has its number", () => {
    const before = "0123456789\n".repeat(95_000);
    const data = `${before}${"x".repeat(1_048_576 - before.length - 3)}needle here\nlast\n`;
    expect(evaluate(data, "['needle' in x, 'needles' in x, [n for n, _ in x.grep('needle|last')]]")).toEqual([
      true,
      false,
      [95_001, 95_002],
    ]);
    expect(evaluate("z".repeat(3_000_000), "[len(x.grep('z')[0][1]), len(x.tail(1)), 'zy' in x]")).toEqual([
      3_000_000,
      3_000_000,
      false,
    ]);
  });
});
