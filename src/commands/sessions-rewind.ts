/** `omp sessions rewind`: what it says, for people and as JSON. */

import { exitCodeOf, withErrorLine } from "../app/exit-codes.ts";
import type { CommandIo } from "../app/io.ts";
import { jsonText } from "../app/printing.ts";
import { changeLines, changesText, droppedText, leftText, notCoveredClauses } from "../app/rewind-words.ts";
import { rewindStored, type StoredRewindResult } from "../app/stored-rewind.ts";
import type { Invocation } from "../protocol/invocation.ts";

export interface SessionsRewindOptions {
  readonly id: string;
  readonly to?: number | undefined;
  readonly undo?: boolean | undefined;
  readonly files?: boolean | undefined;
  readonly conversation?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
  readonly json?: boolean | undefined;
}

const FAILED = 1;
const BAD_USAGE = 2;

/** The exit code: 0; 1 when a file could not be brought back; 2 for a session or prompt that is not there, or a session in use. */
export async function runSessionsRewind(
  options: SessionsRewindOptions,
  io: CommandIo,
  invocation: Invocation,
): Promise<number> {
  const { id, to, undo = false, dryRun = false, json = false } = options;
  if ((to === undefined) !== undo) {
    io.stderr("rewind: give either --to <n> or --undo (USAGE)\n");
    return BAD_USAGE;
  }
  const isAll = options.files !== true && options.conversation !== true;
  const choice = {
    files: isAll || options.files === true,
    conversation: isAll || options.conversation === true,
  };
  const run = async () => {
    const result = await rewindStored(
      { session: id, to: to ?? "undo", choice, isDryRun: dryRun },
      invocation,
    );
    io.stdout(json ? jsonText(fieldsOf(result, choice)) : textOf(result, choice));
    return (result.report?.files?.failed ?? 0) > 0 ? FAILED : 0;
  };
  const isAboutFiles = (code: string) => ["ENOSPC", "GIT", "UNWRITABLE", "NOT_KEPT"].includes(code);
  return await withErrorLine(io, run, (error) => (isAboutFiles(error.code) ? FAILED : exitCodeOf(error)));
}

interface Choice {
  readonly files: boolean;
  readonly conversation: boolean;
}

function textOf({ sessionId, prompt, seen, report }: StoredRewindResult, choice: Choice): string {
  const where = prompt === undefined ? "before the last rewind" : `before prompt ${prompt.number}`;
  const title = report === undefined ? `Would go back to ${where}` : `Went back to ${where}`;
  const { files } = seen;
  return `${[
    `${title}: ${sessionId}`,
    ...(choice.files && files.kind === "impossible" ? [`  files: not taken back: ${files.reason}`] : []),
    ...(choice.files && files.kind === "known"
      ? [`  files: ${changesText(files.changes)}`, ...changeLines(files.changes).map((line) => `    ${line}`)]
      : []),
    ...(report?.files?.left ?? []).map(({ name, why }) => `    left as it is: ${name}: ${why}`),
    ...(choice.conversation ? [`  conversation: ${droppedText(seen)}`] : []),
    "  variables: they ended with the session's process",
    `  ${leftText(choice.files ? notCoveredClauses(files, report?.files?.left) : [])}`,
    ...(report === undefined
      ? []
      : [`  To take this back: omp sessions rewind ${sessionId.slice(0, 8)} --undo`]),
  ].join("\n")}\n`;
}

function fieldsOf({ sessionId, prompt, seen, report }: StoredRewindResult, choice: Choice) {
  const { files, dropped } = seen;
  return {
    session_id: sessionId,
    to: prompt?.number ?? null,
    dry_run: report === undefined,
    files: !choice.files
      ? null
      : {
          problem: files.kind === "impossible" ? files.reason : null,
          changes:
            files.kind === "impossible"
              ? []
              : files.changes.map(({ name, kind, added, removed }) => ({
                  path: name,
                  kind,
                  added: added ?? null,
                  removed: removed ?? null,
                })),
          written: report?.files?.written ?? 0,
          removed: report?.files?.removed ?? 0,
          left: report?.files?.left.map(({ name, why }) => ({ path: name, why })) ?? [],
          not_covered:
            files.kind === "impossible" ? [] : files.notCovered.map(({ name, why }) => ({ path: name, why })),
        },
    conversation: !choice.conversation
      ? null
      : { prompts: dropped.prompts, calls: dropped.calls, brought_back: seen.again.length },
    variables: null,
  };
}
