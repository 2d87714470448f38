/**
 * Which key does what: a table from key names to command names, and a person's own file on top of it. Editor commands are run by
 * `runCommand`; the others are the application's.
 *
 *   { "ctrl+t": "undo", "alt+enter": "submit", "ctrl+o": null }     null takes a key's meaning away
 */

import { isRecord } from "../../protocol/record.ts";
import { type EditorCommand, isEditorCommand } from "./commands.ts";
import { type KeyEvent, keyName, parseKeyName } from "./key-name.ts";

/** What a key may do beyond the editor. */
export const appCommands = [
  "submit",
  "cancel",
  "interrupt",
  "quit",
  "complete",
  "complete-previous",
  "inspect",
  "history-previous",
  "history-next",
  "history-previous-match",
  "history-next-match",
  "history-search",
  "toggle-expand",
  "open-pager",
  "external-editor",
  "clear-screen",
  "take-back",
  "suspend",
  "page-up",
  "page-down",
] as const;

export type AppCommand = (typeof appCommands)[number];
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
  return isEditorCommand(name) || appCommands.some((command) => command === name);
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
    if (name === undefined) problems.push(`${written}: unknown key`);
    else if (command === null) keymap.delete(name);
    else if (typeof command !== "string" || !isKeyCommand(command)) {
      problems.push(
        `${written}: unknown command: ${typeof command === "string" ? command : JSON.stringify(command)}`,
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
