/** `bash_output`: what a background shell has written since the last call; without an id, which shells there are. */

import * as z from "zod";
import prompt from "../../prompts/tools/bash_output.md" with { type: "text" };
import { formatDuration } from "../format/durations.ts";
import { groupDigits } from "../format/numbers.ts";
import { noticeLine } from "../output/notice.ts";
import { type CapturedOutput, OutputSink } from "../output/sink.ts";
import { modelTail } from "../output/truncation.ts";
import { unfinishedTail } from "../output/utf8.ts";
import type { Tool, ToolResult } from "../protocol/index.ts";
import type { BackgroundShell } from "../shell/background-shell.ts";
import type { NewOutput } from "../shell/capped-log.ts";
import type { Shells } from "../shell/shells.ts";
import { defineTool } from "./define-tool.ts";
import { textField } from "./fields.ts";
import { filterLines } from "./filter-lines.ts";
import { ResultText } from "./result-text.ts";
import type { RipgrepServices } from "./ripgrep.ts";
import {
  describeStatus,
  findShell,
  isOneShell,
  readShellId,
  shellIdField,
  shellIdFields,
  twoShells,
} from "./shell-ids.ts";

const operation = "bash_output";

const filter = textField(
  "A regular expression: only lines that match are shown; the others count as read.",
).optional();

const schema = z.strictObject({ ...shellIdFields, filter }).refine(isOneShell, twoShells);

const shown = z.strictObject({ bash_id: shellIdField.optional(), filter });

export type BashOutputInput = z.output<typeof schema>;

export interface BashOutputToolOptions extends RipgrepServices {
  readonly shells: () => Shells;
}

export function bashOutputTool({ shells, ...services }: BashOutputToolOptions): Tool<BashOutputInput> {
  const vain: VainLooks = new WeakMap();
  return defineTool({
    name: operation,
    prompt,
    schema,
    shown: () => shown,
    readOnly: true,
    summary: (input) => readShellId(input) ?? "list of background shells",
    run: async ({ filter: pattern, ...input }, { signal }) => {
      const id = readShellId(input);
      if (id === undefined) return listShells(shells().background.list());
      const filter: Filter | undefined =
        pattern === undefined
          ? undefined
          : (text) => filterLines(text, { operation, pattern, signal, services });
      return readOutput(findShell(operation, id, shells()), filter, vain);
    },
  });
}

function listShells(shells: readonly BackgroundShell[]): ToolResult {
  const lines = shells.map((shell) => {
    const command = shell.command.trim().replace(/\s*\n\s*/g, " ⏎ ");
    return `${shell.id}  ${describeStatus(shell)}  ${formatDuration(shell.durationMs)}  ${command.length > 100 ? `${command.slice(0, 99)}…` : command}`;
  });
  const facts = shells.map(({ id, status, exitCode, command }) => ({
    shellId: id,
    status,
    exitCode,
    command,
  }));
  return {
    isError: false,
    output: lines.length === 0 ? "No background shells." : lines.join("\n"),
    details: { shells: facts },
  };
}

type Filter = (text: string) => Promise<string>;

/** How often in a row a shell was looked at that runs and had nothing new. */
type VainLooks = WeakMap<BackgroundShell, number>;

/** After so many the model is told. Waiting is legitimate: nothing else happens, however often it looks. */
const TELL_AFTER = 3;

