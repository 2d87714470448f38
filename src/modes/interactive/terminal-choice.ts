/** What the environment says about the terminal, as a theme. */

import { capabilitiesFrom } from "../../ui/terminal/capabilities.ts";
import type { ThemeChoice } from "../../ui/theme.ts";

export function themeChoice(env: Readonly<Record<string, string | undefined>>): ThemeChoice {
  const { colors, background, hasUnicode } = capabilitiesFrom(env, { isTerminal: true });
  return { hasColors: colors !== "none", isLight: background === "light", isAscii: !hasUnicode };
}
