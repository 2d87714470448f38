import { describe, expect, test } from "bun:test";
import { editorCommands, runCommand } from "../../../src/ui/editor/commands.ts";
import { isOnFirstRow, isOnLastRow } from "../../../src/ui/editor/motion.ts";
import { clearText, createEditor, replaceText } from "../../../src/ui/editor/state.ts";
import { from, run, runIn, show } from "./show.ts";

describe("motion", () => {
  test("left and right go by what a person sees as one character", () => {
    const state = from("a👨‍👩‍👧e\u0301|b");
    expect(show(run(state, "cursor-left"))).toBe("a👨‍👩‍👧|e\u0301b");
    expect(show(run(state, "cursor-left", "cursor-left"))).toBe("a|👨‍👩‍👧e\u0301b");
    expect(show(run(state, "cursor-left", "cursor-left", "cursor-right", "cursor-right"))).toBe(
      "a👨‍👩‍👧e\u0301|b",
    );
  });

  test("left and right cross line ends and stop at the ends of the text", () => {
    expect(show(run(from("a\n|b"), "cursor-left"))).toBe("a|\nb");
    expect(show(run(from("a|\nb"), "cursor-right"))).toBe("a\n|b");
    expect(show(run(from("|a"), "cursor-left"))).toBe("|a");
    expect(show(run(from("a|"), "cursor-right"))).toBe("a|");
  });

  test("words are runs of letters or of signs, in any script", () => {
    expect(show(run(from("git commit -m 'grüße'|"), "word-left"))).toBe("git commit -m 'grüße|'");
    expect(show(run(from("git commit -m 'grüße|'"), "word-left"))).toBe("git commit -m '|grüße'");
    expect(show(run(from("|  foo_1.bar"), "word-right"))).toBe("  foo_1|.bar");
    expect(show(run(from("foo|  \n\n bar"), "word-right"))).toBe("foo  \n\n bar|");
    expect(show(run(from("日本 語|"), "word-left", "word-left"))).toBe("|日本 語");
    expect(show(run(from("a 𝒳𝒴|"), "word-left"))).toBe("a |𝒳𝒴");
  });

  test("line start and end stay on the line", () => {
    expect(show(run(from("ab\nc|d\nef"), "line-start"))).toBe("ab\n|cd\nef");
    expect(show(run(from("ab\nc|d\nef"), "line-end"))).toBe("ab\ncd|\nef");
    expect(show(run(from("ab\nc|d\nef"), "text-start"))).toBe("|ab\ncd\nef");
    expect(show(run(from("ab\nc|d\nef"), "text-end"))).toBe("ab\ncd\nef|");
  });

  test("up and down keep their column over a short line", () => {
    expect(show(run(from("abcd\nx\nab|cd"), "cursor-up"))).toBe("abcd\nx|\nabcd");
    expect(show(run(from("abcd\nx\nabc|d"), "cursor-up", "cursor-up"))).toBe("abc|d\nx\nabcd");
    expect(show(run(from("abcd\nx\nabc|d"), "cursor-up", "cursor-left", "cursor-up"))).toBe("|abcd\nx\nabcd");
  });

  test("up and down go by drawn rows of a wrapped line, and to the ends beyond them", () => {
    const state = from("aaaa bbbb cc|cc");
    expect(show(runIn(5, state, "cursor-up"))).toBe("aaaa bb|bb cccc");
    expect(show(runIn(5, state, "cursor-up", "cursor-up"))).toBe("aa|aa bbbb cccc");
    expect(show(runIn(5, state, "cursor-up", "cursor-up", "cursor-up"))).toBe("|aaaa bbbb cccc");
    expect(show(runIn(5, state, "cursor-down"))).toBe("aaaa bbbb cccc|");
  });

  test("a column in the middle of a wide character belongs to it", () => {
    expect(show(run(from("日本\na|b"), "cursor-up"))).toBe("|日本\nab");
    expect(show(run(from("日本\nab|"), "cursor-up"))).toBe("日|本\nab");
  });

  test("the first and the last row are known, for the history", () => {
    const state = from("aaaa bb|bb");
    expect([isOnFirstRow(state, 40), isOnLastRow(state, 40)]).toEqual([true, true]);
    expect([isOnFirstRow(state, 5), isOnLastRow(state, 5)]).toEqual([false, true]);
  });
});

describe("deleting", () => {
  test("takes whole graphemes on either side", () => {
    expect(show(run(from("a👨‍👩‍👧|b"), "delete-backward"))).toBe("a|b");
    expect(show(run(from("a|👨‍👩‍👧b"), "delete-forward"))).toBe("a|b");
    expect(show(run(from("a\n|b"), "delete-backward"))).toBe("a|b");
    expect(show(run(from("|a"), "delete-backward"))).toBe("|a");
  });
});

