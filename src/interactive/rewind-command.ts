/**
 * `/rewind`, and Esc twice at an empty prompt: goes back to before an earlier message, with files, variables and conversation or some of
 * them, and takes that back again.
 */

import type { RewindChoice, RewindPreview } from "../app/rewind.ts";
import {
  changesText,
  droppedText,
  leftText,
  notCoveredClauses,
  someNames,
  variableLines,
  variablesText,
} from "../app/rewind-words.ts";
import { count } from "../format/numbers.ts";
import type { Prompt } from "../history/prompts.ts";
import { runCellsAgain } from "./cells-again.ts";
import { inform, type OpenCall, warn } from "./command.ts";
import { showConversation } from "./earlier-events.ts";

type Step = RewindChoice | "diff" | "cells" | "fork" | { readonly impossible: string };

const ALL = { files: true, variables: true, conversation: true };

export async function rewind(call: OpenCall): Promise<void> {
  const { session, conversation, argument } = call;
  if (argument !== "" && argument !== "undo") return warn(call, "Usage: /rewind or /rewind undo.");
  const prompts = session.rewind.prompts();
  if (prompts === undefined)
    return warn(call, "This session is not saved (--no-session), so you cannot go back.");
  if (argument === "undo") return await undo(call);
  const { canUndo } = session.rewind;
  if (prompts.length === 0 && !canUndo) return inform(call, "This session is still empty.");
  const rows = prompts
    .map((prompt) => ({ label: oneLine(prompt.text), description: "", value: prompt }))
    .reverse();
  const undoRow = { label: "Undo the last rewind", description: "", value: "undo" as const };
  const chosen = await conversation.pickers.pick<Prompt | "undo">({
    title: "Go back to (newest first)",
    choices: canUndo ? [...rows, undoRow] : rows,
  });
  if (chosen === "undo") await undo(call);
  else if (chosen !== undefined) await goBackTo(chosen, call);
}

async function goBackTo(prompt: Prompt, call: OpenCall): Promise<void> {
  const { session } = call;
  const seen = await looked(call, (signal) => session.rewind.preview(prompt, signal));
  if (seen === undefined) return;
  const cells = session.rewind.cells(prompt);
  const step = await choose(`Before: ${oneLine(prompt.text)}`, seen, call, [
    ...(seen.variables.kind === "impossible" && cells.length > 0
      ? [row("Run the cells again", `${count(cells.length, "cell")} up to there; asks first`, "cells")]
      : []),
    row("Fork", "the conversation in a copy; this session stays as it is", "fork"),
  ]);
  if (step === "cells") await runCellsAgain(cells, call);
  else if (step === "fork") await fork(prompt, call);
  else if (step !== undefined) await perform(seen, step, call, prompt);
}

/** Until something is chosen that can be done; undefined when nothing is. */
async function choose(
  title: string,
  seen: RewindPreview,
  call: OpenCall,
  more: readonly Row[],
): Promise<RewindChoice | "cells" | "fork" | undefined> {
  const choices = [...rowsFor(seen), ...more];
  for (let first = 0; ; ) {
    const step = await call.conversation.pickers.pick<Step>({ title, choices, first });
    if (step === "diff") await showDiff(seen, call);
    else if (typeof step === "object" && "impossible" in step) warn(call, step.impossible);
    else return step;
    first = choices.findIndex(({ value }) => value === step);
  }
}

const row = (label: string, description: string, value: Step) => ({ label, description, value });
type Row = ReturnType<typeof row>;

function rowsFor(seen: RewindPreview): Row[] {
  const { files, variables } = seen;
  const nothing = { files: false, variables: false, conversation: false };
  const hasChanges = files.kind === "known" && files.changes.length > 0;
  const filesText =
    files.kind === "impossible"
      ? `not possible: ${files.reason}`
      : [
          hasChanges
            ? `${changesText(files.changes)}: ${someNames(files.changes.map(({ name }) => name))}`
            : changesText(files.changes),
          ...notCoveredClauses(files).map((clause) => `without ${clause}`),
        ].join("; ");
  const possible = [
    ...(files.kind === "known" ? ["files"] : []),
    ...(variables.kind === "known" ? ["variables"] : []),
    ...(seen.hasShell ? ["shell"] : []),
    "conversation",
  ];
  const canRestore = variables.kind === "known" || seen.hasShell;
  return [
    row("Everything", possible.join(", "), ALL),
    row(
      "Files",
      filesText,
      files.kind === "known" ? { ...nothing, files: true } : { impossible: `Files: ${files.reason}.` },
    ),
    row(
      "Variables and shell",
      variables.kind === "known" ? variablesText(variables) : `variables not possible: ${variables.reason}`,
      canRestore ? { ...nothing, variables: true } : { impossible: `Variables: ${variables.reason}.` },
    ),
    row("Conversation", droppedText(seen), { ...nothing, conversation: true }),
    ...(files.kind === "known" && canRestore
      ? [row("All but conversation", "the model is told", { ...ALL, conversation: false })]
      : []),
    ...(hasChanges || variableLines(variables).length > 0
      ? [row("See the diff", "what would change in files and variables", "diff")]
      : []),
  ];
}

