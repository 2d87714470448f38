/** How the transcript looks: what is set apart, what stands out and what does not, and how a run ends. */

import { describe, expect, test } from "bun:test";
import { noUsage } from "../../src/protocol/index.ts";
import { emptyPrompt } from "../../src/ui/input/prompt-state.ts";
import { Printer } from "../../src/ui/screen/printer.ts";
import type { UiEvent } from "../../src/ui/store/event.ts";
import { reduce } from "../../src/ui/store/reduce.ts";
import { initialState, type UiState } from "../../src/ui/store/state.ts";
import { makeTheme } from "../../src/ui/theme.ts";
import { frame } from "../../src/ui/views/frame.ts";

const plain = makeTheme({ hasColors: false, isLight: false, isAscii: false });
const colored = makeTheme({ hasColors: true, depth: "true", isLight: false, isAscii: false });
const start = initialState({ columns: 60, rows: 24, cwd: "~" });

/** Each event a second after the one before. */
function after(...events: readonly UiEvent[]): UiState {
  return events.reduce((state, event, at) => reduce(state, event, 1_000 * (at + 1)), start);
}

function user(text: string): UiEvent {
  return {
    type: "user",
    message: { role: "user", origin: { kind: "typed" }, content: [{ type: "text", text }] },
  };
}

function call(id: string, name = "read"): UiEvent {
  return { type: "tool_call", id, name, input: { path: id, command: id } };
}

function result(id: string, details = {}, output = "x"): UiEvent {
  return { type: "tool_result", id, name: "", result: { isError: false, output, details } };
}

/** What is in the scrollback after these states, and the frame below it. */
function shown(states: readonly UiState[], theme = plain): string {
  const printer = new Printer();
  const lines: string[] = [];
  let below: readonly string[] = [];
  let chunks = 0;
  for (const state of states) {
    const view = { theme, width: 60, isExpanded: false, now: 0 };
    const { items } = printer.take(state, view);
    lines.push(...items.slice(chunks).flatMap((chunk) => chunk.lines));
    chunks = items.length;
    const { unprinted, isTight: isTightAbove } = printer;
    below = frame({ state, prompt: emptyPrompt, commands: [], view, unprinted, isTightAbove }).lines;
    printer.drawn(state, view, 10, () => "");
  }
  return [...lines, ...below.slice(0, -3)].join("\n");
}

describe("calls of one line", () => {
  const done = [user("go"), call("a"), result("a"), call("b"), result("b")];

  test("follow each other without a gap, and have one before what is longer, and before the prompt", () => {
    const grown = [...done, call("c", "bash"), result("c", {}, "out"), call("d"), result("d")];
    const states = grown.map((_, at) => after(...grown.slice(0, at + 1)));
    const longer = ["✓ bash · 1.0 s", "  $ c", "  out", ""];
    expect(shown(states).split("\n")).toEqual([
      "❯ go",
      "",
      "✓ read a · 1 line · 1.0 s",
      "✓ read b · 1 line · 1.0 s",
      "",
      ...longer,
      "✓ read d · 1 line · 1.0 s",
      "",
    ]);
    expect(shown(states.slice(-1))).toBe(shown(states));
  });

  test("also while one runs, and when an answer follows", () => {
    const running = after(...done, call("c"));
    expect(
      shown([after(...done), running])
        .split("\n")
        .slice(-4),
    ).toEqual(["✓ read a · 1 line · 1.0 s", "✓ read b · 1 line · 1.0 s", "● read c", ""]);
    const answered = after(...done, { type: "text_delta", text: "First.\n\nSecond." });
    expect(
      shown([after(...done), answered])
        .split("\n")
        .slice(-6),
    ).toEqual(["✓ read b · 1 line · 1.0 s", "", "First.", "", "Second.", ""]);
  });
});

