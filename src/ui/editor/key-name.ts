/**
 * Keys by name: `ctrl+k`, `alt+left`, `shift+enter`, `escape`. The one spelling that the keymap, the user's key file and the docs use.
 * Takes what Ink's `useInput` reports and hides its oddities.
 */

/** The flags of Ink's `Key` that name a key. */
const namedKeys = {
  upArrow: "up",
  downArrow: "down",
  leftArrow: "left",
  rightArrow: "right",
  pageUp: "pageup",
  pageDown: "pagedown",
  home: "home",
  end: "end",
  return: "enter",
  escape: "escape",
  tab: "tab",
  backspace: "backspace",
  delete: "delete",
} as const;

export type KeyFlags = {
  readonly [Flag in keyof typeof namedKeys | "ctrl" | "shift" | "meta" | "super"]?: boolean;
} & { readonly eventType?: "press" | "repeat" | "release" | undefined };

export interface KeyEvent {
  readonly input: string;
  readonly key: KeyFlags;
}

/** The key's name, or undefined for plain text. */
export function keyName({ input, key }: KeyEvent): string | undefined {
  if (key.eventType === "release") return undefined;
  for (const [flag, name] of Object.entries(namedKeys))
    if (key[flag as keyof typeof namedKeys] === true) return withModifiers(name, key);
  // A bare line feed is Ctrl+J, and not the Enter key, which sends a carriage return.
  if (input === "\n") return "ctrl+j";
  if (input === "\r") return withModifiers("enter", key);
  if (key.ctrl !== true && key.meta !== true && key.super !== true) return undefined;
  if (input === "") return undefined;
  return withModifiers(input === " " ? "space" : input.toLowerCase(), key);
}

function withModifiers(name: string, { ctrl, meta, shift, super: command }: KeyFlags): string {
  const parts = [
    ctrl && "ctrl",
    meta && name !== "escape" && "alt",
    shift && "shift",
    command && "super",
    name,
  ];
  return parts.filter((part) => typeof part === "string").join("+");
}

const modifierOrder = ["ctrl", "alt", "shift", "super"];
const modifierAliases: Readonly<Record<string, string>> = {
  control: "ctrl",
  meta: "alt",
  option: "alt",
  cmd: "super",
  command: "super",
};
const nameAliases: Readonly<Record<string, string>> = {
  return: "enter",
  esc: "escape",
  del: "delete",
  " ": "space",
};
const specialNames = new Set<string>([...Object.values(namedKeys), "space"]);

/** A name as users may write it (`Shift+Control+K`, `esc`) in the one spelling; undefined if it names no key. */
export function parseKeyName(written: string): string | undefined {
  // "ctrl++" is the plus key.
  const parts = written
    .trim()
    .toLowerCase()
    .split(/\+(?=.)/);
  const last = parts.pop()?.trim() ?? "";
  const name = nameAliases[last] ?? last;
  const modifiers = parts.map((part) => modifierAliases[part.trim()] ?? part.trim());
  if (!specialNames.has(name) && [...name].length !== 1) return undefined;
  if (modifiers.some((modifier) => !modifierOrder.includes(modifier))) return undefined;
  return [...modifierOrder.filter((modifier) => modifiers.includes(modifier)), name].join("+");
}

/**
 * What arrives in one read may be more than one key: `hello⏎` from a quick typist, a script or a slow connection. Ink reports it as
 * one text; here it becomes the text and the keys that it consists of.
 */
export function splitInput({ input, key }: KeyEvent): KeyEvent[] {
  if (input.length < 2 || !/\p{Cc}/u.test(input)) return [{ input, key }];
  const runs = input.match(/\r\n|\p{Cc}|\P{Cc}+/gu) ?? [];
  return runs.map((run) => controlKey(run) ?? { input: run, key: {} });
}

function controlKey(run: string): KeyEvent | undefined {
  if (run === "\r" || run === "\r\n") return { input: "\r", key: { return: true } };
  if (run === "\n") return { input: "\n", key: {} };
  if (run === "\t") return { input: "", key: { tab: true } };
  if (run === "\x7f" || run === "\b") return { input: "", key: { backspace: true } };
  if (run === "\x1b") return { input: "", key: { escape: true } };
  const code = run.charCodeAt(0);
  // Ctrl+A to Ctrl+Z are the codes 1 to 26.
  if (run.length === 1 && code >= 1 && code <= 26) {
    return { input: String.fromCharCode(code + 96), key: { ctrl: true } };
  }
  return undefined;
}
