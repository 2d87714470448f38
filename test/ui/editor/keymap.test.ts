import { describe, expect, test } from "bun:test";
import { type KeyFlags, keyName, parseKeyName, splitInput } from "../../../src/ui/editor/key-name.ts";
import {
  defaultKeymap,
  isKeyCommand,
  type KeyCommand,
  keyCommands,
  keymapFrom,
  keysOf,
  pressOf,
} from "../../../src/ui/editor/keymap.ts";

describe("names", () => {
  test("of what Ink reports", () => {
    const events: [string, KeyFlags][] = [
      ["k", { ctrl: true }],
      ["", { leftArrow: true, meta: true }],
      ["b", { meta: true }],
      ["B", { meta: true, shift: true }],
      ["\r", { return: true }],
      ["\r", { return: true, shift: true }],
      ["\n", {}],
      ["", { escape: true }],
      ["", { escape: true, meta: true }],
      ["", { tab: true, shift: true }],
      [" ", { ctrl: true }],
      ["z", { ctrl: true, shift: true }],
      ["a", {}],
      ["A", { shift: true }],
      ["a", { ctrl: true, eventType: "release" }],
    ];
    expect(events.map(([input, key]) => keyName({ input, key }))).toEqual([
      "ctrl+k",
      "alt+left",
      "alt+b",
      "alt+shift+b",
      "enter",
      "shift+enter",
      "ctrl+j",
      "escape",
      "escape",
      "shift+tab",
      "ctrl+space",
      "ctrl+shift+z",
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("as people write them", () => {
    const written = [
      "Control+K",
      "shift+ctrl+z",
      "esc",
      "Option+Return",
      "cmd+x",
      "ctrl++",
      "f13",
      "hyper+a",
      "",
    ];
    expect(written.map(parseKeyName)).toEqual([
      "ctrl+k",
      "ctrl+shift+z",
      "escape",
      "alt+enter",
      "super+x",
      "ctrl++",
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe("several keys in one read", () => {
  test("become text and keys", () => {
    expect(splitInput({ input: "hello\rx\x03\x7f", key: {} })).toEqual([
      { input: "hello", key: {} },
      { input: "\r", key: { return: true } },
      { input: "x", key: {} },
      { input: "c", key: { ctrl: true } },
      { input: "", key: { backspace: true } },
    ]);
  });

  test("a single key and plain text stay as they are", () => {
    expect(splitInput({ input: "hello 日本", key: {} })).toEqual([{ input: "hello 日本", key: {} }]);
    expect(splitInput({ input: "\r", key: { return: true } })).toEqual([
      { input: "\r", key: { return: true } },
    ]);
  });
});

describe("the table", () => {
  test("every default key has a name that a person can write, and a command that exists", () => {
    const broken = [...defaultKeymap()].filter(
      ([key, command]) => parseKeyName(key) !== key || !isKeyCommand(command),
    );
    expect(broken).toEqual([]);
  });

  test("tells commands, text and nothing apart", () => {
    const keymap = defaultKeymap();
    expect(pressOf(keymap, { input: "w", key: { ctrl: true } })).toEqual({
      kind: "command",
      command: "kill-chunk-backward",
    });
    expect(pressOf(keymap, { input: "w", key: {} })).toEqual({ kind: "text", text: "w" });
    expect(pressOf(keymap, { input: "q", key: { ctrl: true } })).toBeUndefined();
    expect(pressOf(keymap, { input: "a", key: { eventType: "release" } })).toBeUndefined();
    expect(keysOf(keymap, "undo")).toEqual(["ctrl+_", "ctrl+-", "ctrl+/", "ctrl+shift+-", "ctrl+shift+_"]);
  });

  test("a person's file goes on top; what means nothing is told and left out", () => {
    const { keymap, problems } = keymapFrom(`{
      // mine
      "Control+T": "redo", "alt+z": null, "ctrl+k": "fly", "nokey": "undo", "ctrl+x": 3,
    }`);
    expect(keysOf(keymap, "redo")).toEqual(["ctrl+shift+z", "ctrl+t"]);
    expect(keymap.get("ctrl+k")).toBe("kill-to-line-end");
    expect(problems).toEqual([
      "ctrl+k: unknown command: fly",
      "nokey: unknown key",
      "ctrl+x: unknown command: 3",
    ]);
  });

  test("a broken file leaves the defaults", () => {
    const broken = keymapFrom("{");
    expect(broken.keymap).toEqual(defaultKeymap());
    expect(broken.problems.length).toBe(1);
    expect(keymapFrom("[]").problems).toEqual(['expected an object such as { "ctrl+t": "undo" }']);
  });
});

test("docs/terminal.md names every command for the user's key file, and its keys", async () => {
  const page = await Bun.file(new URL("../../../docs/terminal.md", import.meta.url)).text();
  const row = (command: KeyCommand) => {
    const keys = keysOf(defaultKeymap(), command).map((key) => `\`${key}\``);
    return `| \`${command}\` | ${keys.join(" ")} |`;
  };
  expect(keyCommands.map(row).filter((line) => !page.includes(line))).toEqual([]);
});
