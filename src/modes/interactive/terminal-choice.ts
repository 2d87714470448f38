/** What the environment says about the terminal's colours and signs. */

import type { ThemeChoice } from "../../ui/theme.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export function themeChoice(env: Environment): ThemeChoice {
  return {
    hasColors: (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb",
    isLight: isLight(env["COLORFGBG"]),
    isAscii: !isUtf8(env),
  };
}

/** `COLORFGBG` is `15;0`: the last number is the background, of which 7 and 9 to 15 are light. */
function isLight(colors: string | undefined): boolean {
  const background = Number(colors?.split(";").at(-1) ?? Number.NaN);
  return background === 7 || (background >= 9 && background <= 15);
}

function isUtf8(env: Environment): boolean {
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  // macOS and Windows terminals are UTF-8 whatever the variables say.
  return locale === "" ? process.platform !== "linux" : /utf-?8/i.test(locale);
}
