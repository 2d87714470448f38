/** Calls as lines: each tool's own form, running, done, failed, expanded. */

import { describe, expect, test } from "bun:test";
import type { ToolResult } from "../../src/protocol/index.ts";
import { reduce } from "../../src/ui/store/reduce.ts";
import { type CallItem, initialState } from "../../src/ui/store/state.ts";
import { makeTheme } from "../../src/ui/theme.ts";
import { itemLines } from "../../src/ui/views/item.ts";

const theme = makeTheme({ hasColors: false, isLight: false, isAscii: false });

interface Drawing {
  readonly name: string;
  readonly input: unknown;
  /** A number is the start of that cell. */
  readonly updates?: readonly (string | number)[];
  readonly result?: Partial<ToolResult>;
  readonly isExpanded?: boolean;
  readonly width?: number;
  readonly isAsked?: boolean;
  /** The tools that its code calls; all but the last have ended, one that fails is marked so. */
  readonly nested?: readonly string[];
}

function draw({
  name,
  input,
  updates = [],
  result,
  isExpanded = false,
  width = 60,
  isAsked = false,
  nested = [],
}: Drawing): string {
  let state = reduce(
    initialState({ columns: width, rows: 24, cwd: "/" }),
    { type: "tool_call", id: "a", name, input },
    1_000,
  );
  for (const update of updates) {
    const fields = typeof update === "string" ? { text: update } : { text: `[${update}]\n`, cell: update };
    state = reduce(state, { type: "tool_update", id: "a", ...fields }, 2_000);
  }
  for (const [index, mark] of nested.entries()) {
    const [tool = "", failed] = mark.split("!");
    const event = { id: `a.${index}`, name: tool, parent: "a" };
    state = reduce(state, { type: "tool_call", ...event, input: {} }, 2_000);
    if (index === nested.length - 1) break;
    const ended: ToolResult = { isError: failed !== undefined, output: "", details: {} };
    state = reduce(state, { type: "tool_result", ...event, result: ended }, 2_000);
  }
  if (result) {
    const whole: ToolResult = { isError: false, output: "", details: {}, ...result };
    state = reduce(state, { type: "tool_result", id: "a", name, result: whole }, 3_000);
  }
  const item = [...state.finished, ...state.live].find((each): each is CallItem => each.kind === "call");
  return item ? itemLines({ ...item, isAsked }, { theme, width, isExpanded, now: 6_000 }).join("\n") : "";
}

const count = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => String(from + index)).join("\n");

describe("python", () => {
  const cells = [{ title: "load", code: "x = 1" }, { code: "print(x)" }, { code: "x / 0" }];

  test("cells that run, have run and wait", () => {
    expect(draw({ name: "python", input: { cells }, updates: [1, 2, "1\n"] })).toBe(
      [
        "✓ python 1/3 load",
        "  │ x = 1",
        "● python 2/3 · 4 s",
        "  │ print(x)",
        "  1",
        "○ python 3/3 · waiting",
        "  │ x / 0",
      ].join("\n"),
    );
  });

  test("calls of its code are counted below it", () => {
    const call = {
      name: "python",
      input: { cells: [{ code: "f()" }] },
      nested: ["read", "read!", "grep", "read"],
    };
    expect(draw(call)).toBe(
      ["● python · 5 s", "  │ f()", "  ▸ 4 calls: 3 read, grep (1 running, 1 failed)"].join("\n"),
    );
    expect(draw({ ...call, nested: ["read"], result: {} })).toBe(
      ["✓ python", "  │ f()", "  ▸ 1 call: read"].join("\n"),
    );
  });

  test("each cell has its own output and its count", () => {
    const facts = (status: string, executionCount: number) => ({
      status,
      executionCount,
      durationMs: 12,
      displays: [],
    });
    const output =
      "[1/3] load\n[2/3]\n[3/3] mine\n[3/3]\nZeroDivisionError: division by zero\n[cell 3 of 3 failed; earlier cells keep their effect]";
    const heading = { lines: 1, note: "" };
    const details = {
      segments: [heading, heading, { lines: 1, cell: 1 }, heading, { lines: 1, cell: 2 }, heading],
      cells: [facts("ok", 1), facts("ok", 2), facts("error", 3)],
    };
    expect(draw({ name: "python", input: { cells }, result: { isError: true, output, details } })).toBe(
      [
        "✓ python 1/3 load · [1]",
        "  │ x = 1",
        "✓ python 2/3 · [2]",
        "  │ print(x)",
        "  [3/3] mine",
        "✗ python 3/3 · [3]",
        "  │ x / 0",
        "  ZeroDivisionError: division by zero",
      ].join("\n"),
    );
  });

  test("what a status event says, and a restarted kernel", () => {
    const cell = {
      status: "died",
      executionCount: null,
      durationMs: 5,
      displays: [],
      events: [{ op: "write", label: "wrote a.csv" }],
    };
    const segments = [{ lines: 1, note: "The kernel died. A new one was started." }];
    const details = { cells: [cell], kernelRestarted: true, segments };
    const output = "[for the model]";
    const input = { cells: [{ code: "die()" }] };
    expect(draw({ name: "python", input, result: { isError: true, output, details } })).toBe(
      [
        "✗ python · kernel restarted",
        "  │ die()",
        "  ▸ wrote a.csv",
        "  The kernel died. A new one was started.",
      ].join("\n"),
    );
  });
});

