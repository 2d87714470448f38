/**
 * Colours and signs. Only the terminal's own 16 colours, so that light and dark backgrounds and the user's palette both hold; none
 * at all with NO_COLOR, and plain ASCII signs where the terminal has no others.
 */

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
  readonly signs: Signs;
}

export interface Signs {
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

const unicodeSigns: Signs = {
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

const asciiSigns: Signs = {
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
  readonly isLight: boolean;
  readonly isAscii: boolean;
}

export function makeTheme({ hasColors, isLight, isAscii }: ThemeChoice): Theme {
  const paint = (open: number, close: number): Paint => {
    if (!hasColors) return (text) => text;
    const [begin, end] = [`\x1b[${open}m`, `\x1b[${close}m`];
    // Line by line: every line stands on its own, wherever it is cut or scrolled to.
    return (text) => (text === "" ? "" : begin + text.replaceAll("\n", `${end}\n${begin}`) + end);
  };
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    italic: paint(3, 23),
    inverse: paint(7, 27),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    blue: paint(34, 39),
    magenta: paint(35, 39),
    cyan: paint(36, 39),
    hasColors,
    isLight,
    signs: isAscii ? asciiSigns : unicodeSigns,
  };
}
