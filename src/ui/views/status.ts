/** The lines around the prompt: queued messages, and the facts of the session. */

import { formatElapsed } from "../../format/durations.ts";
import { count, formatDollars, formatTokens } from "../../format/numbers.ts";
import type { Facts, Kernel } from "../store/state.ts";
import { clip, widthOf } from "../text/lines.ts";
import type { View } from "../view.ts";

export function queuedLines(queued: readonly string[], { theme, width }: View, maxRows: number): string[] {
  const shown = queued.slice(0, Math.max(1, maxRows - 1)).map((text) => {
    const line = text.replace(/\s+/g, " ");
    return theme.dim(clip(`  ${theme.symbols.waiting} ${line}`, width, theme.symbols.more));
  });
  if (queued.length === 0) return [];
  const rest = queued.length - shown.length;
  return [
    ...shown,
    theme.dim(clip(`  ${rest > 0 ? `${rest} more; ` : ""}Up to take back`, width, theme.symbols.more)),
  ];
}

export function statusLine(facts: Facts, hint: string | undefined, view: View): string {
  const { theme, width, now } = view;
  if (hint !== undefined) return theme.yellow(clip(hint, width, theme.symbols.more));
  const environment = facts.kernel.interpreter && facts.kernel.environment;
  const parts = [
    facts.model ?? "starting",
    facts.effort && `effort ${facts.effort}`,
    contextPart(facts),
    facts.costUsd === undefined || facts.costUsd === 0 ? undefined : formatDollars(facts.costUsd),
    facts.sandbox && `sandbox ${facts.sandbox}`,
    facts.approval && `approval ${facts.approval}`,
    environment,
    kernelPart(facts.kernel, now),
    facts.backgroundShells === 0 ? undefined : count(facts.backgroundShells, "background shell"),
    facts.branch,
  ].filter((part) => part !== undefined);
  // What the kernel does matters more than where it comes from.
  const isNarrow = widthOf(parts.join(` ${theme.symbols.dot} `)) > width;
  const shown = isNarrow ? parts.filter((part) => part !== environment) : parts;
  return theme.dim(clip(fitParts(shown, facts.cwd, view), width, theme.symbols.more));
}

/** The directory is shortened first, keeping its end; then the parts after the first are dropped, the last ones first. */
function fitParts(parts: readonly string[], cwd: string, view: View): string {
  const { width, theme } = view;
  const { dot, more } = theme.symbols;
  const separator = ` ${dot} `;
  const line = parts.join(separator);
  const room = width - widthOf(line) - separator.length;
  if (room >= widthOf(cwd)) return line + separator + cwd;
  if (room >= 8) return `${line}${separator}${more}${cwd.slice(more.length - room)}`;
  return room >= -separator.length || parts.length < 2 ? line : fitParts(parts.slice(0, -1), cwd, view);
}

function contextPart({ usedTokens, contextTokens }: Facts): string | undefined {
  if (usedTokens === 0 || contextTokens === 0) return undefined;
  return `${formatTokens(usedTokens)} tokens, ${Math.round((100 * usedTokens) / contextTokens)} %`;
}

function kernelPart({ state, since, interpreter, progress }: Kernel, now: number): string | undefined {
  const python = interpreter ?? "Python";
  switch (state) {
    case "unavailable":
      return "no Python";
    case "none":
      return interpreter && `${interpreter} not started`;
    case "starting":
      return `${python} ${progress ?? state}${time(now - since)}`;
    case "busy":
      return `${python} ${state}${time(now - since)}`;
    case "idle":
    case "dead":
      return `${python} ${state}`;
  }
}

function time(ms: number): string {
  return ms < 1_000 ? "" : ` ${formatElapsed(ms)}`;
}