async function readOutput(
  shell: BackgroundShell,
  filter: Filter | undefined,
  vain: VainLooks,
): Promise<ToolResult> {
  const fresh = shell.readNew(filter === undefined ? unfinishedTail : unfinishedLine);
  // Before the filter runs: a shell that ends meanwhile has more to show.
  const head = `${shell.id}: ${describeStatus(shell)}, ${formatDuration(shell.durationMs)}`;
  const facts = {
    shellId: shell.id,
    status: shell.status,
    exitCode: shell.exitCode,
    signal: shell.signal,
    durationMs: shell.durationMs,
    cwd: shell.cwd,
    ...(shell.timedOut ? { timedOut: true, cancelled: true } : {}),
    ...(shell.copy === undefined ? {} : { artifact: shell.copy.id }),
    totalBytes: shell.stdout.totalBytes + shell.stderr.totalBytes,
  };
  const [stdout, stderr] =
    filter === undefined
      ? [show(fresh.stdout), show(fresh.stderr)]
      : await Promise.all([
          // Also without any output, so that a bad filter is an error.
          showMatches(fresh.stdout, filter),
          fresh.stderr.bytes.length === 0 ? show(fresh.stderr) : showMatches(fresh.stderr, filter),
        ]);
  // Only now: a filter that fails must lose nothing.
  fresh.stdout.markRead();
  fresh.stderr.markRead();
  const text = new ResultText();
  text.note(head);
  addStream(text, "stdout", stdout);
  if (stderr.captured.totalBytes > 0) {
    text.note("[stderr]", "stderr:");
    addStream(text, "stderr", stderr);
  }
  const nothing = filter === undefined ? "(no new output)" : "(no new output that matches)";
  if (text.lineCount === 1) text.note(nothing, nothing);
  const isWhole =
    filter === undefined && ![stdout, stderr].some(({ captured, lost }) => captured.truncated || lost > 0);
  if (!isWhole) text.note(describeCopy(shell));
  text.note(shell.problem, shell.problem);
  const isVain = facts.status === "running" && fresh.stdout.bytes.length + fresh.stderr.bytes.length === 0;
  const looks = isVain ? (vain.get(shell) ?? 0) + 1 : 0;
  vain.set(shell, looks);
  if (looks >= TELL_AFTER)
    text.remark(
      `nothing new in ${looks} looks in a row; wait longer before the next one, for example with: sleep 30`,
    );
  return {
    isError: false,
    output: text.output,
    details: {
      ...facts,
      ...text.details,
      stdout: stdout.captured.text,
      stderr: stderr.captured.text,
      truncated: stdout.captured.truncated || stderr.captured.truncated || stdout.lost + stderr.lost > 0,
      stdoutTruncated: stdout.captured.truncated || stdout.lost > 0,
      stderrTruncated: stderr.captured.truncated || stderr.lost > 0,
      lostBytes: stdout.lost + stderr.lost,
    },
  };
}

/** Where everything is that this look does not show. */
function describeCopy({ copy }: BackgroundShell): string | undefined {
  if (copy === undefined) return undefined;
  const { id: artifact, problem } = copy;
  const facts = { cut: undefined, binary: false, totalBytes: 0, totalLines: 0, artifact, problem };
  return noticeLine(facts) ?? `[all output so far: artifact://${artifact}]`;
}

/** A line that is longer than this is not waited for. */
const MAX_HELD_LINE = 65_536;

/** A filter must see whole lines. */
export function unfinishedLine(bytes: Uint8Array): number {
  const length = bytes.length - (bytes.lastIndexOf(0x0a) + 1);
  return length > MAX_HELD_LINE ? 0 : length;
}

interface Shown {
  readonly captured: CapturedOutput;
  readonly lost: number;
}

function show({ bytes, lost }: Pick<NewOutput, "lost"> & { readonly bytes: Uint8Array | string }): Shown {
  const sink = new OutputSink({ policy: modelTail });
  sink.write(bytes);
  return { captured: sink.finish(), lost };
}

async function showMatches({ bytes, lost }: NewOutput, filter: Filter): Promise<Shown> {
  return show({ bytes: await filter(new TextDecoder().decode(bytes)), lost });
}

function addStream(text: ResultText, name: string, { captured, lost }: Shown): void {
  if (lost > 0) text.remark(`${groupDigits(lost)} bytes of ${name} were cut before they were read`);
  text.printCaptured(captured);
}
