/** What the terminal can do, according to the environment. The terminal itself is not asked. */

import type { Check } from "./check.ts";

export interface TerminalFacts {
  readonly isTerminal: boolean;
  readonly columns: number | undefined;
  readonly rows: number | undefined;
  /** Bits a cell's colour can have: 1, 4, 8 or 24. */
  readonly colorDepth: number | undefined;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** The terminal that stdout is. */
export function ownTerminal(env: Variables): TerminalFacts {
  const { stdout } = process;
  if (!stdout.isTTY) return { isTerminal: false, columns: undefined, rows: undefined, colorDepth: undefined };
  const { columns, rows } = stdout;
  return { isTerminal: true, columns, rows, colorDepth: stdout.getColorDepth({ ...env }) };
}

export function checkTerminal(terminal: TerminalFacts, env: Variables): Check {
  const unicode = hasUnicode(env);
  const images = imageProtocols(env);
  const multiplexer = multiplexerOf(env);
  const details = {
    ...terminal,
    unicode,
    images,
    multiplexer: multiplexer ?? null,
    term: env["TERM"] ?? null,
  };
  if (!terminal.isTerminal)
    return { name: "terminal", status: "ok", value: "stdout is not a terminal", details };

  const { columns = 0, rows = 0, colorDepth = 1 } = terminal;
  const value = [
    columns > 0 && rows > 0 ? `${columns}×${rows}` : "size unknown",
    colorWords[colorDepth] ?? `${colorDepth}-bit colour`,
    unicode ? "Unicode" : "no Unicode",
    images.length === 0 ? "no inline images" : `images by ${images.join(" or ")}`,
    ...(multiplexer === undefined ? [] : [`in ${multiplexer}`]),
  ].join(", ");
  const problem = terminalProblem({ columns, unicode, term: env["TERM"] });
  return { name: "terminal", status: problem === undefined ? "ok" : "warn", value, ...problem, details };
}

const colorWords: Readonly<Record<number, string>> = {
  1: "no colour",
  4: "16 colours",
  8: "256 colours",
  24: "24-bit colour",
};

function terminalProblem(facts: { columns: number; unicode: boolean; term: string | undefined }) {
  if (facts.term === "dumb") return { fix: "use a terminal with cursor control, or omp -p" };
  if (!facts.unicode) return { fix: "export LANG=C.UTF-8" };
  if (facts.columns > 0 && facts.columns < 60) return { fix: "widen the terminal to 60 columns or more" };
  return undefined;
}

/** The first of these variables that is set decides, as in every C library. */
export function hasUnicode(env: Variables): boolean {
  const locale = [env["LC_ALL"], env["LC_CTYPE"], env["LANG"]].find(
    (value) => value !== undefined && value !== "",
  );
  if (locale !== undefined) return /utf-?8/i.test(locale);
  return env["WT_SESSION"] !== undefined || env["TERM_PROGRAM"] === "Apple_Terminal";
}

function imageProtocols(env: Variables): string[] {
  const { TERM: term = "", TERM_PROGRAM: program = "" } = env;
  const found: string[] = [];
  if (env["KITTY_WINDOW_ID"] !== undefined || /kitty|ghostty/.test(term) || /ghostty|WezTerm/.test(program)) {
    found.push("kitty");
  }
  if (/^(iTerm\.app|WezTerm|vscode|mintty)$/.test(program) || env["LC_TERMINAL"] === "iTerm2")
    found.push("iTerm2");
  if (
    /sixel|^foot|mlterm|contour|yaft/.test(term) ||
    env["WT_SESSION"] !== undefined ||
    program === "WezTerm"
  ) {
    found.push("sixel");
  }
  return found;
}

function multiplexerOf(env: Variables): string | undefined {
  if (env["TMUX"] !== undefined) return "tmux";
  if (env["ZELLIJ"] !== undefined) return "zellij";
  return env["STY"] === undefined ? undefined : "screen";
}