describe("killing and yanking", () => {
  test("to the end of the line, and then its line feed", () => {
    const once = run(from("ab|cd\nef"), "kill-to-line-end");
    expect(show(once)).toBe("ab|\nef");
    expect(show(run(once, "kill-to-line-end"))).toBe("ab|ef");
  });

  test("to the start of the line, and then the line feed before it", () => {
    const once = run(from("ab\ncd|ef"), "kill-to-line-start");
    expect(show(once)).toBe("ab\n|ef");
    expect(show(run(once, "kill-to-line-start"))).toBe("ab|ef");
  });

  test("Ctrl+W takes all that is not a space, Alt+Backspace a word", () => {
    expect(show(run(from("cat a/b.txt |"), "kill-chunk-backward"))).toBe("cat |");
    expect(show(run(from("cat a/b.txt|"), "kill-word-backward"))).toBe("cat a/b.|");
    expect(show(run(from("cat| a/b.txt"), "kill-word-forward"))).toBe("cat|/b.txt");
  });

  test("kills in a row come back as one, in the order of the text", () => {
    expect(run(from("one two three|"), "kill-word-backward", "kill-word-backward").kills).toEqual([
      "two three",
    ]);
    expect(run(from("|one two three"), "kill-word-forward", "kill-word-forward").kills).toEqual(["one two"]);
    expect(
      run(from("one two three|"), "kill-word-backward", "cursor-left", "kill-word-backward").kills,
    ).toEqual(["two", "three"]);
  });

  test("yank-pop goes round the ring, and only after a yank", () => {
    const state = { ...from("x|"), kills: ["new", "old"] };
    expect(show(run(state, "yank"))).toBe("xnew|");
    expect(show(run(state, "yank", "yank-pop"))).toBe("xold|");
    expect(show(run(state, "yank", "yank-pop", "yank-pop"))).toBe("xnew|");
    expect(show(run(state, "yank-pop"))).toBe("x|");
    expect(show(run(state, "yank", "cursor-left", "yank-pop"))).toBe("xne|w");
  });

  test("a yank and its exchanges are one step to undo", () => {
    const state = { ...from("x|"), kills: ["new", "old"] };
    expect(show(run(state, "yank", "yank-pop", "undo"))).toBe("x|");
  });
});

describe("undo", () => {
  test("a run of typing goes word by word", () => {
    const typed = run(createEditor(), { type: "hello big world" });
    expect(show(run(typed, "undo"))).toBe("hello big |");
    expect(show(run(typed, "undo", "undo"))).toBe("hello |");
    expect(show(run(typed, "undo", "undo", "undo"))).toBe("|");
    expect(show(run(typed, "undo", "undo", "undo", "undo"))).toBe("|");
  });

  test("redo brings it back until something else is typed", () => {
    const undone = run(createEditor(), { type: "one two" }, "undo", "undo");
    expect(show(run(undone, "redo", "redo"))).toBe("one two|");
    expect(show(run(undone, { type: "x" }, "redo"))).toBe("x|");
  });

  test("a run of deleting is one step, and motion ends a run", () => {
    expect(show(run(from("abc|"), "delete-backward", "delete-backward", "undo"))).toBe("abc|");
    const moved = run(from("abc|"), "delete-backward", "cursor-left", "delete-backward");
    expect(show(run(moved, "undo"))).toBe("a|b");
  });

  test("another text altogether can be taken back; sending forgets all but the kills", () => {
    const replaced = replaceText(from("draft|"), "from the history");
    expect(show(run(replaced, "undo"))).toBe("draft|");
    expect(clearText({ ...replaced, kills: ["k"] })).toEqual({ ...createEditor(), kills: ["k"] });
  });

  test("steps are bounded", () => {
    const many = Array.from({ length: 1_000 }).reduce<ReturnType<typeof createEditor>>(
      (state) => run(state, { type: "a " }),
      createEditor(),
    );
    expect(many.undoSteps.length).toBe(200);
  });
});

test("no command ever leaves the text or cuts a character, whatever comes before it", () => {
  let seed = 7;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const pieces = ["a", " ", "\n", "👨‍👩‍👧", "e\u0301", "日本", "\t", "foo.bar "];
  let state = createEditor();
  const boundaries = (text: string): Set<number> =>
    new Set([...new Intl.Segmenter().segment(text)].map(({ index }) => index).concat(text.length));
  for (let step = 0; step < 3_000; step++) {
    const command = editorCommands[random(editorCommands.length)];
    state =
      random(3) > 0 || command === undefined
        ? run(state, { type: pieces[random(pieces.length)] ?? "" })
        : runCommand(state, command, { width: 2 + random(20) });
    if (state.text.length > 300) state = clearText(state);
    expect(boundaries(state.text).has(state.cursor)).toBe(true);
  }
});
