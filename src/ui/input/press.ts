/** Keys under one name each: `enter`, `ctrl+o`, `alt+b`, or a piece of text. Takes what Ink parsed, mends what it left together. */

import type { Key } from "ink";

export type Press =
  | { readonly kind: "key"; readonly name: string }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "paste"; readonly text: string };

const named: readonly (readonly [keyof Key, string])[] = [
  ["upArrow", "up"],
  ["downArrow", "down"],
  ["leftArrow", "left"],
  ["rightArrow", "right"],
  ["pageUp", "pageup"],
  ["pageDown", "pagedown"],
  ["home", "home"],
  ["end", "end"],
  ["return", "enter"],
  ["escape", "escape"],
  ["tab", "tab"],
  ["backspace", "backspace"],
  ["delete", "delete"],
];

export function pressesOf(input: string, key: Key): Press[] {
  if (key.eventType === "release") return [];
  const name = named.find(([flag]) => key[flag] === true)?.[1];
  if (name !== undefined) {
    // An Esc that was pressed twice within a moment arrives as one key with the meta sign.
    if (name === "escape") return key.meta && input !== "" ? [press("escape")] : [press("escape")];
    return [press(withModifiers(name, key))];
  }
  if (key.ctrl && input.length > 0) return [press(`ctrl+${input.toLowerCase()}`)];
  if (key.meta && input.length > 0) return [press(`alt+${input.toLowerCase()}`)];
  return piecesOf(input);
}

function withModifiers(name: string, { ctrl, meta, shift }: Key): string {
  return `${ctrl ? "ctrl+" : ""}${meta ? "alt+" : ""}${shift ? "shift+" : ""}${name}`;
}

/** A quick typist, a slow machine or a script: several keys in one chunk. */
function piecesOf(input: string): Press[] {
  if (input === "") return [];
  // Lines that come at once are a paste in a terminal that does not mark pastes: only a line end at the end is the Enter key.
  const [, body = "", ending = ""] = /^([\s\S]*?)([\r\n]?)$/.exec(input) ?? [];
  if (/[\r\n]/.test(body)) return [{ kind: "paste", text: input }];
  const pieces = body.split(/(\p{Cc})/u).flatMap((piece): Press[] => {
    if (piece === "") return [];
    return /^\p{Cc}$/u.test(piece) ? controlKey(piece) : [{ kind: "text", text: piece }];
  });
  if (ending === "") return pieces;
  return [...pieces, press(ending === "\r" ? "enter" : "ctrl+j")];
}

function controlKey(character: string): Press[] {
  const code = character.charCodeAt(0);
  if (code === 9) return [press("tab")];
  if (code === 8 || code === 127) return [press("backspace")];
  if (code === 27) return [press("escape")];
  return code < 27 ? [press(`ctrl+${String.fromCharCode(code + 96)}`)] : [];
}

function press(name: string): Press {
  return { kind: "key", name };
}
