/** `bash_output`: what a background shell has written since the last look; without an id, which shells there are. */

import * as z from "zod";
import prompt from "../../prompts/tools/bash_output.md" with { type: "text" };
import { grouped } from "../output/grouped-number.ts";
import { type CapturedOutput, OutputSink } from "../output/sink.ts";
import { modelTail } from "../output/truncation.ts";
import { unfinishedTail } from "../output/utf8.ts";
import type { Tool, ToolResult } from "../protocol/index.ts";
import type { BackgroundShell } from "../shell/background-shell.ts";
import type { NewOutput } from "../shell/capped-log.ts";
import type { LineFilter } from "../shell/filter/line-filter.ts";
import type { Shells } from "../shell/shells.ts";
import { defineTool } from "./define-tool.ts";
import { textField } from "./fields.ts";
import { describeStatus, findShell, shellId, shellIdFields } from "./shell-ids.ts";

const schema = z.strictObject({
  ...shellIdFields,
  filter: textField(
    "A regular expression: only lines that match are shown; the others count as read.",
  ).optional(),
});

export type BashOutputInput = z.output<typeof schema>;

export interface BashOutputToolOptions {
  readonly shells: () => Shells;
}

export function bashOutputTool({ shells }: BashOutputToolOptions): Tool<BashOutputInput> {
  return defineTool({
    name: "bash_output",
    prompt,
    schema,
    concurrency: "parallel",
    readOnly: true,
    summary: (input) => input.bash_id ?? input.shell_id ?? "list of background shells",
    run: async (input) => {
      const id = shellId("bash_output", input);
      return id === undefined
        ? listShells(shells().background.list())
        : look(findShell("bash_output", id, shells()), input.filter);
    },
  });
}

function listShells(shells: readonly BackgroundShell[]): ToolResult {
  const lines = shells.map((shell) => {
    const command = shell.command.trim().replace(/\s*\n\s*/g, " ⏎ ");
    return `${shell.id}  ${describeStatus(shell)}  ${seconds(shell)}  ${command.length > 100 ? `${command.slice(0, 99)}…` : command}`;
  });
  const facts = shells.map(({ id, status, exitCode, command }) => ({
    shellId: id,
    status,
    exitCode,
    command,
  }));
  return {
    isError: false,
    output: lines.length === 0 ? "There are no background shells." : lines.join("\n"),
    details: { shells: facts },
  };
}

async function look(shell: BackgroundShell, pattern: string | undefined): Promise<ToolResult> {
  // Before anything counts as read: a bad filter must lose nothing. Loaded when it is needed.
  const filter =
    pattern === undefined
      ? undefined
      : new (await import("../shell/filter/line-filter.ts")).LineFilter(pattern);
  const fresh = shell.takeNew(filter === undefined ? unfinishedTail : unfinishedLine);
  const stdout = show(fresh.stdout, filter);
  const stderr = show(fresh.stderr, filter);
  const printed = [
    body("stdout", stdout),
    stderr.captured.totalBytes > 0 ? `[stderr]\n${body("stderr", stderr)}` : "",
  ];
  const parts = printed.filter((part) => part !== "");
  const nothing = filter === undefined ? "(no new output)" : "(no new output that matches)";
  const problem = shell.problem === undefined ? [] : [`[${shell.problem}]`];
  return {
    isError: false,
    output: [
      `${shell.id}: ${describeStatus(shell)}, ${seconds(shell)}`,
      ...(parts.length === 0 ? [nothing] : parts),
      ...problem,
    ].join("\n"),
    details: {
      shellId: shell.id,
      status: shell.status,
      exitCode: shell.exitCode,
      signal: shell.signal,
      durationMs: shell.durationMs,
      cwd: shell.cwd,
      stdout: stdout.captured.text,
      stderr: stderr.captured.text,
      truncated: stdout.captured.truncated || stderr.captured.truncated || stdout.lost + stderr.lost > 0,
      stdoutTruncated: stdout.captured.truncated || stdout.lost > 0,
      stderrTruncated: stderr.captured.truncated || stderr.lost > 0,
      lostBytes: stdout.lost + stderr.lost,
      totalBytes: shell.stdout.totalBytes + shell.stderr.totalBytes,
    },
  };
}

/** A line that is longer than this is not waited for. */
const maxHeldLine = 65_536;

/** A filter must see whole lines. */
export function unfinishedLine(bytes: Uint8Array): number {
  const length = bytes.length - (bytes.lastIndexOf(0x0a) + 1);
  return length > maxHeldLine ? 0 : length;
}

interface Shown {
  readonly captured: CapturedOutput;
  readonly lost: number;
}

function show({ bytes, lost }: NewOutput, filter: LineFilter | undefined): Shown {
  const sink = new OutputSink({ policy: modelTail });
  sink.write(filter === undefined ? bytes : filter.apply(new TextDecoder().decode(bytes)));
  return { captured: sink.finish(), lost };
}

function body(name: string, { captured, lost }: Shown): string {
  const cut = lost === 0 ? "" : `[${grouped(lost)} bytes of ${name} were cut before they were read]\n`;
  const notice = captured.notice === undefined ? "" : `\n${captured.notice}`;
  return `${cut}${captured.text.replace(/\n$/, "")}${notice}`;
}

function seconds({ durationMs }: BackgroundShell): string {
  return `${(durationMs / 1000).toFixed(1)} s`;
}
