/** Keys to what they do: edit the prompt, answer the question, or act. Holds the prompt between two keys. */

import { systemCode } from "../../protocol/index.ts";
import { type KeyEvent, splitInput } from "../editor/key-name.ts";
import { type AppCommand, type Keymap, type Press, pressOf } from "../editor/keymap.ts";
import { killAll } from "../editor/kill-ring.ts";
import { isOnFirstRow } from "../editor/motion.ts";
import { expandPastes } from "../editor/paste.ts";
import { clearText, edit, replaceText } from "../editor/state.ts";
import { editorWidth } from "../editor/wrap.ts";
import type { Actions, PagedOutput, PagedText } from "../store/actions.ts";
import { type Picker, pickerPressed } from "../store/picker-state.ts";
import type { Store } from "../store/store.ts";
import { AttachmentInput } from "./attachment-input.ts";
import { CodeInput } from "./code-input.ts";
import { type ExternalEditOptions, editExternally } from "./external-edit.ts";
import { fileOffers } from "./file-offers.ts";
import { LineInput } from "./line-input.ts";
import { PasteBurst } from "./paste-burst.ts";
import {
  changed,
  completed,
  emptyPrompt,
  isEmptyPrompt,
  menuOf,
  type PromptState,
  pressed,
} from "./prompt-state.ts";
import { QuestionKeys } from "./question-keys.ts";
import { SecondPress } from "./second-press.ts";

/** What can be done with the terminal while it is lent. */
export interface OwnTerminal {
  /** Aborted when omp ends. */
  readonly signal: AbortSignal;
  showPager(output: PagedOutput | PagedText): Promise<void>;
  /** Everything that was said and done, expanded. */
  showTranscript(): Promise<void>;
}

export type TakeTerminal = (work: (terminal: OwnTerminal) => Promise<void>) => Promise<void>;

