/**
 * Which key does what: the default keys of every command, and the user's own file on top of them. Editor commands are run by
 * `runCommand`; the others are the application's.
 *
 *   { "ctrl+t": "undo", "alt+enter": "submit", "ctrl+o": null }     null unbinds a key
 */

import { isRecord } from "../../protocol/record.ts";
import type { EditorCommand } from "./commands.ts";
import { type KeyEvent, keyName, parseKeyName } from "./key-name.ts";

const defaultKeys = {
  "cursor-left": "left ctrl+b",
  "cursor-right": "right ctrl+f",
  "cursor-up": "up",
  "cursor-down": "down",
  "word-left": "ctrl+left alt+left alt+b",
  "word-right": "ctrl+right alt+right alt+f",
  "line-start": "home ctrl+a",
  "line-end": "end ctrl+e",
  "text-start": "ctrl+home alt+< alt+shift+< alt+shift+,",
  "text-end": "ctrl+end alt+> alt+shift+> alt+shift+.",
  "insert-newline": "shift+enter ctrl+enter alt+enter ctrl+j",
  "delete-backward": "backspace shift+backspace ctrl+h",
  "delete-forward": "delete",
  "kill-to-line-end": "ctrl+k",
  "kill-to-line-start": "ctrl+u",
  "kill-chunk-backward": "ctrl+w",
  "kill-word-backward": "alt+backspace ctrl+backspace",
  "kill-word-forward": "alt+d alt+delete ctrl+delete",
  yank: "ctrl+y",
  "yank-pop": "alt+y",
  undo: "ctrl+_ ctrl+- ctrl+/ ctrl+shift+- ctrl+shift+_",
  redo: "ctrl+shift+z alt+z",
  // ctrl+m, ctrl+[ and ctrl+i are what a terminal that tells more keys apart sends for the old ways to type enter, escape and tab.
  submit: "enter ctrl+m",
  cancel: "escape ctrl+[",
  interrupt: "ctrl+c",
  quit: "ctrl+d",
  complete: "ctrl+i tab",
  "complete-previous": "shift+tab",
  inspect: "alt+? alt+shift+? alt+shift+/",
  "history-previous": "ctrl+p",
  "history-next": "ctrl+n",
  "history-previous-match": "alt+p",
  "history-next-match": "alt+n",
  "history-search": "ctrl+r",
  "toggle-expand": "ctrl+o",
  "open-pager": "alt+o",
  "external-editor": "ctrl+g",
  "attach-image": "ctrl+v",
  "clear-screen": "ctrl+l",
  "take-back": "alt+up",
  suspend: "ctrl+z",
  "page-up": "pageup",
  "page-down": "pagedown",
} as const satisfies Readonly<Record<EditorCommand, string>> & Readonly<Record<string, string>>;

export type KeyCommand = keyof typeof defaultKeys;
/** What a key may do beyond the editor. */
export type AppCommand = Exclude<KeyCommand, EditorCommand>;
export type Keymap = ReadonlyMap<string, KeyCommand>;

export const keyCommands = Object.keys(defaultKeys) as readonly KeyCommand[];

export function defaultKeymap(): Map<string, KeyCommand> {
  return new Map(
    keyCommands.flatMap((command) => defaultKeys[command].split(" ").map((key) => [key, command] as const)),
  );
}

export function isKeyCommand(name: unknown): name is KeyCommand {
  return keyCommands.some((command) => command === name);
}

export interface KeymapResult {
  readonly keymap: Keymap;
  /** One line for each entry that means nothing; the other entries apply. */
  readonly problems: readonly string[];
}

/** The default keys with the user's file (JSON, comments allowed) on top. Never throws: a key file must not lock anyone out. */
export function keymapFrom(fileText: string): KeymapResult {
  const keymap = defaultKeymap();
  const problems: string[] = [];
  let entries: unknown;
  try {
    entries = Bun.JSONC.parse(fileText);
  } catch (error) {
    return { keymap, problems: [`not JSON: ${error instanceof Error ? error.message : String(error)}`] };
  }
  if (!isRecord(entries)) return { keymap, problems: ['expected an object such as { "ctrl+t": "undo" }'] };
  for (const [written, command] of Object.entries(entries)) {
    const name = parseKeyName(written);
    if (name === undefined) problems.push(`${written}: unknown key`);
    else if (command === null) keymap.delete(name);
    else if (isKeyCommand(command)) keymap.set(name, command);
    else {
      const shown = typeof command === "string" ? command : JSON.stringify(command);
      problems.push(`${written}: unknown command: ${shown}`);
    }
  }
  return { keymap, problems };
}

/** What was pressed, by its meaning. */
export type Press =
  | { readonly kind: "command"; readonly command: KeyCommand }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "paste"; readonly text: string };

/** What a key event asks for; undefined for a key that means nothing. Split the event with `splitInput` first. */
export function pressOf(keymap: Keymap, event: KeyEvent): Press | undefined {
  const name = keyName(event);
  const command = name === undefined ? undefined : keymap.get(name);
  if (command !== undefined) return { kind: "command", command };
  const isText = name === undefined && event.input !== "" && event.key.eventType !== "release";
  return isText ? { kind: "text", text: event.input } : undefined;
}

/** The keys of a command. */
export function keysOf(keymap: Keymap, command: KeyCommand): string[] {
  return [...keymap].filter(([, bound]) => bound === command).map(([key]) => key);
}