async function undo(call: OpenCall): Promise<void> {
  const seen = await looked(call, async (signal) => await call.session.rewind.previewUndo(signal));
  if (seen === undefined) return inform(call, "No rewind to undo.");
  // What was said and done since would be gone with it.
  const choice = seen.promptsSince === 0 ? ALL : await choose("Undo the last rewind", seen, call, []);
  if (typeof choice === "object") await perform(seen, choice, call);
}

/** While nothing else runs; undefined where something does. */
async function looked<T>(call: OpenCall, look: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
  let seen: T | undefined;
  await call.conversation.alone("comparing", false, async (signal) => {
    seen = await look(signal);
  });
  return seen;
}

async function perform(
  seen: RewindPreview,
  choice: RewindChoice,
  call: OpenCall,
  prompt?: Prompt,
): Promise<void> {
  const { session, conversation, screen } = call;
  await conversation.alone("going back", false, async (signal) => {
    const report = await session.rewind.perform(seen, choice, signal);
    const { files, variables, shell } = report;
    const changed = files === undefined ? 0 : files.written + files.removed;
    const done = [
      ...(changed === 0 ? [] : [count(changed, "file")]),
      ...(variables !== undefined && "notHeld" in variables ? ["variables"] : []),
      ...(shell !== undefined && shell.reason === undefined ? ["shell"] : []),
      ...(choice.conversation
        ? [seen.isUndo && seen.promptsSince === 0 ? "conversation" : droppedText(seen)]
        : []),
    ];
    const what = done.length === 0 ? "nothing" : done.join(", ");
    const text = `${seen.isUndo ? "Undone" : "Went back"}: ${what}. ${leftText(notTakenBack(report, choice.files ? seen.files : undefined, call))} /rewind undo ${seen.isUndo ? "does it again" : "undoes it"}.`;
    if (choice.conversation) await showConversation(report.entries, text, { session, conversation, screen });
    else inform(call, text);
    if (choice.conversation && prompt !== undefined)
      conversation.store.dispatch({ type: "handed_back", text: prompt.text });
  });
}

type Report = Awaited<ReturnType<OpenCall["session"]["rewind"]["perform"]>>;

function notTakenBack(
  { files, variables, shell }: Report,
  seen: RewindPreview["files"] | undefined,
  { session }: OpenCall,
): string[] {
  const shells = session.services.shells.background().filter(({ status }) => status === "running").length;
  return [
    ...(shells > 0
      ? [`${count(shells, "background shell")} that still ${shells === 1 ? "runs" : "run"}`]
      : []),
    ...(files?.left ?? []).slice(0, MOST_NAMED).map(({ name, why }) => `${name} (${why})`),
    ...(seen === undefined ? [] : notCoveredClauses(seen, files?.left)),
    ...(variables === undefined
      ? []
      : "reason" in variables
        ? [`variables (${variables.reason})`]
        : [
            ...variables.notHeld,
            ...(variables.noUndo === undefined
              ? []
              : [`the variables until now, which could not be kept (${variables.noUndo})`]),
          ]),
    ...(shell?.reason === undefined ? [] : [`the shell (${shell.reason})`]),
  ];
}

const MOST_NAMED = 5;

async function showDiff(seen: RewindPreview, { session, screen }: OpenCall): Promise<void> {
  const { colorCode } = await import("../ui/markdown/code-colors.ts");
  const { plainText } = await import("../ui/text/lines.ts");
  const patch = await session.rewind.patch(seen);
  const lines = variableLines(seen.variables);
  const variables = lines.length === 0 ? "" : `${lines.join("\n")}\n\n`;
  const text = `${plainText(variables)}${colorCode(plainText(patch), "diff", screen.look.themes.get())}`;
  const size = seen.files.kind === "known" ? changesText(seen.files.changes) : "";
  await screen.showPager({ text, title: `What would change: ${size}` });
}

async function fork({ index, text }: Prompt, { session, conversation, screen }: OpenCall): Promise<void> {
  const original = session.fork(index);
  const where = `Forked to ${session.sessionId}; the original is ${original}. Files, Python variables and shell state stay as they are.`;
  await showConversation(session.entries() ?? [], where, { session, conversation, screen });
  conversation.store.dispatch({ type: "handed_back", text });
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
