/**
 * Which key does what: a table from key names to command names, and a person's own file on top of it. Editor commands are run by
 * `runCommand`; the others are the application's.
 *
 *   { "ctrl+t": "undo", "alt+enter": "submit", "ctrl+o": null }     null takes a key's meaning away
 */

import { isRecord } from "../../protocol/record.ts";
import { type EditorCommand, isEditorCommand } from "./commands.ts";
import { type KeyEvent, keyName, parseKeyName } from "./key-name.ts";

/** What a key may do beyond the editor, with the words of the help page. */
export const appCommands = {
  submit: "send, or run",
  cancel: "interrupt what runs; twice: clear the input",
  interrupt: "interrupt; twice: quit",
  quit: "quit when the input is empty, else delete forward",
  complete: "complete, or accept the suggestion",
  "complete-previous": "the suggestion before; in $code, about the name at the cursor",
  inspect: "in $code, about the name at the cursor",
  "history-previous": "the input before",
  "history-next": "the input after",
  "history-previous-match": "the input before that begins the same",
  "history-next-match": "the input after that begins the same",
  "history-search": "search the history",
  "toggle-expand": "expand or collapse the output",
  "open-pager": "read the newest output in full",
  "external-editor": "edit in $EDITOR",
  "clear-screen": "draw the screen anew",
  "take-back": "take the queued message back",
  suspend: "stop omp until fg",
  "page-up": "a page up in a list",
  "page-down": "a page down in a list",
} as const;

export type AppCommand = keyof typeof appCommands;
export type KeyCommand = EditorCommand | AppCommand;
export type Keymap = ReadonlyMap<string, KeyCommand>;

const defaults: Readonly<Record<string, KeyCommand>> = {
  left: "cursor-left",
  right: "cursor-right",
  up: "cursor-up",
  down: "cursor-down",
  "ctrl+b": "cursor-left",
  "ctrl+f": "cursor-right",
  "ctrl+left": "word-left",
  "ctrl+right": "word-right",
  "alt+left": "word-left",
  "alt+right": "word-right",
  "alt+b": "word-left",
  "alt+f": "word-right",
  home: "line-start",
  end: "line-end",
  "ctrl+a": "line-start",
  "ctrl+e": "line-end",
  "ctrl+home": "text-start",
  "ctrl+end": "text-end",
  "alt+<": "text-start",
  "alt+>": "text-end",
  "alt+shift+<": "text-start",
  "alt+shift+>": "text-end",
  "alt+shift+,": "text-start",
  "alt+shift+.": "text-end",
  "shift+enter": "insert-newline",
  "ctrl+enter": "insert-newline",
  "alt+enter": "insert-newline",
  "ctrl+j": "insert-newline",
  backspace: "delete-backward",
  "shift+backspace": "delete-backward",
  "ctrl+h": "delete-backward",
  delete: "delete-forward",
  "ctrl+k": "kill-to-line-end",
  "ctrl+u": "kill-to-line-start",
  "ctrl+w": "kill-chunk-backward",
  "alt+backspace": "kill-word-backward",
  "ctrl+backspace": "kill-word-backward",
  "alt+d": "kill-word-forward",
  "alt+delete": "kill-word-forward",
  "ctrl+delete": "kill-word-forward",
  "ctrl+y": "yank",
  "alt+y": "yank-pop",
  "ctrl+_": "undo",
  "ctrl+-": "undo",
  "ctrl+/": "undo",
  "ctrl+shift+-": "undo",
  "ctrl+shift+_": "undo",
  "ctrl+shift+z": "redo",
  "alt+z": "redo",
  enter: "submit",
  escape: "cancel",
  // What a terminal that tells more apart sends for the old ways to write these keys.
  "ctrl+[": "cancel",
  "ctrl+m": "submit",
  "ctrl+i": "complete",
  "ctrl+c": "interrupt",
  "ctrl+d": "quit",
  tab: "complete",
  "shift+tab": "complete-previous",
  "alt+?": "inspect",
  "alt+shift+?": "inspect",
  "alt+shift+/": "inspect",
  "ctrl+p": "history-previous",
  "ctrl+n": "history-next",
  "alt+p": "history-previous-match",
  "alt+n": "history-next-match",
  "ctrl+r": "history-search",
  "ctrl+o": "toggle-expand",
  "alt+o": "open-pager",
  "ctrl+g": "external-editor",
  "ctrl+l": "clear-screen",
  "ctrl+z": "suspend",
  "alt+up": "take-back",
  pageup: "page-up",
  pagedown: "page-down",
};

export function defaultKeymap(): Keymap {
  return new Map(Object.entries(defaults));
}

export function isKeyCommand(name: string): name is KeyCommand {
  return isEditorCommand(name) || Object.hasOwn(appCommands, name);
}

export interface KeymapResult {
  readonly keymap: Keymap;
  /** One line for each entry that means nothing; the other entries hold. */
  readonly problems: readonly string[];
}

/** The default table with a person's file (JSON, comments allowed) on top. Never throws: a key file must not lock anyone out. */
export function keymapFrom(fileText: string): KeymapResult {
  const keymap = new Map(defaultKeymap());
  const problems: string[] = [];
  let entries: unknown;
  try {
    entries = Bun.JSONC.parse(fileText);
  } catch (error) {
    return { keymap, problems: [`not JSON: ${error instanceof Error ? error.message : String(error)}`] };
  }
  if (!isRecord(entries)) {
    return { keymap, problems: ['expected an object such as { "ctrl+t": "undo" }'] };
  }
  for (const [written, command] of Object.entries(entries)) {
    const name = parseKeyName(written);
    if (name === undefined) problems.push(`${written}: no such key`);
    else if (command === null) keymap.delete(name);
    else if (typeof command !== "string" || !isKeyCommand(command)) {
      problems.push(
        `${written}: no such command: ${typeof command === "string" ? command : JSON.stringify(command)}`,
      );
    } else keymap.set(name, command);
  }
  return { keymap, problems };
}

export type KeyMeaning =
  | { readonly kind: "command"; readonly command: KeyCommand }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "nothing" };

/** What a key event asks for. Split the event with `splitInput` first. */
export function meaningOf(keymap: Keymap, event: KeyEvent): KeyMeaning {
  const name = keyName(event);
  const command = name === undefined ? undefined : keymap.get(name);
  if (command !== undefined) return { kind: "command", command };
  if (name !== undefined || event.input === "" || event.key.eventType === "release")
    return { kind: "nothing" };
  return { kind: "text", text: event.input };
}

/** The keys of a command, for the help page. */
export function keysOf(keymap: Keymap, command: KeyCommand): string[] {
  return [...keymap].filter(([, bound]) => bound === command).map(([key]) => key);
}

/** What was pressed, by its meaning. */
export type Press =
  | { readonly kind: "command"; readonly command: KeyCommand }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "paste"; readonly text: string };
