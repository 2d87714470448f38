/**
 * Colours and symbols: omp's own colours where the terminal has enough of them, else the terminal's own 16; none at all with NO_COLOR, and
 * plain ASCII symbols where the terminal has no others.
 */

export type Paint = (text: string) => string;

type ColorName = "red" | "green" | "yellow" | "blue" | "magenta" | "cyan" | "dim" | "output";
type BackgroundName = "said" | "added" | "removed";
type Rgb = readonly [red: number, green: number, blue: number];

export interface Theme
  extends Readonly<Record<ColorName | BackgroundName | "bold" | "italic" | "inverse", Paint>> {
  readonly hasColors: boolean;
  /** Faint ones: the terminal has more than 16 colours. */
  readonly hasBackgrounds: boolean;
  readonly isLight: boolean;
  /** OSC 8: a link's address need not be written out. */
  readonly hasHyperlinks: boolean;
  readonly symbols: Symbols;
}

/** Text can be read on every background of its kind, from black to dark grey; test/ui/theme.test.ts checks the contrasts. */
export const darkPalette: Readonly<Record<ColorName, Rgb>> = {
  red: [255, 135, 135],
  green: [135, 215, 135],
  yellow: [229, 192, 123],
  blue: [135, 175, 255],
  magenta: [215, 155, 245],
  cyan: [95, 215, 215],
  dim: [158, 158, 158],
  output: [188, 188, 188],
};

/** Faint, behind text in any of the colours: what the user said, and the lines of a diff. */
export const darkBackgrounds: Readonly<Record<BackgroundName, Rgb>> = {
  said: [48, 48, 48],
  added: [18, 48, 24],
  removed: [62, 22, 26],
};

/** From white to light grey. */
export const lightPalette: Readonly<Record<ColorName, Rgb>> = {
  red: [175, 0, 30],
  green: [0, 95, 35],
  yellow: [125, 70, 0],
  blue: [0, 70, 180],
  magenta: [130, 20, 140],
  cyan: [0, 90, 110],
  dim: [95, 95, 95],
  output: [72, 72, 72],
};

export const lightBackgrounds: Readonly<Record<BackgroundName, Rgb>> = {
  said: [238, 238, 238],
  added: [218, 248, 222],
  removed: [255, 226, 226],
};

const unicodeSymbols = {
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

export type Symbols = Readonly<typeof unicodeSymbols>;

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
  /** How many colours; the terminal's own 16 by default. */
  readonly depth?: "16" | "256" | "true";
  readonly isLight: boolean;
  readonly isAscii: boolean;
  readonly hasHyperlinks?: boolean;
}

const DIM = 2;

export function makeTheme(choice: ThemeChoice): Theme {
  const { hasColors, depth = "16", isLight, isAscii, hasHyperlinks = false } = choice;
  const paint = (begin: string, close: number): Paint => {
    if (!hasColors) return (text) => text;
    const end = `\x1b[${close}m`;
    // A style inside must not end the one around it. Every line starts and ends its own styles, so that it can be cut or scrolled to.
    return (text) =>
      text === "" ? "" : begin + text.replaceAll(end, end + begin).replaceAll("\n", `${end}\n${begin}`) + end;
  };
  const style = (code: number, close: number): Paint => paint(`\x1b[${code}m`, close);
  const palette = isLight ? lightPalette : darkPalette;
  const sequence = (color: Rgb) => Bun.color([...color], depth === "true" ? "ansi-16m" : "ansi-256") ?? "";
  const color = (name: ColorName, code: number): Paint => {
    if (depth === "16") return style(code, code === DIM ? 22 : 39);
    return paint(sequence(palette[name]), 39);
  };
  // None of a terminal's own 16 is faint.
  const behind = (name: BackgroundName): Paint => {
    if (depth === "16") return (text) => text;
    const backgrounds = isLight ? lightBackgrounds : darkBackgrounds;
    return paint(sequence(backgrounds[name]).replace("[38;", "[48;"), 49);
  };
  return {
    bold: style(1, 22),
    dim: color("dim", DIM),
    output: color("output", DIM),
    said: behind("said"),
    added: behind("added"),
    removed: behind("removed"),
    italic: style(3, 23),
    inverse: style(7, 27),
    red: color("red", 31),
    green: color("green", 32),
    // The yellow of most palettes cannot be read on white.
    yellow: color("yellow", isLight ? 35 : 33),
    blue: color("blue", 34),
    magenta: color("magenta", 35),
    cyan: color("cyan", isLight ? 34 : 36),
    hasColors,
    hasBackgrounds: hasColors && depth !== "16",
    isLight,
    hasHyperlinks,
    symbols: isAscii ? asciiSymbols : unicodeSymbols,
  };
}

/** The theme in use, which may change while the screen is up: the terminal answers, or the user chooses another one. */
export class ThemeSource {
  #theme: Theme;
  readonly #listeners = new Set<() => void>();

  constructor(theme: Theme) {
    this.#theme = theme;
  }

  readonly get = (): Theme => this.#theme;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  set(theme: Theme): void {
    this.#theme = theme;
    for (const listener of this.#listeners) listener();
  }
}
