/** Of a printed table that is too long the model reads the column names and both ends; of all other text, the end. */

import { describe, expect, test } from "bun:test";
import { OutputSink } from "../../src/output/sink.ts";
import { modelTail } from "../../src/output/truncation.ts";

const rows = Array.from({ length: 6_000 }, (_, row) => ({
  index: String(row),
  name: `person ${row % 97}`,
  city: ["Paris", "New York", "São Paulo"][row % 3] ?? "",
  value: (row / 7).toFixed(3),
}));
type Row = (typeof rows)[number];

function capture(text: string, chunk = 5_000) {
  const sink = new OutputSink({ policy: modelTail });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunk) sink.write(bytes.subarray(at, at + chunk));
  const captured = sink.finish();
  return { ...captured, lines: captured.text.replace(/\n$/, "").split("\n") };
}

const table = (head: string[], row: (each: Row) => string, end: string[] = []) =>
  [...head, ...rows.map(row), ...end].join("\n").concat("\n");

const cells = ({ name, city, value }: Row, bar: string) =>
  `${bar} ${name.padEnd(9)} ${bar} ${city.padEnd(9)} ${bar} ${value.padStart(8)} ${bar}`;

/** As libraries and programs print them; the line of the names is the first with "name" in it. */
const printed: Readonly<Record<string, string>> = {
  "a data frame": table(
    ["        name       city     value"],
    ({ index, name, city, value }) =>
      `${index.padEnd(4)} ${name.padStart(9)}  ${city.padStart(9)}  ${value.padStart(8)}`,
  ),
  "a data frame without its index": table(
    ["     name      city    value"],
    ({ name, city, value }) => `${name.padStart(9)} ${city.padStart(9)} ${value.padStart(8)}`,
  ),
  "a data frame with a named index": table(
    ["                city     value", "name                          "],
    ({ name, city, value }) => `${name.padEnd(9)}  ${city.padStart(9)}  ${value.padStart(8)}`,
  ),
  "a frame of bars": table(
    [
      `+${"-".repeat(11)}+${"-".repeat(11)}+${"-".repeat(10)}+`,
      "| name      | city      |    value |",
      `|${"=".repeat(11)}+${"=".repeat(11)}+${"=".repeat(10)}|`,
    ],
    (row) => cells(row, "|"),
    [`+${"-".repeat(11)}+${"-".repeat(11)}+${"-".repeat(10)}+`],
  ),
  "a drawn frame": table(
    [
      `┏${"━".repeat(11)}┳${"━".repeat(11)}┳${"━".repeat(10)}┓`,
      "┃ name      ┃ city      ┃    value ┃",
      `┡${"━".repeat(11)}╇${"━".repeat(11)}╇${"━".repeat(10)}┩`,
    ],
    (row) => cells(row, "│"),
    [`└${"─".repeat(11)}┴${"─".repeat(11)}┴${"─".repeat(10)}┘`],
  ),
  "columns that are not filled up": table(
    ["   value  name       city", "--------  ---------  ---------"],
    ({ name, city, value }) => `${value.padStart(8)}  ${name.padEnd(9)}  ${city}`,
  ),
  "a file with commas": table(["name,city,value"], ({ name, city, value }) =>
    name === "person 5" ? `"Doe, J",${city},${value}` : `${name},${city},${value}`,
  ),
  "a file with tabs": table(["name\tcity\tvalue"], ({ name, city, value }) => `${name}\t${city}\t${value}`),
};

