/**
 * Takes what the user enters, runs one thing at a time, and feeds the store. The model reads prompts that are entered while it works
 * before its next turn; everything else waits until nothing runs.
 */

import type { AgentSession } from "../app/agent-session.ts";
import { within } from "../async/within.ts";
import {
  type AgentEvent,
  shownText,
  type ToolResult,
  type UserMessage,
  userMessage,
} from "../protocol/index.ts";
import type { Pictures } from "../ui/images/pictures.ts";
import type { Actions, GivenAnswer, Readable } from "../ui/store/actions.ts";
import type { CodeHelp } from "../ui/store/code-help.ts";
import { Pickers } from "../ui/store/pickers.ts";
import type { Store } from "../ui/store/store.ts";
import { WORKING } from "../ui/views/progress.ts";
import { nextApproval } from "./approval-mode.ts";
import type { Attachments } from "./attachments.ts";
import { type DirectCall, directCall } from "./direct-call.ts";
import { kernelHelp } from "./kernel-help.ts";
import { ownBranch } from "./own-branch.ts";
import { OwnCalls } from "./own-calls.ts";
import type { Questions } from "./questions.ts";
import { newestReadable } from "./readable.ts";
import { standsForMore, typedMessage } from "./typed-message.ts";

/** A command's own work, with the conversation that it is about. */
export type CommandRunner = (line: string, conversation: Conversation) => Promise<void>;

/** What the screen can ask of the program and is done elsewhere. */
type OtherActions = Pick<
  Actions,
  "history" | "findFiles" | "complete" | "editExternally" | "suspend" | "quit" | "attachClipboard"
>;

export interface ConversationOptions extends OtherActions {
  /** They change with the MCP servers. */
  readonly commands: () => Actions["commands"];
  readonly store: Store;
  readonly questions: Questions;
  readonly runCommand: CommandRunner;
  readonly attachments: Attachments;
  readonly remember: (text: string) => Promise<void> | void;
  readonly pictures: Pick<Pictures, "draw">;
  /** After each piece of work: facts may have changed. */
  readonly onIdle: (durationMs: number) => void;
}

export const SOMETHING_RUNS = "Something else is running; press Esc to stop it.";

/** A path is no command: `/data/x.csv has a wrong header` is asked of the model. */
const COMMAND = /^\/[a-z][\w-]*(?:\s|$)/;

export class Conversation implements Actions {
  readonly store: Store;
  readonly history: Actions["history"];
  readonly findFiles: Actions["findFiles"];
  readonly complete: Actions["complete"];
  readonly editExternally: Actions["editExternally"];
  readonly suspend: Actions["suspend"];
  readonly quit: Actions["quit"];
  readonly attachClipboard: Actions["attachClipboard"];
  readonly pickers: Pickers;
  readonly code: CodeHelp;
  readonly #options: ConversationOptions;
  readonly #opened = Promise.withResolvers<AgentSession>();
  #session: AgentSession | undefined;
  #running: { readonly controller: AbortController; readonly isModel: boolean } | undefined;
  /** What was entered and cannot be run yet. */
  #later: string[] = [];
  readonly #ownCalls: OwnCalls;
  #work: Promise<void> = Promise.resolve();

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.store = options.store;
    this.history = options.history;
    this.findFiles = options.findFiles;
    this.complete = options.complete;
    this.editExternally = options.editExternally;
    this.suspend = options.suspend;
    this.quit = options.quit;
    this.attachClipboard = options.attachClipboard;
    this.#ownCalls = new OwnCalls(this);
    this.pickers = new Pickers(options.store);
    this.code = kernelHelp(
      async () => (this.#session ?? (await this.#opened.promise)).services,
      () => ownBranch(options.store),
    );
  }

  get commands(): Actions["commands"] {
    return this.#options.commands();
  }

