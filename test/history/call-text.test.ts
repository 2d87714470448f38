import { expect, test } from "bun:test";
import { callText } from "../../src/history/call-text.ts";

test.each([
  ["a command as it was written", { command: "ls -l\nwc" }, { language: "bash", text: "ls -l\nwc" }],
  [
    "with what it is for",
    { command: "make", description: "build\nall", timeout: 5000 },
    { language: "bash", text: "# description: build all\n# timeout: 5000\nmake" },
  ],
  [
    "cells as code, with their titles",
    { cells: [{ code: "x = 1\nx", title: "load" }, { code: "print(x)" }], timeout: 60 },
    { language: "python", text: "# timeout: 60\n\n# load\nx = 1\nx\n\nprint(x)" },
  ],
  [
    "a file's text as it is",
    { path: "a.txt", content: "one\ntwo\n" },
    { language: "", text: "path: a.txt\n\none\ntwo" },
  ],
  [
    "edits as what goes and what comes",
    {
      path: "a.py",
      edits: [
        { old_text: "x\ny\n", new_text: "z" },
        { old_text: "q", new_text: "", replace_all: true },
      ],
    },
    { language: "diff", text: "path: a.py\n\n-x\n-y\n+z\n\n@@ everywhere @@\n-q" },
  ],
  [
    "an edit beside its path as an edit",
    { path: "a.py", old_text: "x", new_text: "y", replace_all: true },
    { language: "diff", text: "path: a.py\n\n@@ everywhere @@\n-x\n+y" },
  ],
  ["a lone text as it is", { path: "a.txt" }, { language: "", text: "a.txt" }],
  [
    "anything else as JSON",
    { a: 1, b: [2] },
    { language: "json", text: '{\n  "a": 1,\n  "b": [\n    2\n  ]\n}' },
  ],
  ["cells that are none", { cells: ["x"] }, { language: "json", text: '{\n  "cells": [\n    "x"\n  ]\n}' }],
  ["nothing", null, { language: "json", text: "null" }],
] as const)("%s", (_, input, expected) => {
  expect(callText(input)).toEqual(expected);
});