describe("bash", () => {
  const input = { command: "seq 1 30", description: "Count" };

  test("shows the end of the output, and all of it when expanded", () => {
    const result = { output: count(1, 30), details: { exitCode: 0, durationMs: 12 } };
    expect(draw({ name: "bash", input, result })).toBe(
      `✓ bash Count\n  $ seq 1 30\n  … 20 earlier lines (Ctrl+O)\n${count(21, 30).replace(/^/gm, "  ")}`,
    );
    expect(draw({ name: "bash", input, result, isExpanded: true })).toContain("\n  1\n  2\n");
  });

  test("a line of a megabyte is one line, and a progress bar its last state", () => {
    const updates = [`${"x".repeat(1_000_000)}\n`, "\x1b[31m10 %\r\x1b[32m90 %\r"];
    const lines = draw({ name: "bash", input, updates, width: 20 }).split("\n");
    expect(lines.slice(-2)).toEqual([`  ${"x".repeat(9)}… (Alt+O)`, "  90 %"]);
  });

  test("a line that the tool has cut says how long it was, where that is known", () => {
    const line = "x".repeat(30_000);
    const shown = (totalLines: number) => {
      const details = { truncated: true, totalLines, totalBytes: 1_000_000, artifact: "abc" };
      return draw({ name: "bash", input, result: { output: line, details } })
        .split("\n")
        .slice(-2);
    };
    expect(shown(1)[0]).toEndWith("x… (1.0 MB, Alt+O)");
    expect(shown(2)[0]).toEndWith("x… (Alt+O)");
    expect(shown(1)[1]).toBe("  truncated · 1 line, 1.0 MB in total · Alt+O for all");
  });

  test("counts what was printed, not what is kept of it", () => {
    const kept = Array.from({ length: 100 }, (_, at) => `${4_901 + at}`).join("\n");
    const details = { truncated: true, totalLines: 5_000, segments: [{ lines: 100 }], durationMs: 5 };
    const result = { isError: false, output: kept, details };
    const cutAt = (isExpanded: boolean) =>
      draw({ name: "bash", input, result, isExpanded })
        .split("\n")
        .find((line) => line.includes("earlier"));
    expect([cutAt(false), cutAt(true)]).toEqual([
      "  … 4,990 earlier lines (Alt+O)",
      "  … 4,900 earlier lines (Alt+O)",
    ]);
  });

  test("how it ended, and where the whole output is", () => {
    const cut = { truncated: true, totalLines: 9, totalBytes: 81 };
    const segments = [{ lines: 1 }, { lines: 2, note: "" }];
    const details = { exitCode: 2, durationMs: 2_500, artifact: "abc", segments, ...cut };
    const result = { isError: true, output: "no\n[output cut …]\nExit code: 2", details };
    expect(draw({ name: "bash", input, width: 40, result }).split("\n")).toEqual([
      "✗ bash Count · exit code 2 · 2.5 s",
      "  $ seq 1 30",
      "  … 8 earlier lines (Alt+O)",
      "  no",
      "  truncated · 9 lines, 81 B in total ·",
      "  Alt+O for all",
    ]);
  });

  test("what the artifact lacks", () => {
    const last = (details: ToolResult["details"]) =>
      draw({ name: "bash", input, width: 90, result: { output: "x", details } })
        .split("\n")
        .at(-1);
    const cut = { truncated: true, totalLines: 9, totalBytes: 81 };
    expect(last({ ...cut, artifactProblem: { kind: "given-up", code: "ENOSPC" } })).toBe(
      "  truncated · 9 lines, 81 B in total · the full output could not be kept (ENOSPC)",
    );
    expect(last({ ...cut, artifact: "abc", artifactProblem: { kind: "full", bytes: 1_000 } })).toBe(
      "  truncated · 9 lines, 81 B in total · artifact://abc has only the first 1.0 kB",
    );
    expect(last({ binary: true, artifact: "abc" })).toBe("  binary output not shown · Alt+O for all");
    expect(last({ artifact: "abc" })).toBe("  x");
  });
});

