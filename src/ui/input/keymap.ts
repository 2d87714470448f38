/** What a key does. One table, so that help can list it and a file can change it. */

import type { EditorCommand } from "../editor/commands.ts";

/** For the program around the prompt. */
export type AppCommand = "submit" | "interrupt" | "quit" | "end-of-file" | "toggle-expanded" | "redraw";

/** For the prompt, beyond its text: in the menu and in the history. */
export type PromptCommand = "complete" | "up" | "down";

export type KeyCommand = EditorCommand | PromptCommand | AppCommand;

export const keymap: Readonly<Record<string, KeyCommand>> = {
  enter: "submit",
  "alt+enter": "insert-newline",
  "shift+enter": "insert-newline",
  "ctrl+j": "insert-newline",
  escape: "interrupt",
  "ctrl+c": "quit",
  "ctrl+d": "end-of-file",
  "ctrl+o": "toggle-expanded",
  "ctrl+l": "redraw",
  tab: "complete",
  up: "up",
  down: "down",
  "ctrl+p": "up",
  "ctrl+n": "down",
  left: "cursor-left",
  "ctrl+b": "cursor-left",
  right: "cursor-right",
  "ctrl+f": "cursor-right",
  "ctrl+left": "word-left",
  "alt+left": "word-left",
  "alt+b": "word-left",
  "ctrl+right": "word-right",
  "alt+right": "word-right",
  "alt+f": "word-right",
  home: "line-start",
  "ctrl+a": "line-start",
  end: "line-end",
  "ctrl+e": "line-end",
  "ctrl+home": "text-start",
  "ctrl+end": "text-end",
  backspace: "delete-backward",
  "ctrl+h": "delete-backward",
  delete: "delete-forward",
  "ctrl+k": "kill-to-line-end",
  "ctrl+u": "kill-to-line-start",
  "ctrl+w": "kill-chunk-backward",
  "alt+backspace": "kill-word-backward",
  "alt+d": "kill-word-forward",
  "ctrl+y": "yank",
  "alt+y": "yank-pop",
  "ctrl+_": "undo",
  "ctrl+z": "undo",
  "alt+z": "redo",
};

/** For /hotkeys: the keys that are not those of every line editor. */
export const keyHelp: readonly (readonly [string, string])[] = [
  ["Enter", "send; while something runs, queue"],
  ["Alt+Enter, Ctrl+J, \\ Enter", "new line"],
  ["Esc", "interrupt what runs; take back what is queued; twice: clear the input"],
  ["Ctrl+C twice, Ctrl+D", "quit"],
  ["Ctrl+O", "expand or collapse outputs, thoughts and diffs"],
  ["Up, Down", "earlier inputs"],
  ["Tab", "complete a command"],
  ["Ctrl+A Ctrl+E, Alt+B Alt+F", "line start and end, word back and forward"],
  ["Ctrl+K Ctrl+U Ctrl+W, Ctrl+Y", "kill to line end, line start, word; yank"],
  ["Ctrl+Z, Alt+Z", "undo, redo"],
];
