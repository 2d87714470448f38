import { describe, expect, test } from "bun:test";
import { Keyboard, keyProtocol, normalizeKeys } from "../../../src/ui/terminal/keyboard.ts";

describe("which keyboard is asked for", () => {
  const plain = { hasKittyKeyboard: false, version: undefined };

  test("kitty's where the terminal says that it has it", () => {
    expect(keyProtocol({ ...plain, hasKittyKeyboard: true }, { TERM: "linux" })).toBe("kitty");
  });

  test("xterm's where it is known to be understood, also behind tmux", () => {
    expect(keyProtocol(plain, { TERM: "xterm-256color" })).toBe("modifyOtherKeys");
    expect(keyProtocol(plain, { TERM: "mlterm" })).toBe("modifyOtherKeys");
    expect(keyProtocol(plain, { TERM: "screen", TMUX: "/run/tmux,1,0" })).toBe("modifyOtherKeys");
  });

  test("xterm's own with Alt as Escape, which it does not send by itself", () => {
    const xterm = { hasKittyKeyboard: false, version: "XTerm(379)" };
    expect(keyProtocol(xterm, { TERM: "xterm" })).toBe("xterm");
    expect(keyProtocol(xterm, { TERM: "tmux-256color", TMUX: "/run/tmux,1,0" })).toBe("modifyOtherKeys");
  });

  test("none elsewhere", () => {
    expect(keyProtocol(plain, { TERM: "linux" })).toBeUndefined();
    expect(keyProtocol(plain, { TERM: "xterm", TERM_PROGRAM: "Apple_Terminal" })).toBeUndefined();
    expect(keyProtocol(plain, {})).toBeUndefined();
  });
});

describe("the keyboard", () => {
  function written() {
    const texts: string[] = [];
    return { texts, keyboard: new Keyboard((text) => texts.push(text)) };
  }

  test("is given away plain and taken back as it was", () => {
    const { texts, keyboard } = written();
    keyboard.use("kitty");
    keyboard.giveAway();
    keyboard.takeBack();
    keyboard.giveAway();
    expect(texts).toEqual(["\x1b[>1u", "\x1b[<u", "\x1b[>1u", "\x1b[<u"]);
  });

  test("of xterm is what it was afterwards, however that was", () => {
    const { texts, keyboard } = written();
    keyboard.use("xterm");
    keyboard.giveAway();
    expect(texts).toEqual(["\x1b[?1036;1039s\x1b[?1036;1039h\x1b[>4;1m", "\x1b[>4m\x1b[?1036;1039r"]);
  });

  test("is not touched while another program has it, and turned off only once", () => {
    const { texts, keyboard } = written();
    keyboard.giveAway();
    keyboard.use("modifyOtherKeys");
    expect(texts).toEqual([]);
    keyboard.takeBack();
    keyboard.giveAway();
    keyboard.giveAway();
    expect(texts).toEqual(["\x1b[>4;1m", "\x1b[>4m"]);
  });

  test("of a terminal without any of it stays as it is", () => {
    const { texts, keyboard } = written();
    keyboard.use(undefined);
    keyboard.giveAway();
    expect(texts).toEqual([]);
  });
});

test("Konsole's Shift+Enter is told from Enter; elsewhere it is the Enter of the keypad", () => {
  expect(normalizeKeys("a\x1bOMb\r", "Konsole 22.12.3")).toBe("a\x1b[13;2ub\r");
  expect(normalizeKeys("a\x1bOMb\r", "XTerm(379)")).toBe("a\x1bOMb\r");
});

test("xterm's form of a key becomes kitty's, and everything else stays", () => {
  expect(normalizeKeys("a\x1b[27;2;13~b\x1b[27;5;9~\x1b[3~")).toBe("a\x1b[13;2ub\x1b[9;5u\x1b[3~");
});
