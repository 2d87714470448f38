/**
 * Whether Python code wants another line, as its own prompt would say: an open bracket or string, a block that has just started, or
 * one that has not been ended by an empty line. A guess without a kernel; a wrong one costs an Enter.
 */

const TOKENS = /#[^\n]*|("""|''')[\s\S]*?(?:\1|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|[()[\]{}]/g;

export function isIncompletePython(code: string): boolean {
  if (code.trim() === "") return false;
  let depth = 0;
  let rest = "";
  let from = 0;
  for (const match of code.matchAll(TOKENS)) {
    const [token, quotes] = match;
    if (quotes !== undefined && (token.length < 6 || !token.endsWith(quotes))) return true;
    // Comments and strings count as nothing, so that a colon in them begins no block; inside brackets there are no lines.
    const between = code.slice(from, match.index);
    rest += depth > 0 ? between.replaceAll("\n", " ") : between;
    if ("([{".includes(token)) depth += 1;
    if (")]}".includes(token)) depth -= 1;
    from = match.index + token.length;
  }
  rest += code.slice(from);
  if (depth > 0) return true;
  const lines = rest.split("\n");
  const last = lines.at(-1) ?? "";
  if (/[:\\]\s*$/.test(last)) return true;
  // Inside a block: the next line may belong to it.
  return lines.length > 1 && /^\s+\S/.test(last);
}
