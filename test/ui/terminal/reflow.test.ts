import { describe, expect, test } from "bun:test";
import { Terminal } from "@xterm/headless";
import { capabilitiesFrom, withReply } from "../../../src/ui/terminal/capabilities.ts";
import { type Reflow, reflowOf, rowsAdded } from "../../../src/ui/terminal/reflow.ts";

const region = [
  "-".repeat(80),
  `> ${"words ".repeat(12)}`.padEnd(76, "x"),
  `  ${"more ".repeat(14)}`,
  "m".repeat(75),
  "s".repeat(62),
];

describe("what the terminal does is known", () => {
  const found: [Readonly<Record<string, string>>, Reflow][] = [
    [{ TERM: "xterm-256color" }, "exact"],
    [{ TERM: "xterm-256color", TERM_PROGRAM: "vscode" }, "drifting"],
    [{ TERM: "tmux-256color", TMUX: "1", TERM_PROGRAM: "vscode" }, "exact"],
    [{ TERM: "screen" }, "none"],
    [{ TERM: "st-256color" }, "none"],
    [{ TERM: "linux" }, "none"],
    [{ TERM: "mlterm" }, "none"],
    [{ TERM: "rxvt-unicode-256color" }, "once scrolled"],
    [{ TERM: "xterm-kitty" }, "sinking"],
  ];
  for (const [env, reflow] of found)
    test(`by its variables: ${JSON.stringify(env)} → ${reflow}`, () => expect(reflowOf(env)).toBe(reflow));

  test("by its answers, where no multiplexer stands between", () => {
    const plain = capabilitiesFrom({ TERM: "xterm" }, { isTerminal: true });
    const attributes = (...parameters: number[]) => ({ kind: "secondary attributes", parameters }) as const;
    expect(withReply(plain, attributes(0, 276, 0)).reflow).toBe("drifting");
    expect(withReply(plain, attributes(0, 136, 0)).reflow).toBe("none");
    expect(withReply(plain, attributes(65, 7600, 1)).reflow).toBe("exact");
    expect(withReply(plain, { kind: "version", name: "XTerm(379)" }).reflow).toBe("none");
    expect(withReply(plain, { kind: "version", name: "kitty(0.41.1)" }).reflow).toBe("sinking");
    const inTmux = capabilitiesFrom({ TERM: "tmux", TMUX: "1" }, { isTerminal: true });
    expect(withReply(inTmux, attributes(0, 276, 0)).reflow).toBe("exact");
  });
});

describe("the first line of the region is found", () => {
  const narrowed = { columns: 40, missingRows: 0, hasScrolled: false, above: () => [] };

  test("where lines are cut, where it was", () =>
    expect(rowsAdded({ lines: region, cursor: { x: 70, y: 1 } }, { ...narrowed, reflow: "none" })).toBe(0));

  test("where lines are broken once there is a scrollback, by whether there is one", () => {
    const block = { lines: region, cursor: { x: 10, y: 1 } };
    const narrowing = { ...narrowed, reflow: "once scrolled" } as const;
    expect(rowsAdded(block, narrowing)).toBe(0);
    expect(rowsAdded(block, { ...narrowing, hasScrolled: true })).toBe(1);
  });

  test("where the cursor stays on its sign, by the rows that its own and the lines above take", () => {
    const narrowing = { ...narrowed, reflow: "exact" } as const;
    expect(rowsAdded({ lines: region, cursor: { x: 10, y: 1 } }, narrowing)).toBe(1);
    expect(rowsAdded({ lines: region, cursor: { x: 70, y: 1 } }, narrowing)).toBe(2);
    expect(rowsAdded({ lines: region, cursor: undefined }, narrowing)).toBe(5);
  });

  describe("where the cursor stays behind when what is below it pushes everything up", () => {
    // As it was seen in kitty 0.41.1: a rule of 112, the prompt with the cursor, a line below; the last row of 41 is free.
    const block = { lines: ["-".repeat(112), "> prompt", "status"], cursor: { x: 2, y: 1 } };
    const narrowing = { ...narrowed, reflow: "sinking", columns: 112, missingRows: -1 } as const;

    test("in a lower window", () => {
      expect(rowsAdded(block, { ...narrowing, missingRows: 14 })).toBe(1);
      // There was room for the line below.
      expect(rowsAdded(block, { ...narrowing, missingRows: 0 })).toBe(0);
    });

    test("in a narrower one, when the lines do not fit any more", () => {
      expect(rowsAdded(block, { ...narrowing, columns: 62 })).toBe(1);
      expect(rowsAdded(block, { ...narrowing, columns: 62, above: () => ["x".repeat(70)] })).toBe(2);
    });

    test("in one that is both", () =>
      expect(rowsAdded(block, { ...narrowing, columns: 62, missingRows: 14 })).toBe(2));

    test("by the rows of the lines below that have no room", () => {
      const more = { lines: [...block.lines, "m".repeat(100), "s".repeat(70)], cursor: { x: 2, y: 1 } };
      expect(rowsAdded(more, { ...narrowing, missingRows: 2 })).toBe(2);
      expect(rowsAdded(more, { ...narrowing, missingRows: 14 })).toBe(3);
      // The rule, and five rows below.
      expect(rowsAdded(more, { ...narrowing, columns: 62, missingRows: 14 })).toBe(1 + 5);
    });
  });

  for (const [linesAbove, columns, rows] of [
    [3, 50, 24],
    [3, 40, 24],
    [3, 50, 12],
    [60, 50, 24],
    [60, 30, 24],
    [60, 50, 23],
    [60, 40, 20],
  ] as const)
    test(`by xterm.js, with ${linesAbove} lines above it and ${columns}×${rows} from 80×24 on`, async () => {
      for (let y = 1; y < region.length - 1; y += 1) {
        const terminal = new Terminal({ cols: 80, rows: 24, scrollback: 1_000, allowProposedApi: true });
        const above = Array.from({ length: linesAbove }, (_, line) => `line ${line} ${"y".repeat(60)}`);
        const text = [...above, ...region, ""].join("\r\n");
        await new Promise<void>((done) => terminal.write(`${text}\x1b[${region.length - y}A\x1b[5G`, done));
        terminal.resize(columns, rows);
        const added = rowsAdded(
          { lines: region, cursor: { x: 4, y } },
          {
            reflow: "drifting",
            columns,
            missingRows: linesAbove > 24 ? Math.max(0, 24 - rows - 1) : 0,
            hasScrolled: linesAbove > 24,
            above: () => above,
          },
        );
        const { baseY, cursorY } = terminal.buffer.active;
        const first = terminal.buffer.active.getLine(baseY + cursorY - y - added);
        expect(first?.translateToString(true)).toBe("-".repeat(columns));
        expect(first?.isWrapped).toBe(false);
        terminal.dispose();
      }
    });
});