export class PromptKeys {
  readonly #store: Store;
  readonly #actions: Actions;
  readonly #keymap: Keymap;
  readonly #listeners = new Set<() => void>();
  /** Lends the whole terminal for a while; set once the screen has started. */
  takeTerminal: TakeTerminal = async () => undefined;
  /** A screen reader follows: there is nothing but lines that are added. */
  isSpoken = false;
  #prompt: PromptState = emptyPrompt;
  #handedBack = 0;
  #hasReceived = false;
  readonly #code: CodeInput;
  readonly #line: LineInput;
  readonly #attachments: AttachmentInput;
  readonly #external: ExternalEditOptions;
  readonly #followFiles: () => void;
  readonly #second: SecondPress;
  readonly question: QuestionKeys;
  readonly #burst = new PasteBurst((text) => this.press({ kind: "paste", text }));
  /** The draft, while the reason of an answer is being written. */
  #draft: PromptState | undefined;
  /** What each command does that is not the prompt's own. */
  readonly #handlers: Readonly<Partial<Record<AppCommand, () => void>>> = {
    submit: () => this.#submit(),
    cancel: () => this.#cancel(),
    interrupt: () => this.#quitOnSecond(),
    quit: () => this.#endOfFile(),
    "take-back": () => this.#actions.takeBack(),
    complete: () => {
      if (this.#code.isWriting) this.#code.complete();
      else this.#code.completeWith((before) => this.#actions.complete(before));
    },
    "complete-previous": () => {
      if (this.#code.isWriting) this.#code.inspect();
      else this.#second.hint(this.#actions.nextApproval());
    },
    inspect: () => this.#code.inspect(),
    suspend: () => void this.#withTerminal(() => this.#actions.suspend()),
    "toggle-expand": () => this.#expand(),
    "open-pager": () => this.#openPager(),
    "external-editor": () => void editExternally(this.#external),
    "attach-image": () => this.#attachments.fromClipboard(),
    "clear-screen": () => this.#store.dispatch({ type: "redraw_asked", what: "all" }),
  };

  constructor(store: Store, actions: Actions, keymap: Keymap) {
    this.#store = store;
    this.#keymap = keymap;
    this.#actions = actions;
    this.#second = new SecondPress(store);
    const prompt = { get: this.get, show: (next: PromptState) => this.#show(next) };
    this.#followFiles = fileOffers({ ...prompt, findFiles: (...query) => actions.findFiles(...query) });
    this.#code = new CodeInput({
      ...prompt,
      store,
      help: actions.code,
      hint: (text) => this.#second.hint(text),
      send: () => this.#send(),
    });
    const hint = (text: string | undefined) => this.#second.hint(text);
    this.#attachments = new AttachmentInput({ ...prompt, actions, hint });
    const withTerminal: TakeTerminal = (work) => this.#withTerminal(work);
    this.#external = { ...prompt, store, actions, withTerminal };
    this.#line = new LineInput(store, { ...prompt, send: (line) => actions.enterLine(line) });
    store.subscribe(() => this.#takeHandedBack());
    this.question = new QuestionKeys(store, actions, {
      isEmpty: () => isEmptyPrompt(this.#prompt),
      hasMenu: () => menuOf(this.#prompt, actions.commands) !== undefined,
      startReason: () => {
        this.#draft = this.#prompt;
        this.#clear();
      },
      endReason: (isKept) => this.#endReason(isKept),
    });
  }

  readonly get = (): PromptState => this.#prompt;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** What Ink read: one key, or several that arrived together. */
  readonly receive = (event: KeyEvent): void => {
    // Typed while omp was starting: the terminal was not in raw mode yet, and turned Enter into a line feed.
    const isTypedAhead = !this.#hasReceived && event.input.endsWith("\n");
    this.#hasReceived = true;
    if (!isTypedAhead && this.#burst.take(event)) return;
    const read = isTypedAhead ? { ...event, input: event.input.replaceAll("\n", "\r") } : event;
    for (const part of splitInput(read)) {
      const press = pressOf(this.#keymap, part);
      if (press !== undefined) this.press(press);
    }
  };

  readonly press = (press: Press): void => {
    const { picker, size, queued, isEnding } = this.#store.get();
    if (isEnding) return;
    this.#burst.flush();
    this.#code.settle();
    if (picker !== undefined) {
      this.#pick(picker, press);
      return;
    }
    if (this.question.press(press)) return;
    if (press.kind === "paste" && this.#attachments.paste(press.text)) return;
    if (queued.length > 0 && this.#isUpFromDraft(press) && this.#actions.takeBack()) return;
    const outcome = pressed(this.#prompt, press, {
      width: editorWidth(size.columns),
      commands: this.#actions.commands,
      history: this.#actions.history(),
    });
    if ("prompt" in outcome) {
      this.#second.forget();
      this.#show(outcome.prompt);
    } else this.#handlers[outcome.command]?.();
  };

  /** Up where it would leave the text, and no menu or search has it. */
  #isUpFromDraft(press: Press): boolean {
    const { editor, back, search } = this.#prompt;
    if (press.kind !== "command" || press.command !== "cursor-up" || back > 0 || search) return false;
    if (menuOf(this.#prompt, this.#actions.commands) !== undefined) return false;
    return isOnFirstRow(editor, editorWidth(this.#store.get().size.columns));
  }

  #pick(picker: Picker, press: Press): void {
    const outcome = pickerPressed(picker, press);
    // Ctrl+C closes the list, and is the first of two, as elsewhere.
    if (press.kind === "command" && press.command === "interrupt") this.#quitOnSecond();
    if (outcome?.kind === "picked") this.#actions.pick(picker.id, outcome.row);
    else if (outcome) this.#store.dispatch({ ...outcome, type: "picker_changed", id: picker.id });
  }

  #submit(): void {
    if (this.#line.enter()) return;
    const prompt = this.#prompt;
    const { text, cursor } = prompt.editor;
    const isCode = this.#code.isWriting;
    // In code the backslash is Python's own, and stays.
    if (text[cursor - 1] === "\\" && !isCode) {
      const line = { start: cursor - 1, end: cursor, insert: "\n", kind: "other" } as const;
      this.#show(changed(prompt, edit(prompt.editor, line)));
      return;
    }
    const menu = menuOf(prompt, this.#actions.commands);
    const needsMore = menu?.rows[prompt.chosen]?.needsMore === true;
    if (menu !== undefined && (menu.token.kind !== "command" || needsMore)) {
      const before = prompt.editor.text;
      this.#show(completed(prompt, this.#actions));
      // If the name was already complete, Enter was meant to send.
      if (menu.token.kind === "file" || this.#prompt.editor.text !== before) return;
    }
    if (isCode && cursor === text.length) this.#code.enter();
    else this.#send();
  }

  #send(): void {
    const prompt = this.#prompt;
    const menu = menuOf(prompt, this.#actions.commands);
    const { editor } = menu?.token.kind === "command" ? completed(prompt, this.#actions) : prompt;
    const whole = expandPastes(editor).replace(/\s+$/, "");
    if (whole.trim() === "") return;
    this.#clear();
    this.#actions.submit(whole);
  }

  #cancel(): void {
    if (this.#actions.interrupt() || this.#actions.takeBack()) return;
    const isEmpty = this.#prompt.editor.text === "";
    const isSecond = this.#second.isSecond(isEmpty ? "back" : "clear");
    const first = isEmpty ? "go back to an earlier message" : "clear the prompt";
    if (isSecond && !isEmpty) this.#discard();
    const cleared = isEmpty ? undefined : "Cleared; Up or Ctrl+Y brings it back";
    this.#second.hint(isSecond ? cleared : `Press Esc again to ${first}`);
    if (isSecond && isEmpty) this.#actions.goBack();
  }

  #quitOnSecond(): void {
    const isSecond = this.#second.isSecond("quit");
    this.#discard();
    if (isSecond) {
      this.#actions.quit();
      return;
    }
    // After the draft is kept: what was queued comes back into the prompt.
    this.#actions.interrupt();
    this.#second.hint("Press Ctrl+C again to quit");
  }

  #openPager(): void {
    const output = this.#actions.newestOutput();
    if (output?.view) void output.view().then((told) => this.#second.hint(told));
    else if (output) void this.#withTerminal((terminal) => terminal.showPager(output)).finally(output.close);
    else this.#second.hint("No output to open yet");
  }

  /** On a screen of its own: what is in the scrollback cannot be changed any more. */
  #expand(): void {
    if (this.isSpoken) this.#store.dispatch({ type: "expand_toggled" });
    else void this.#withTerminal((terminal) => terminal.showTranscript());
  }

  /** A missing file or a full disk is shown, and no reason to end. */
  async #withTerminal(work: Parameters<TakeTerminal>[0]): Promise<void> {
    await this.takeTerminal(work).catch((error: unknown) => {
      if (systemCode(error) === undefined) throw error;
      const text = error instanceof Error ? error.message : String(error);
      this.#store.dispatch({ type: "notice", tone: "error", text });
    });
  }

  #endOfFile(): void {
    if (this.#prompt.editor.text === "") this.#actions.quit();
    else this.press({ kind: "command", command: "delete-forward" });
  }

  #takeHandedBack(): void {
    const { handedBack } = this.#store.get();
    if (handedBack.count === this.#handedBack) return;
    this.#handedBack = handedBack.count;
    const { editor } = this.#prompt;
    const texts = [handedBack.text, editor.text].filter((text) => text !== "");
    this.#show({ ...emptyPrompt, editor: replaceText(editor, texts.join("\n")) });
  }

  #endReason(isKept = false): string {
    const reason = expandPastes(this.#prompt.editor);
    const draft = this.#draft ?? emptyPrompt;
    this.#draft = undefined;
    const texts = [draft.editor.text, reason].filter((text) => text !== "");
    this.#show(isKept ? changed(draft, replaceText(draft.editor, texts.join("\n"))) : draft);
    return reason;
  }

  /** Empties the prompt without losing what is in it: it is an earlier input now, and undo and yank have it as well. */
  #discard(): void {
    const { editor } = this.#prompt;
    const text = expandPastes(editor);
    if (text.trim() !== "") this.#actions.remember(text);
    this.#show({ ...emptyPrompt, editor: killAll(editor) });
  }

  /** The kill ring is kept for the next prompt. */
  #clear(): void {
    this.#show({ ...emptyPrompt, editor: clearText(this.#prompt.editor) });
  }

  #show(prompt: PromptState): void {
    if (prompt === this.#prompt) return;
    this.#prompt = prompt;
    for (const listener of this.#listeners) listener();
    this.#followFiles();
  }
}