test("the line that says what went wrong, and notes, are not cut off at the window's edge", () => {
  const output = `${"a".repeat(70)}\nValueError: ${"b ".repeat(40)}end\n[for the model]`;
  const note =
    "the shell was killed by SIGKILL; a new one took its place, and state is lost: variables and functions";
  const details = { segments: [{ lines: 2 }, { lines: 1, note }] };
  expect(
    draw({
      name: "bash",
      input: { command: "x" },
      width: 62,
      result: { isError: true, output, details },
    }).split("\n"),
  ).toEqual([
    "✗ bash · 2.0 s",
    "  $ x",
    `  ${"a".repeat(59)}…`,
    `  ValueError: ${"b ".repeat(24).trim()}`,
    `  ${"b ".repeat(16)}end`,
    "  the shell was killed by SIGKILL; a new one took its place,",
    "  and state is lost: variables and functions",
  ]);
  const refused = `edit: ${"x ".repeat(60)}(NOT_FOUND)`;
  expect(
    draw({
      name: "edit",
      input: { path: "a" },
      result: { isError: true, output: refused, details: { code: "NOT_FOUND" } },
    }).split("\n"),
  ).toHaveLength(4);
  const long = draw({
    name: "bash",
    input: { command: "x" },
    result: { isError: true, output: `E: ${"c".repeat(90)}\nOSError: ${"d".repeat(900)}` },
  }).split("\n");
  expect(long.length).toBe(2 + 1 + 4);
  expect(long.at(-1)).toBe(`  ${"d".repeat(57)}…`);
});

