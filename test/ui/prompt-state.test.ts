/** The prompt key by key, without a terminal. */

import { describe, expect, test } from "bun:test";
import type { KeyCommand, Press } from "../../src/ui/editor/keymap.ts";
import { expandPastes } from "../../src/ui/editor/paste.ts";
import { emptyPrompt, menuOf, type PromptState, pressed } from "../../src/ui/input/prompt-state.ts";

const context = {
  width: 40,
  commands: [
    { name: "help", description: "" },
    { name: "hotkeys", description: "" },
    { name: "quit", description: "" },
  ],
  history: ["first input", "second input", "third"],
};

const text = (typed: string): Press => ({ kind: "text", text: typed });
const key = (command: KeyCommand): Press => ({ kind: "command", command });

function after(...presses: readonly Press[]): PromptState {
  return presses.reduce((prompt, press) => {
    const outcome = pressed(prompt, press, context);
    return "prompt" in outcome ? outcome.prompt : prompt;
  }, emptyPrompt);
}

const labels = (prompt: PromptState) => menuOf(prompt, context.commands)?.rows.map(({ label }) => label);

describe("the history", () => {
  test("is gone through with Up and Down, and the draft is there again at its end", () => {
    const draft = [text("dra"), text("ft")];
    const up = key("cursor-up");
    expect(after(...draft, up).editor.text).toBe("third");
    expect(after(...draft, up, up, up, up).editor.text).toBe("first input");
    expect(after(...draft, up, up, key("cursor-down"), key("cursor-down")).editor.text).toBe("draft");
  });

  test("keeps a folded paste of the draft, and what was written before an entry that is changed", () => {
    const long = "line\n".repeat(20);
    const draft: Press[] = [text("see "), { kind: "paste", text: long }];
    const whole = (prompt: PromptState) => expandPastes(prompt.editor);
    expect(whole(after(...draft, key("cursor-up"), key("cursor-down")))).toBe(`see ${long}`);
    expect(whole(after(...draft, key("history-search"), text("inp"), key("cancel")))).toBe(`see ${long}`);
    const changed = [...draft, key("cursor-up"), text("!")];
    expect(after(...changed).editor.text).toBe("third!");
    expect(whole(after(...changed, key("undo"), key("undo")))).toBe(`see ${long}`);
  });

  test("gives only those that begin as what is written, when asked so", () => {
    const older = key("history-previous-match");
    expect(after(text("second"), older).editor.text).toBe("second input");
    expect(after(text("s"), older, older).editor.text).toBe("second input");
    expect(after(text("s"), older, key("history-next-match")).editor.text).toBe("s");
    expect(after(text("nothing"), older).editor.text).toBe("nothing");
  });

  test("is searched with Ctrl+R, further with each, and Esc gives the draft back", () => {
    const search = [text("draft"), key("history-search"), text("inp")];
    expect(after(...search).editor.text).toBe("second input");
    expect(after(...search, key("history-search")).editor.text).toBe("first input");
    expect(after(...search, key("history-search"), key("history-search")).editor.text).toBe("first input");
    expect(after(...search, key("cancel"))).toMatchObject({ search: undefined, editor: { text: "draft" } });
    expect(after(...search, key("submit"))).toMatchObject({
      search: undefined,
      editor: { text: "second input" },
    });
  });

  test("a search that finds nothing leaves the draft, and can be shortened", () => {
    const search = [key("history-search"), text("thirx")];
    expect(after(text("mine"), ...search).editor.text).toBe("mine");
    expect(after(text("mine"), ...search, key("delete-backward")).editor.text).toBe("third");
  });
});

describe("the menu", () => {
  test("offers the commands that fit, and Up and Down choose among them", () => {
    expect(labels(after(text("/h")))).toEqual(["/help", "/hotkeys"]);
    expect(after(text("/h"), key("cursor-down")).chosen).toBe(1);
    expect(after(text("/h"), key("cursor-up")).chosen).toBe(1);
    expect(after(text("/h"), key("cursor-down"), key("complete")).editor.text).toBe("/hotkeys ");
  });

  test("is not there for shell commands, Python, or an argument", () => {
    expect([
      labels(after(text("!/bin"))),
      labels(after(text("$x"))),
      labels(after(text("/help me"))),
    ]).toEqual([undefined, undefined, undefined]);
  });

  test("of files comes with what was found", () => {
    const found = { query: "a", paths: ["src/a.ts", "a b.md"] };
    const prompt = { ...after(text("see @a")), found };
    expect(labels(prompt)).toEqual(["@src/a.ts", "@a b.md"]);
    const outcome = pressed({ ...prompt, chosen: 1 }, key("complete"), context);
    expect("prompt" in outcome && outcome.prompt.editor.text).toBe('see @"a b.md" ');
  });
});

test("what is not the prompt's own is for somebody else", () => {
  expect(pressed(emptyPrompt, key("toggle-expand"), context)).toEqual({ command: "toggle-expand" });
});

describe("the names that a kernel gave", () => {
  const names = [
    { text: "answer", type: "int" },
    { text: "answers", type: "list" },
    { text: ".real", type: "property" },
  ];
  const offered = (typed: string): PromptState => ({
    ...after(text(typed)),
    code: { head: "$x = ", names },
  });
  const then = (prompt: PromptState, ...presses: readonly Press[]) =>
    presses.reduce((now, press) => {
      const outcome = pressed(now, press, context);
      return "prompt" in outcome ? outcome.prompt : now;
    }, prompt);

  test("are offered as they go on with the text, attributes without their dot", () => {
    expect(labels(offered("$x = "))).toEqual(["answer", "answers", "real"]);
    expect(labels(then(offered("$x = "), text("answers")))).toEqual(["answers"]);
    expect(labels(then(offered("$x = "), text("?")))).toBeUndefined();
  });

  test("take the place of what is written, without a gap behind them", () => {
    const done = then(offered("$x = an"), key("cursor-down"), key("complete"));
    expect(done).toMatchObject({ editor: { text: "$x = answers", cursor: 12 }, code: undefined });
  });

  test("go away with Esc, and with a text that they do not fit", () => {
    expect(labels(then(offered("$x = an"), key("cancel")))).toBeUndefined();
    const gone = then(offered("$x = an"), text("!"), key("delete-backward"));
    expect(labels(gone)).toBeUndefined();
  });
});