test("looks say how much they found in what they count, and times from a second on", () => {
  const facts = (details: object) => {
    const lines = shown([after(call("a"), result("a", { durationMs: 999, ...details }, "1\n2\n3"))]);
    return lines.split(" · ").slice(1).join(" · ").trim();
  };
  expect([
    facts({}),
    facts({ matches: 1, files: 1 }),
    facts({ matches: 0, files: 2 }),
    facts({ matches: 0, files: 0 }),
    facts({ entries: 12 }),
    facts({ cellCount: 1 }),
    facts({ startLine: 1, endLine: 200, totalLines: 1_200 }),
    facts({ startLine: 5, endLine: 8, durationMs: 61_000 }),
  ]).toEqual([
    "3 lines",
    "1 match",
    "2 files",
    "0 matches",
    "12 entries",
    "1 cell",
    "200 of 1,200 lines",
    "4 lines · 1 min 1 s",
  ]);
});

describe("a run", () => {
  const end = (status: "done" | "interrupted", costUsd?: number): UiEvent => ({
    type: "end",
    status,
    text: "",
    turns: 1,
    usage: costUsd === undefined ? noUsage : { ...noUsage, costUsd },
  });
  const started: UiEvent = { type: "started", what: "working" };
  const last = (state: UiState) => shown([state]).trimEnd().split("\n").at(-1);

  test("ends with what it took: time, calls of its own, cost", () => {
    const earlier = [call("before"), result("before")];
    expect(last(after(...earlier, started, call("a"), result("a"), end("done", 0.0123)))).toBe(
      "▸ 3 s · 1 call · $0.012",
    );
    const quick = reduce(after(started), end("done"), 1_999);
    expect(quick.finished).toEqual([]);
  });

  test("that was interrupted says so once, and after how long", () => {
    const stopped = result("a", { cancelled: true });
    expect(shown([after(started, call("a"), stopped, end("interrupted"))])).toBe(
      "■ read a · 1 line · 1.0 s\n\n■ Interrupted after 3 s\n",
    );
  });
});

describe("in colours", () => {
  const painted = (...events: readonly UiEvent[]) => shown([after(...events)], colored).split("\n");

  test("the user's words are on a faint background, as wide as the longest line", () => {
    const [first = "", second = ""] = painted(user("one\nlonger"));
    const behind = "\x1b[48;2;48;48;48m";
    expect([first, second].map((line) => line.startsWith(behind))).toEqual([true, true]);
    expect([first, second].map((line) => Bun.stripANSI(line))).toEqual(["❯ one    ", "  longer "]);
  });

  test("output is dimmer than prose, and no output dimmer still", () => {
    const lines = painted(call("a", "bash"), result("a", {}, "printed"));
    expect(lines.at(-2)).toBe(`  ${colored.output("printed")}`);
    const segments = [{ lines: 1, note: "(no output)", isQuiet: true }];
    expect(painted(call("a", "bash"), result("a", { segments })).at(-2)).toBe(
      `  ${colored.dim("(no output)")}`,
    );
  });
});

test("a diff has line numbers, the colours of its language, and a faint background as wide as its longest line", () => {
  const diff = "--- a\n+++ a\n@@ -9,2 +9,2 @@\n x\n-y = 1\n+y = 12\n@@ -20 +20 @@\n z\n";
  const changed = after(call("a.py", "edit"), result("a.py", { diff }));
  const [, context = "", removed = "", added = "", gap = "", last = ""] = shown([changed], colored).split(
    "\n",
  );
  expect([context, removed, added, gap, last].map((line) => Bun.stripANSI(line))).toEqual([
    "   9  x",
    "  10 -y = 1 ",
    "  10 +y = 12",
    "    …",
    "  20  z",
  ]);
  expect(added).toBe(
    `  ${colored.added(`${colored.dim("10 ")}${colored.green("+")}y = ${colored.cyan("12")}`)}`,
  );
  expect(removed).toContain("\x1b[48;2;62;22;26m");
  const own16 = makeTheme({ hasColors: true, isLight: false, isAscii: false });
  expect(shown([changed], own16)).toContain(`${own16.green("+")}${own16.green("y = 12")}`);
});

test("a question shows the command, and the call above it only what it is", () => {
  const row = { answer: "once", label: "Yes", description: "" };
  const question = {
    id: 1,
    tool: "bash",
    title: "Allow bash?",
    details: ["rm a"],
    rows: [row],
    onEscape: "no",
  };
  const asked = after(call("rm a", "bash"), { type: "asked", question });
  expect(shown([asked]).match(/rm a/g)).toHaveLength(1);
});