describe("files", () => {
  test("an edit is its diff", () => {
    const diff = "--- a.ts\n+++ a.ts\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n";
    const result = { output: "Edited a.ts", details: { diff, additions: 1, deletions: 1, durationMs: 3 } };
    expect(draw({ name: "edit", input: { path: "a.ts", edits: [] }, result })).toBe(
      "✓ edit a.ts · +1 -1\n  1  one\n  2 -two\n  2 +TWO",
    );
  });

  test("an edit says what the file has lost", () => {
    const details = {
      diff: "--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n",
      notKept: ["owner 0", "access control list"],
    };
    expect(draw({ name: "edit", input: { path: "a", edits: [] }, result: { details } })).toBe(
      "✓ edit a · 2.0 s\n  not preserved: owner 0, access control list\n  1 -x\n  1 +y",
    );
  });

  test("a diff loses no line that looks like its head", () => {
    const diff =
      "--- a.sql\n+++ a.sql\n@@ -1,2 +1,2 @@\n---\n--- old\n+++new\n\\ No newline at end of file\n";
    expect(draw({ name: "edit", input: { path: "a.sql" }, result: { details: { diff } } })).toBe(
      "✓ edit a.sql · 2.0 s\n  1 ---\n  2 --- old\n  1 +++new",
    );
  });

  test("what would change can be read before it is allowed", () => {
    const edits = [
      { old_text: "two\nthree", new_text: "TWO" },
      { old_text: "five", new_text: "" },
    ];
    expect(draw({ name: "edit", input: { path: "a.ts", edits }, isAsked: true })).toBe(
      "○ edit a.ts · needs approval\n  -two\n  -three\n  +TWO\n  …\n  -five",
    );
    expect(draw({ name: "edit", input: { path: "a", old_text: "x", new_text: "y" }, isAsked: true })).toBe(
      "○ edit a · needs approval\n  -x\n  +y",
    );
    expect(draw({ name: "write", input: { path: "b", content: "one\ntwo\n" }, isAsked: true })).toBe(
      "○ write b · needs approval\n  1 +one\n  2 +two",
    );
    expect(draw({ name: "write", input: { path: "b", content: "one\n" } })).toBe("● write b · 5 s");
  });

  test("a look is a line, with what it found when expanded", () => {
    const looked = {
      name: "grep",
      input: { pattern: "todo", path: "src" },
      result: { output: "a:1\nb:2", details: { durationMs: 4, matches: 2, files: 1 } },
    };
    expect(draw(looked)).toBe("✓ grep todo in src · 2 matches");
    expect(draw({ ...looked, isExpanded: true })).toBe("✓ grep todo in src · 2 matches\n  a:1\n  b:2");
  });
});

test("a tool that nobody knows is shown by its input and its output", () => {
  const result = { output: "done", details: { durationMs: 7 } };
  expect(draw({ name: "other", input: { a: 1, b: "two" }, result })).toBe("✓ other a: 1, b: two\n  done");
});

test("a task shows whom it is for and what is being done, and then the answer", () => {
  const input = { agent: "finder", prompt: "Find it\nand more" };
  const updates = ["bash ls\n", "grep needle\n"];
  expect(draw({ name: "task", input, updates })).toBe("● task finder: Find it · 5 s\n  grep needle");
  const result = { output: "It is here.", details: { durationMs: 5_000 } };
  expect(draw({ name: "task", input, result })).toBe("✓ task finder: Find it · 5.0 s\n  It is here.");
});

describe("background shells", () => {
  test("say how they stand", () => {
    const input = { command: "make watch", description: "Watch", run_in_background: true };
    const started = {
      output: "Started in the background as bash_1. …",
      details: { shellId: "bash_1", status: "running", segments: [{ lines: 1, note: "" }] },
    };
    expect(draw({ name: "bash", input, result: started })).toBe(
      "✓ bash Watch · bash_1 in the background · running · 2.0 s\n  $ make watch",
    );
    const segments = [{ lines: 1, note: "" }, { lines: 1 }];
    const facts = { shellId: "bash_1", status: "failed", exitCode: 4, durationMs: 240, segments };
    expect(
      draw({
        name: "bash_output",
        input: { bash_id: "bash_1" },
        result: { output: "bash_1: failed, exit code 4, 0.2 s\nhi", details: facts },
      }),
    ).toBe("✓ bash_output bash_1 · failed · exit code 4\n  hi");
    const killed = { shellId: "bash_1", status: "killed", exitCode: null, signal: "SIGTERM" };
    expect(
      draw({
        name: "kill_shell",
        input: { shell_id: "bash_1" },
        result: { output: "Shell bash_1 terminated.", details: killed },
      }),
    ).toBe("✓ kill_shell bash_1 · killed · SIGTERM · 2.0 s\n  Shell bash_1 terminated.");
  });
});
