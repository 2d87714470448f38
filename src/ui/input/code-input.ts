/**
 * Tab, Enter and the question about a name, in `$code`: asks the live kernel, without ever making a key wait for it. An answer about text
 * that has changed meanwhile is dropped; an Enter that is not answered when the next key arrives is decided without the kernel.
 */

import { insertText } from "../editor/commands.ts";
import { edit } from "../editor/state.ts";
import type { CodeAnswer, CodeCompletions, CodeHelp } from "../store/code-help.ts";
import type { Store } from "../store/store.ts";
import {
  addIndent,
  askedCode,
  codeIn,
  guessedIndent,
  indentBefore,
  inspectionIn,
  startInEditor,
  type WrittenCode,
} from "./code-text.ts";
import { isIncompletePython } from "./incomplete.ts";
import { changed, type PromptState } from "./prompt-state.ts";

export interface CodeInputOptions {
  readonly store: Store;
  readonly help: CodeHelp;
  readonly get: () => PromptState;
  readonly show: (prompt: PromptState) => void;
  readonly hint: (text: string | undefined) => void;
  /** Sends the prompt. */
  readonly send: () => void;
}

/** How long an Enter waits for the kernel. */
const ENTER_MS = 300;

const BUSY = "The kernel is busy; try again when the cell has finished";
const STARTING = "The kernel is starting";

export class CodeInput {
  readonly #options: CodeInputOptions;
  /** Decides a waiting Enter without the kernel. */
  #decide: (() => void) | undefined;

  constructor(options: CodeInputOptions) {
    this.#options = options;
  }

  get isWriting(): boolean {
    return codeIn(this.#options.get().editor) !== undefined;
  }

  /** Called before any other key, so that what was pressed first happens first. */
  settle(): void {
    this.#decide?.();
  }

  complete(): void {
    const { get, show, hint } = this.#options;
    const prompt = get();
    const written = codeIn(prompt.editor);
    if (written === undefined) return;
    if (indentBefore(prompt.editor) !== undefined) {
      show(changed(prompt, addIndent(prompt.editor)));
      return;
    }
    void this.#ask(written, (help) => help.complete(written.code, written.cursor)).then((answer) => {
      if (answer === undefined || this.#isStale(prompt)) return;
      if (answer.names.length === 0) hint("No completions");
      else this.#offer(written.cursor - answer.start, answer.names);
    });
  }

  /** Completes what is before the cursor by what `complete` finds, if anything. */
  completeWith(complete: (before: string) => Promise<CodeCompletions | undefined>): void {
    const { get, hint } = this.#options;
    const prompt = get();
    const before = prompt.editor.text.slice(0, prompt.editor.cursor);
    void complete(before).then((answer) => {
      if (answer === undefined || this.#isStale(prompt)) return;
      if (answer.names.length === 0) hint("No completions");
      else this.#offer(before.length - answer.start, answer.names);
    });
  }

  inspect(): void {
    const { get, hint, store } = this.#options;
    const prompt = get();
    const written = codeIn(prompt.editor);
    if (written === undefined) return;
    void this.#ask(written, (help) => help.inspect(written.code, written.cursor, "text")).then((answer) => {
      if (answer === undefined || this.#isStale(prompt)) return;
      if (answer === "") hint("No help found for the name at the cursor");
      else store.dispatch({ type: "help", title: "", text: answer });
    });
  }

  enter(): void {
    const { get, store, help, send } = this.#options;
    const { code } = codeIn(get().editor) ?? { code: "" };
    if (inspectionIn(code) !== undefined) {
      send();
      return;
    }
    const guess = () => this.#go({ isWhole: !isIncompletePython(code), indent: guessedIndent(code) });
    // A kernel that has to be started or waited for is not asked: a guess will do.
    if (store.get().facts.kernel.state !== "idle") {
      guess();
      return;
    }
    const timer = setTimeout(() => this.#decide?.(), ENTER_MS);
    const decided = (decide: () => void) => () => {
      clearTimeout(timer);
      this.#decide = undefined;
      decide();
    };
    const decide = decided(guess);
    this.#decide = decide;
    void help.wholeness(askedCode(code)).then((answer) => {
      if (this.#decide !== decide) return;
      if (answer.kind === "answer") decided(() => this.#go(answer.value))();
      else decide();
    });
  }

  #go({ isWhole, indent }: { readonly isWhole: boolean; readonly indent: string }): void {
    const { get, show, send } = this.#options;
    const prompt = get();
    if (isWhole) send();
    else show(changed(prompt, insertText(prompt.editor, `\n${indent}`)));
  }

  async #ask<T>(
    written: WrittenCode,
    question: (help: CodeHelp) => Promise<CodeAnswer<T>>,
  ): Promise<T | undefined> {
    const { store, hint, help } = this.#options;
    const { state, problem } = store.get().facts.kernel;
    if (state === "busy") hint(BUSY);
    if (state === "unavailable") hint(`Python is off: ${problem ?? "see /kernel"}`);
    if (state === "busy" || state === "unavailable" || written.code.trim() === "") return undefined;
    if (state !== "idle") hint(STARTING);
    const answer = await question(help);
    if (answer.kind === "busy") hint(BUSY);
    else if (answer.kind === "none") hint(answer.why);
    else if (state !== "idle") hint(undefined);
    return answer.kind === "answer" ? answer.value : undefined;
  }

  #isStale({ editor: { text, cursor } }: PromptState): boolean {
    const { editor } = this.#options.get();
    return editor.text !== text || editor.cursor !== cursor;
  }

  /** A single name is inserted at once; of several, their common start, and the rest is a menu. */
  #offer(length: number, names: CodeCompletions["names"]): void {
    const { get, show } = this.#options;
    const prompt = get();
    const { editor } = prompt;
    const from = startInEditor(editor, length);
    if (from === undefined) return;
    const insert = commonStart(names.map(({ text }) => text));
    const isMore = insert.length > editor.cursor - from || names.length === 1;
    const filled = isMore ? edit(editor, { start: from, end: editor.cursor, insert, kind: "other" }) : editor;
    const rest = names.length === 1 ? undefined : { head: editor.text.slice(0, from), names };
    show({ ...changed(prompt, filled), code: rest, isMenuClosed: false, chosen: 0 });
  }
}

function commonStart(texts: readonly string[]): string {
  const [first = "", ...rest] = texts;
  let length = first.length;
  for (const text of rest) while (!text.startsWith(first.slice(0, length))) length -= 1;
  return first.slice(0, length);
}