describe("keeps its column names and both ends, within the same limits:", () => {
  for (const [name, text] of Object.entries(printed)) {
    test(name, () => {
      const { lines, text: shown, notice, tableLines = 0, totalLines } = capture(text);
      const whole = text.replace(/\n$/, "").split("\n");
      const from = whole.indexOf(lines[0] ?? "");
      expect(from).toBeLessThanOrEqual(2);
      expect(lines.slice(0, 3).join("\n")).toContain("name");
      expect(lines.slice(0, tableLines - 1)).toEqual(whole.slice(from, from + tableLines - 1));
      const left = whole.length - lines.length + 1 - from;
      expect(lines[tableLines - 1]).toBe(`[… ${left.toLocaleString("en")} lines of the table left out …]`);
      expect(lines.slice(tableLines)).toEqual(whole.slice(from + tableLines - 1 + left));
      expect(notice).toBe(
        `[output cut: showing the first ${tableLines - 1} lines of a table and the last ${(lines.length - tableLines).toLocaleString("en")} of ${totalLines.toLocaleString("en")} lines, ${shown.length.toLocaleString("en")} characters of ${Buffer.byteLength(text).toLocaleString("en")} bytes]`,
      );
      expect(shown.length).toBeLessThanOrEqual(30_000);
      expect(shown.length).toBeGreaterThan(29_000);
    });
  }

  test("short rows, of which more than 2,000 lines would fit", () => {
    const { lines } = capture(`   a  b\n${rows.map(({ index }) => `${index.padEnd(4)}  1\n`).join("")}`);
    expect(lines).toHaveLength(2_000);
    expect(lines.slice(0, 2)).toEqual(["   a  b", "0     1"]);
    expect(lines.slice(20, 22)).toEqual(["[… 4,002 lines of the table left out …]", "4021  1"]);
    expect(lines.at(-1)).toBe("5999  1");
  });
});

test("what was printed before and after the table does not matter, nor in which pieces it came", () => {
  const frame = printed["a data frame"] ?? "";
  const text = `loading, please wait\n${"x".repeat(300)}\n\n${frame}\n[6000 rows x 3 columns]\ndone\n`;
  const once = capture(text);
  expect(once.lines.slice(0, 2)).toEqual([
    "        name       city     value",
    "0     person 0      Paris     0.000",
  ]);
  expect(once.lines.slice(-3)).toEqual(["", "[6000 rows x 3 columns]", "done"]);
  for (const chunk of [7, 16_384, 49_151, 1_000_000]) expect(capture(text, chunk)).toEqual(once);
});

test("of two tables with rows that look alike, it is the names of the one that is cut", () => {
  const frame = printed["a data frame"] ?? "";
  const { lines } = capture(
    `${frame}${frame.replace("name       city     value", "NAME       CITY     COSTS")}`,
  );
  expect(lines[0]).toBe("        NAME       CITY     COSTS");
});

test("a table whose end is all that fits, and text after a table, is shown like other text", () => {
  const frame = printed["a data frame"] ?? "";
  const { text } = capture(`${frame}\n${"a line of the log\n".repeat(1_650)}`);
  expect(text).toStartWith("59");
  expect(capture(`${frame}\n${"a line of the log\n".repeat(3_000)}`).tableLines).toBeUndefined();
});

describe("is shown by its end alone:", () => {
  const lines = (line: (number: number) => string) =>
    Array.from({ length: 6_000 }, (_, number) => line(number)).join("\n");
  const others: Readonly<Record<string, string>> = {
    numbers: lines(String),
    "a log": lines(
      (number) => `2024-01-01 12:00:00,123 INFO step ${String(number).padStart(5, "0")} is done`,
    ),
    "the progress of a run": `Starting the run\n${lines((number) => `epoch ${number}  loss ${1 / (number + 1)}`)}`,
    JSON: lines((number) => `  {\n    "a": ${number},\n    "b": "x, y"\n  },`),
    source: lines((number) => `def f${number}(a, b):\n    return a + b, ${number}\n`),
    prose: lines(
      (number) => `It was, as ${number} others said, a dark night.${" And stormy.".repeat(number % 5)}`,
    ),
    "lines without columns": `names\n${lines((number) => `word${number}`)}`,
  };
  for (const [name, text] of Object.entries(others)) {
    test(name, () => {
      const { text: shown, tableLines } = capture(text);
      expect(tableLines).toBeUndefined();
      expect(text).toEndWith(shown);
    });
  }
});
