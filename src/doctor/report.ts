/** The checks as people read them: a mark, a name, a value, and below it notes and how to fix it. */

import { Chalk } from "chalk";
import type { Check, CheckStatus } from "./check.ts";

export interface ReportStyle {
  readonly color: boolean;
  readonly unicode: boolean;
  readonly columns: number;
}

export function report(checks: readonly Check[], style: ReportStyle): string {
  const chalk = new Chalk({ level: style.color ? 1 : 0 });
  const paint = { ok: chalk.green, warn: chalk.yellow, fail: chalk.red };
  const marks: Record<CheckStatus, string> = style.unicode
    ? { ok: "✓", warn: "!", fail: "✗" }
    : { ok: "+", warn: "!", fail: "x" };
  const width = Math.max(...checks.map(({ name }) => name.length));
  const indent = width + 4;
  const lines: string[] = [];
  for (const { name, status, value, notes = [], fix } of checks) {
    const [first = "", ...more] = wrap(value, style.columns - indent);
    lines.push(`${paint[status](marks[status])} ${chalk.bold(name.padEnd(width))}  ${first}`);
    const below = (text: string) => `${" ".repeat(indent)}${text}`;
    lines.push(...more.map(below));
    for (const note of notes) {
      lines.push(...wrap(note, style.columns - indent).map((line) => below(chalk.dim(line))));
    }
    // Never wrapped: it is meant to be copied.
    if (fix !== undefined) lines.push(below(`fix: ${chalk.cyan(fix)}`));
  }
  return `${lines.join("\n")}\n\n${summary(checks)}\n`;
}

function summary(checks: readonly Check[]): string {
  const count = (status: CheckStatus) => checks.filter((check) => check.status === status).length;
  const warnings = count("warn");
  if (count("fail") > 0) return "The python tool will not work until this is fixed.";
  if (warnings === 0) return "Everything works.";
  return `Everything essential works; ${warnings === 1 ? "one thing" : `${warnings} things`} to look at.`;
}

/** Breaks at spaces only: a path stays whole, even where it is longer than the line. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line !== undefined && Bun.stringWidth(`${line} ${word}`) <= Math.max(width, 40)) {
      lines[lines.length - 1] = `${line} ${word}`;
    } else {
      lines.push(word);
    }
  }
  return lines;
}