  get session(): AgentSession | undefined {
    return this.#session;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Runs what was entered until now. */
  opened(session: AgentSession): void {
    this.#session = session;
    this.#opened.resolve(session);
    this.#next();
  }

  newestOutput(): Readable | undefined {
    return newestReadable(this.store.get(), this.#session?.services);
  }

  remember(text: string): void {
    void this.#options.remember(text);
  }

  submit(text: string): void {
    this.remember(text);
    if (COMMAND.test(text)) this.#track(this.#options.runCommand(text, this));
    else this.say(text);
  }

  /** A prompt, or a call of the user's own: now, or when it is its turn. */
  say(text: string): void {
    if (this.#session && this.#running?.isModel === true && directCall(text) === undefined)
      this.#track(this.#queue(text, this.#session));
    else this.#later.push(text);
    this.#next();
  }

  interrupt(): boolean {
    if (!this.#running) return false;
    this.#running.controller.abort();
    // Now, and not when it has ended: what is entered after this is meant to run.
    this.takeBack();
    return true;
  }

  takeBack(): boolean {
    const texts = [...this.#takeQueued(), ...this.#later.splice(0)];
    this.#showQueued();
    if (texts.length === 0) return false;
    this.store.dispatch({ type: "handed_back", text: texts.join("\n") });
    return true;
  }

  enterLine(line: string): void {
    this.#ownCalls.enterLine(line);
  }

  answer(id: number, given: GivenAnswer): void {
    this.#options.questions.answer(id, given);
  }

  /** The ids of the subagents that wait for the user's answer. */
  get askers(): readonly string[] {
    return this.#options.questions.askers;
  }

  /** @returns what stands for each of them in a prompt. */
  attachFiles(paths: readonly string[]): readonly string[] {
    return paths.map((path) => this.#options.attachments.addFile(path));
  }

  attachPaste(pasted: string, last: number): string | undefined {
    return this.#options.attachments.addPaste(pasted, last);
  }

  goBack(): void {
    this.#track(this.#options.runCommand("/rewind", this));
  }

  nextApproval(): string | undefined {
    return this.#session && nextApproval(this.#session, this.store);
  }

  pick(id: number, row: number | undefined): void {
    this.pickers.picked(id, row);
  }

  /** Stops what runs, and waits a limited time for its end. */
  async stop(limitMs: number): Promise<void> {
    this.#later = [];
    this.#takeQueued();
    this.interrupt();
    await within(this.#work, limitMs);
  }

  /** Runs something alone, with a line that says what it is; Esc ends it without an error. Refused while something else runs. */
  async alone(what: string, isModel: boolean, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (this.#running) {
      this.store.dispatch({ type: "notice", tone: "warning", text: SOMETHING_RUNS });
      return;
    }
    const controller = new AbortController();
    const startedAt = Date.now();
    this.#running = { controller, isModel };
    this.store.dispatch({ type: "started", what });
    try {
      await work(controller.signal);
    } catch (error) {
      if (error !== controller.signal.reason) throw error;
    } finally {
      this.#running = undefined;
      this.store.dispatch({ type: "stopped" });
      this.#options.onIdle(Date.now() - startedAt);
      this.#next();
    }
  }

  async ask(prompt: string): Promise<void> {
    const session = this.#session;
    if (!session) return;
    await this.alone(WORKING, true, async (signal) => {
      const message = await typedMessage(prompt, { ...this.#options, session }, signal);
      if (message !== undefined) await this.show(session.run(message, signal));
    });
  }

  /** For a model that works: it reads the message before its next turn. */
  async #queue(text: string, session: AgentSession): Promise<void> {
    const parts = { ...this.#options, session };
    const { signal } = this.#running?.controller ?? new AbortController();
    // Without a wait where there is nothing to wait for: what is typed next comes after it.
    const message = standsForMore(text, parts) ? await typedMessage(text, parts, signal) : userMessage(text);
    if (message !== undefined) session.agent.inbox.add(message);
    this.#next();
  }

  async show(events: AsyncIterable<AgentEvent>): Promise<void> {
    for await (const event of events) {
      if (event.type === "tool_result" && event.parent === undefined) await this.draw(event.id, event.result);
      this.store.dispatch(event);
      // What waits would most likely fail as well, and be lost prompt by prompt.
      if (event.type === "end" && event.status === "failed") this.takeBack();
    }
  }

  call(call: DirectCall): Promise<void> {
    return this.#ownCalls.run(call);
  }

  /** The pictures of a result. */
  async draw(id: string, result: ToolResult): Promise<void> {
    const pictures = await this.#options.pictures.draw(id, result);
    if (pictures.length > 0) this.store.dispatch({ type: "pictures", id, pictures });
  }

  /** Runs what waits if nothing runs, and shows what still waits. */
  #next(): void {
    if (this.#session && !this.#running) {
      const left = this.#takeQueued();
      const text = left.length > 0 ? left.join("\n\n") : this.#later.shift();
      if (text !== undefined) this.#track(this.#run(text));
    }
    this.#showQueued();
  }

  #run(text: string): Promise<void> {
    // Code and commands have what was pasted in them.
    const direct = directCall(text) && directCall(this.#options.attachments.unfolded(text));
    return direct ? this.call(direct) : this.ask(text);
  }

  /** A bug in the work must end omp with its stack, not be swallowed. */
  #track(work: Promise<void>): void {
    this.#work = Promise.all([this.#work, work]).then(() => undefined);
    work.catch((error: unknown) =>
      queueMicrotask(() => {
        throw error;
      }),
    );
    this.#work.catch(() => undefined);
  }

  /** Reports of the user's own calls stay: the model reads them with the next prompt. */
  #takeQueued(): string[] {
    return this.#session?.agent.inbox.remove(isTyped).map(typedText) ?? [];
  }

  #showQueued(): void {
    const queued = this.#session?.agent.inbox.queued.filter(isTyped).map(typedText) ?? [];
    this.store.dispatch({ type: "queued", texts: [...queued, ...this.#later] });
  }
}

/** Without its pictures, which it names. */
function typedText(message: UserMessage): string {
  return shownText(message).trimEnd();
}

function isTyped({ origin }: UserMessage): boolean {
  return origin.kind === "typed";
}
