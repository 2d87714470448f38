/**
 * `omp` at a terminal. The prompt is painted first; what it needs is opened after that, and whatever was typed meanwhile runs then.
 * However the session ends, the terminal is as it was, and the last line says how to resume.
 */

import { version } from "../../package.json" with { type: "json" };
import type { AgentSession, AgentSessionOptions } from "../app/agent-session.ts";
import type { CommandIo } from "../app/io.ts";
import type { Invocation } from "../protocol/invocation.ts";
import { Attachments } from "./attachments.ts";
import { commandRows, commandRunner } from "./commands.ts";
import { Conversation } from "./conversation.ts";
import { Ending } from "./ending.ts";
import { gitBranch } from "./git-branch.ts";
import { InputHistory } from "./input-history.ts";
import { readKeymap } from "./key-file.ts";
import { withPrompts, withResources } from "./mcp-offers.ts";
import { type OpenOptions, openSession, runningShells, switchSession } from "./open-session.ts";
import { leaveEndedBranch } from "./own-branch.ts";
import { projectFiles } from "./project-files.ts";
import { Questions } from "./questions.ts";
import { Screen } from "./screen.ts";
import { uiSettings } from "./ui-settings.ts";

export interface InteractiveOptions extends AgentSessionOptions {
  readonly prompt?: string | undefined;
  /** Lines are only added, and states are put into words. */
  readonly screenReader?: boolean | undefined;
}

/** How long a running call is given to end when the user quits. */
const STOP_MS = 1_500;

export async function runInteractive(
  options: InteractiveOptions,
  io: CommandIo,
  invocation: Invocation,
): Promise<number> {
  const ui = await uiSettings(invocation);
  const screen = new Screen({ invocation, ui, isScreenReader: options.screenReader ?? false });
  const ending = new Ending();
  const history = new InputHistory(invocation);
  const parts = openConversation({ options, invocation, screen, ending, history });
  const { conversation } = parts;
  const keymap = greet(screen, invocation);
  try {
    await screen.start({ actions: conversation, keymap, onCrash: (error) => ending.fail(error) });
    await history.load();
    begin(options, parts);
    const opening = openSession(parts, ending.signal);
    opening.catch((error: unknown) => ending.fail(error));
    const exitCode = await ending.reached;
    await conversation.stop(STOP_MS);
    await screen.stop();
    // A session that is still being opened is waited for: it may have started something.
    await closeSession(conversation.session ?? (await opening.catch(() => undefined)), io, ending.hurry);
    return ending.reportFailure(io) ?? exitCode;
  } finally {
    await screen.release();
    ending.release();
  }
}

/** The prompt of the command line, with the pictures of `-i`; pictures alone wait for their prompt. */
function begin({ prompt, image = [] }: InteractiveOptions, { store, conversation }: OpenOptions): void {
  const text = [...conversation.attachFiles(image), ...(prompt === undefined ? [] : [prompt])].join(" ");
  if (prompt !== undefined) conversation.submit(text);
  else if (text !== "") store.dispatch({ type: "handed_back", text: `${text} ` });
}

/** The first lines, and the user's keys. */
function greet({ store }: Screen, invocation: Invocation) {
  store.dispatch({ type: "facts", facts: { branch: gitBranch(invocation.cwd) } });
  store.dispatch({ type: "answer", title: `omp ${version}`, text: "" });
  const { keymap, problems } = readKeymap(invocation);
  for (const text of problems) store.dispatch({ type: "notice", tone: "warning", text });
  return keymap;
}

/** The conversation, wired to the screen; it has no session yet. */
export function openConversation(parts: {
  readonly options: InteractiveOptions;
  readonly invocation: Invocation;
  readonly screen: Screen;
  readonly ending: Pick<Ending, "end" | "whileLent">;
  readonly history: InputHistory;
}): OpenOptions {
  const { options, invocation, screen, ending, history } = parts;
  const { store, pictures } = screen;
  const questions = new Questions(store);
  const attachments = new Attachments(invocation);
  const mcp = () => conversation.session?.services.mcp;
  const listing = (isGoing: boolean) =>
    store.dispatch({ type: "task", what: "listing the project's files", isGoing });
  const conversation: Conversation = new Conversation({
    store,
    questions,
    commands: withPrompts(commandRows, mcp),
    runCommand: commandRunner({ invocation, screen, replace: (id) => switchSession(open, id) }),
    quit: () => ending.end(0),
    remember: async (text) => {
      const problem = await history.add(text);
      if (problem !== undefined) store.dispatch({ type: "notice", tone: "warning", text: problem });
    },
    attachments,
    attachClipboard: async () => {
      const { imageInClipboard } = await import("./clipboard.ts");
      const bytes = await imageInClipboard(invocation);
      return bytes && attachments.addBytes(bytes);
    },
    history: () => history.entries,
    findFiles: withResources(projectFiles(invocation, listing), mcp),
    complete: async (before) => {
      const { completionsAt } = await import("./completions.ts");
      return await completionsAt(before, { session: conversation.session, invocation });
    },
    pictures,
    suspend: () => screen.suspend(),
    editExternally: (text, signal) => ending.whileLent(() => screen.editExternally(text, signal)),
    onIdle: (durationMs) => {
      screen.reportEnd(durationMs);
      const branch = gitBranch(invocation.cwd);
      const backgroundShells = runningShells(conversation.session);
      store.dispatch({ type: "facts", facts: { branch, backgroundShells } });
      if (conversation.session) leaveEndedBranch(store, conversation.session.services.python);
    },
  });
  const open: OpenOptions = { options, invocation, store, questions, conversation, pictures };
  return open;
}

async function closeSession(
  session: AgentSession | undefined,
  io: CommandIo,
  skip: AbortSignal,
): Promise<void> {
  if (session === undefined) return;
  const onSlow = () => io.stderr("Keeping Python variables; Ctrl+C skips that.\n");
  for (const line of await session.close({ skip, onSlow })) io.stderr(`${line}\n`);
  if (session.resumeHint !== undefined) io.stdout(`${session.resumeHint}\n`);
}
