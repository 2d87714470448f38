/** What the environment says about a terminal, before it is asked. Takes the variables as a value; reads nothing itself. */

export type Environment = Readonly<Record<string, string | undefined>>;

export type ColorDepth = "none" | "16" | "256" | "true";

/** NO_COLOR and FORCE_COLOR are the user's decision and override what the terminal can do. */
export function colorDepth(env: Environment, { isTerminal }: { isTerminal: boolean }): ColorDepth {
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) {
    if (forced === "0" || forced === "false") return "none";
    if (forced === "2") return "256";
    if (forced === "3") return "true";
    const found = terminalDepth(env);
    return forced === "1" || found === "none" ? "16" : found;
  }
  if ((env["NO_COLOR"] ?? "") !== "" || !isTerminal) return "none";
  return terminalDepth(env);
}

function terminalDepth(env: Environment): ColorDepth {
  const term = env["TERM"] ?? "";
  if (term === "dumb") return "none";
  if (/^(?:truecolor|24bit)$/i.test(env["COLORTERM"] ?? "") || term.endsWith("-direct")) return "true";
  if (env["WT_SESSION"] !== undefined || /kitty|ghostty|alacritty|wezterm|foot/.test(term)) return "true";
  const program = env["TERM_PROGRAM"] ?? "";
  if (["iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio"].includes(program)) return "true";
  if (program === "Apple_Terminal" || term.includes("256")) return "256";
  return term === "" ? "none" : "16";
}

/** Whether characters beyond ASCII can be drawn: yes, unless the locale says otherwise. */
export function hasUnicode(env: Environment): boolean {
  if (env["TERM"] === "dumb") return false;
  const locale = [env["LC_ALL"], env["LC_CTYPE"], env["LANG"]].find((value) => (value ?? "") !== "");
  return locale === undefined || /utf-?8/i.test(locale);
}

export type Multiplexer = "tmux" | "screen" | "zellij";

export function multiplexer(env: Environment): Multiplexer | undefined {
  if ((env["TMUX"] ?? "") !== "") return "tmux";
  if (env["ZELLIJ"] !== undefined) return "zellij";
  if ((env["STY"] ?? "") !== "") return "screen";
  const term = env["TERM"] ?? "";
  if (term.startsWith("tmux")) return "tmux";
  return term.startsWith("screen") ? "screen" : undefined;
}

/** Plain lines for a screen reader: no boxes, no spinners, nothing redrawn. */
export function wantsScreenReader(env: Environment): boolean {
  return ["OMP_SCREEN_READER", "INK_SCREEN_READER", "ACCESSIBLE"].some((name) => isOn(env[name]));
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && !["", "0", "false", "no", "off"].includes(value.toLowerCase());
}

/** `COLORFGBG` is `foreground;background` or `foreground;default;background`, in the numbers of the 16 colours. */
export function backgroundOf(env: Environment): "light" | "dark" | undefined {
  const parts = (env["COLORFGBG"] ?? "").split(";");
  const background = Number.parseInt(parts.at(-1) ?? "", 10);
  if (parts.length < 2 || Number.isNaN(background)) return undefined;
  return background === 7 || (background >= 9 && background <= 15) ? "light" : "dark";
}

export type GraphicsProtocol = "kitty" | "iterm2" | "sixel";

/** Only what is certain from the environment; a multiplexer hides the terminal around it. */
export function graphicsOf(env: Environment): GraphicsProtocol | undefined {
  if (multiplexer(env) !== undefined) return undefined;
  const term = env["TERM"] ?? "";
  const program = env["TERM_PROGRAM"] ?? "";
  if (env["KITTY_WINDOW_ID"] !== undefined || /kitty|ghostty/.test(term) || program === "ghostty")
    return "kitty";
  if (program === "iTerm.app" || program === "WezTerm" || env["LC_TERMINAL"] === "iTerm2") return "iterm2";
  return /^(?:foot|mlterm|contour)/.test(term) ? "sixel" : undefined;
}
