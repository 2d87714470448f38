/** Light syntax colours for Python: enough to see its shape. Works on whole cells, so that strings over several lines hold. */

import type { Paint, Theme } from "../theme.ts";

const TOKENS =
  /(?<comment>#[^\n]*)|(?<string>(?:\b[rRbBfFuU]{1,2})?(?:"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?))|(?<decorator>^[ ]*@[\w.]+)|(?<magic>^[ ]*[%!][^\n]*)|(?<number>\b\d[\w.]*\b)|(?<word>\b[A-Za-z_]\w*\b)/gm;

const KEYWORDS = new Set(
  "and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield".split(
    " ",
  ),
);
const CONSTANTS = new Set(["True", "False", "None", "self", "cls"]);

export function colorPython(code: string, theme: Theme): string {
  if (!theme.hasColors) return code;
  return code.replace(TOKENS, (...args) => {
    const [text] = args as [string];
    const groups = args.at(-1) as Record<string, string | undefined>;
    const paint = paintOf(text, groups, theme);
    return paint ? paint(text) : text;
  });
}

function paintOf(text: string, groups: Record<string, string | undefined>, theme: Theme): Paint | undefined {
  if (groups["comment"] !== undefined) return theme.dim;
  if (groups["string"] !== undefined) return theme.green;
  if (groups["decorator"] !== undefined || groups["magic"] !== undefined) return theme.yellow;
  if (groups["number"] !== undefined) return theme.cyan;
  if (KEYWORDS.has(text)) return theme.magenta;
  return CONSTANTS.has(text) ? theme.cyan : undefined;
}
