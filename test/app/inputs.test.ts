/** Large inputs: what kind they are, how cells call them, and how long they are kept. */

import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { kindOf } from "../../src/app/input-kind.ts";
import { inputName } from "../../src/app/input-name.ts";
import { StreamSampler } from "../../src/app/input-sample.ts";
import { SessionInputs } from "../../src/app/inputs.ts";
import { temporaryDirectory } from "../support/home.ts";

const kind = (data: string | Uint8Array) => {
  const bytes = typeof data === "string" ? Buffer.from(data) : data;
  return kindOf({ head: bytes.subarray(0, 65_536), tail: bytes.subarray(-65_536) });
};

test.each([
  ["one line of a log\nand another\n", "text"],
  ["a, b and c\nd\n", "text"],
  ["2026-01-01 10:00:00,123 started\n2026-01-01 10:00:01,456 failed\n", "text"],
  ['{"a": 1}\n{"a": 2}\n', "JSON Lines"],
  ['[\n  {"a": 1},\n  {"a": 2}\n]\n', "JSON"],
  ["a,b,c\r\n1,2,3\r\n", "CSV with 3 columns"],
  ['name;place\n"a;b";c\n', "CSV (;) with 2 columns"],
  ["a\tb\n1\t2\n", "TSV with 2 columns"],
  ["<?xml version='1.0'?>\n<a/>\n", "XML"],
  ["<!DOCTYPE html>\n<p>", "HTML"],
  ["\x1b[31mred\x1b[0m\n", "text"],
])("%j is %s", (data, expected) => {
  expect(kind(data)).toEqual({ kind: expected, encoding: "utf-8" });
});

test("what is not text has no encoding, and old encodings are text", () => {
  expect(kind(Buffer.from([0x1f, 0x8b, 8, 0, 0]))).toEqual({ kind: "application/gzip", encoding: undefined });
  expect(kind(Buffer.from([1, 2, 0, 9]))).toEqual({ kind: "application/octet-stream", encoding: undefined });
  expect(kind(Buffer.from("Gr\xfc\xdfe aus K\xf6ln", "latin1"))).toEqual({ kind: "text", encoding: "utf-8" });
  expect(kind(Buffer.from("\ufeffhi", "utf16le"))).toEqual({
    kind: "text (utf-16le)",
    encoding: "utf-16le",
  });
});

test("lines are counted however the stream is cut, with the last one's end or without", () => {
  for (const [text, lines] of [
    ["a\nb\n", 2],
    ["a\nb", 2],
    ["\n", 1],
  ] as const)
    for (const size of [1, 2, 3]) {
      const sampler = new StreamSampler();
      for (let at = 0; at < text.length; at += size) sampler.take(Buffer.from(text.slice(at, at + size)));
      expect(sampler.facts).toMatchObject({ bytes: text.length, lines });
    }
});

test.each([
  ["data.csv", "data_csv"],
  ["2024 sales (final).csv", "file_2024_sales_final_csv"],
  ["__init__.py", "init_py"],
  ["größe.txt", "größe_txt"],
  ["class", "class_"],
  ["…", "file"],
  [`${"x".repeat(200)}.log`, "x".repeat(60)],
])("cells call the file %j omp.inputs.%s", (file, name) => {
  expect(inputName(file)).toBe(name);
});

test("two files of the same name have two names, and the same file keeps its own", () => {
  const root = temporaryDirectory();
  for (const directory of ["a", "b"]) mkdirSync(join(root, directory));
  writeFileSync(join(root, "a", "x.log"), "a");
  writeFileSync(join(root, "b", "x.log"), "b");
  const inputs = new SessionInputs(join(root, "inputs"), { maxTotalBytes: 1e9, maxAgeMs: 1e9 });
  const names = ["a", "b", "a"].map((directory) => inputs.nameFile(join(root, directory, "x.log")).name);
  expect(names).toEqual(["x_log", "x_log_2", "x_log"]);
  expect([inputs.keepPaste("1").name, inputs.keepPaste("2").name]).toEqual(["paste_1", "paste_2"]);
});

test("old inputs go, then the oldest over the limit, and never those of a running omp", () => {
  const root = temporaryDirectory();
  const session = (name: string, { pid, days, bytes }: Record<"pid" | "days" | "bytes", number>) => {
    mkdirSync(join(root, name));
    const time = new Date(Date.now() - days * 86_400_000);
    for (const [file, text] of [
      ["stdin", "x".repeat(bytes)],
      ["inputs.json", JSON.stringify({ pid, inputs: [] })],
    ] as const) {
      writeFileSync(join(root, name, file), text);
      utimesSync(join(root, name, file), time, time);
    }
  };
  const gone = 2 ** 22 + 1;
  session("ancient", { pid: gone, days: 20, bytes: 10 });
  session("older", { pid: gone, days: 3, bytes: 600 });
  session("newer", { pid: gone, days: 2, bytes: 600 });
  session("running", { pid: process.pid, days: 30, bytes: 10 });
  session("run-killed", { pid: gone, days: 0, bytes: 10 });
  const inputs = new SessionInputs(root, { maxTotalBytes: 1_000, maxAgeMs: 14 * 86_400_000 });
  inputs.belongTo("mine");
  inputs.keepPaste("text");
  expect(readdirSync(root).sort()).toEqual(["mine", "newer", "running"]);
  inputs.close();
  expect(existsSync(join(root, "mine", "paste_1"))).toBe(true);
});

test("what no session keeps is gone with its omp", () => {
  const root = temporaryDirectory();
  const inputs = new SessionInputs(root, { maxTotalBytes: 1e9, maxAgeMs: 1e9 });
  inputs.keepPaste("text");
  expect(readdirSync(root)).toHaveLength(1);
  inputs.close();
  expect(readdirSync(root)).toEqual([]);
});
