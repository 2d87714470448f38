/**
 * Colours and symbols: those of a theme of our own where the terminal has enough colours, else the terminal's own 16; none at all with
 * NO_COLOR, and plain ASCII symbols where the terminal has no others.
 */

import { type ColorName, darkPalette, lightPalette, nearestOf256 } from "./palette.ts";

export type Paint = (text: string) => string;

export interface Theme {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly italic: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly blue: Paint;
  readonly magenta: Paint;
  readonly cyan: Paint;
  readonly inverse: Paint;
  readonly hasColors: boolean;
  readonly isLight: boolean;
  /** OSC 8: a link's address need not be written out. */
  readonly hasHyperlinks: boolean;
  readonly symbols: Symbols;
}

export interface Symbols {
  readonly prompt: string;
  readonly waiting: string;
  readonly running: string;
  readonly ok: string;
  readonly failed: string;
  readonly stopped: string;
  readonly bar: string;
  readonly rule: string;
  readonly more: string;
  readonly dot: string;
  readonly note: string;
}

const unicodeSymbols: Symbols = {
  prompt: "❯",
  waiting: "○",
  running: "●",
  ok: "✓",
  failed: "✗",
  stopped: "■",
  bar: "│",
  rule: "─",
  more: "…",
  dot: "·",
  note: "▸",
};

const asciiSymbols: Symbols = {
  prompt: ">",
  waiting: "o",
  running: "*",
  ok: "+",
  failed: "x",
  stopped: "#",
  bar: "|",
  rule: "-",
  more: "...",
  dot: "-",
  note: ">",
};

export interface ThemeChoice {
  readonly hasColors: boolean;
  /** How many; the terminal's own 16 when nothing is said. */
  readonly depth?: "16" | "256" | "true";
  readonly isLight: boolean;
  readonly isAscii: boolean;
  readonly hasHyperlinks?: boolean;
}

export function makeTheme(choice: ThemeChoice): Theme {
  const { hasColors, depth = "16", isLight, isAscii, hasHyperlinks = false } = choice;
  const paint = (open: string, close: number): Paint => {
    if (!hasColors) return (text) => text;
    const [begin, end] = [`\x1b[${open}m`, `\x1b[${close}m`];
    // What is painted inside must not end what it stands in. Line by line: every line stands on its own, wherever it is cut or
    // scrolled to.
    return (text) =>
      text === "" ? "" : begin + text.replaceAll(end, end + begin).replaceAll("\n", `${end}\n${begin}`) + end;
  };
  const colors = isLight ? lightPalette : darkPalette;
  const color = (name: ColorName, own: number): Paint => {
    if (depth === "16") return name === "dim" ? paint("2", 22) : paint(String(own), 39);
    return paint(
      depth === "true" ? `38;2;${colors[name].join(";")}` : `38;5;${nearestOf256(colors[name])}`,
      39,
    );
  };
  return {
    bold: paint("1", 22),
    dim: color("dim", 2),
    italic: paint("3", 23),
    inverse: paint("7", 27),
    red: color("red", 31),
    green: color("green", 32),
    // The yellow of most palettes cannot be read on white.
    yellow: color("yellow", isLight ? 35 : 33),
    blue: color("blue", 34),
    magenta: color("magenta", 35),
    cyan: color("cyan", isLight ? 34 : 36),
    hasColors,
    isLight,
    hasHyperlinks,
    symbols: isAscii ? asciiSymbols : unicodeSymbols,
  };
}
