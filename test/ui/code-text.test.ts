/** `$code` in the editor, without a kernel. */

import { describe, expect, test } from "bun:test";
import { insertPaste } from "../../src/ui/editor/paste.ts";
import { createEditor, moveTo } from "../../src/ui/editor/state.ts";
import {
  addIndent,
  askedCode,
  codeIn,
  dedented,
  guessedIndent,
  inspectionIn,
  removeIndent,
  startInEditor,
} from "../../src/ui/input/code-text.ts";

describe("the code that is being written", () => {
  test("is what stands behind the sign, with the cursor in it", () => {
    expect(codeIn(createEditor("$x = 1"))).toEqual({ code: "x = 1", cursor: 5 });
    expect(codeIn(moveTo(createEditor("$$😀 x"), 4))).toEqual({ code: "😀 x", cursor: 2 });
    expect(codeIn(createEditor("no code"))).toBeUndefined();
    expect(codeIn(moveTo(createEditor("$x"), 0))).toBeUndefined();
  });

  test("has folded pastes in full, and a completion behind one begins where it stands in the editor", () => {
    const paste = Array.from({ length: 12 }, (_, line) => `a${line} = ${line}`).join("\n");
    const folded = insertPaste(createEditor("$"), paste);
    const editor = { ...folded, text: `${folded.text}; pri`, cursor: folded.text.length + 5 };
    expect(codeIn(editor)).toEqual({ code: `${paste}; pri`, cursor: paste.length + 5 });
    expect(startInEditor(editor, 3)).toBe(editor.cursor - 3);
    expect(startInEditor(editor, 20)).toBeUndefined();
  });

  test("is indented by Tab and brought back by Backspace, a step at a time", () => {
    const inner = addIndent(createEditor("$if x:\n  "));
    expect(inner.text).toBe("$if x:\n    ");
    expect(addIndent(inner).text).toBe("$if x:\n        ");
    expect(removeIndent(addIndent(inner))?.text).toBe("$if x:\n    ");
    expect(removeIndent(createEditor("$if x:\n    y"))).toBeUndefined();
    expect(removeIndent(createEditor("$if x:\n"))).toBeUndefined();
    expect(removeIndent(createEditor("words\n    "))).toBeUndefined();
  });

  test("has its next line indented as Python would, when no kernel says how", () => {
    expect(guessedIndent("for x in y:")).toBe("    ");
    expect(guessedIndent("for x in y:\n    if x:  # really")).toBe("        ");
    expect(guessedIndent("for x in y:\n    f(x)")).toBe("    ");
    expect(guessedIndent("f(1,")).toBe("");
  });

  test("is asked about with its empty last line ended", () => {
    expect(askedCode("for x in y:\n    f(x)")).toBe("for x in y:\n    f(x)");
    expect(askedCode("for x in y:\n    f(x)\n    ")).toBe("for x in y:\n    f(x)\n    \n");
  });
});

describe("a question about a name", () => {
  test("is read as IPython reads it", () => {
    expect(inspectionIn("len?")).toEqual({ name: "len", detail: "text" });
    expect(inspectionIn(" os.path.join?? ")).toEqual({ name: "os.path.join", detail: "source" });
    expect(inspectionIn("?len")).toEqual({ name: "len", detail: "text" });
    expect(inspectionIn("%timeit?")).toEqual({ name: "%timeit", detail: "text" });
  });

  test("is not found in code", () => {
    for (const code of ["x = 'really?'", "print('why?')\n", "a if b else c", "?", "len???", ""])
      expect(inspectionIn(code)).toBeUndefined();
  });
});

test("code is dedented as a whole, by what all of its lines have", () => {
  expect(dedented("\n    a = 1\n    if a:\n        b()\n\n    c()\n")).toBe("a = 1\nif a:\n    b()\n\nc()");
  expect(dedented("\tx\n\t\ty")).toBe("x\n\ty");
  expect(dedented("x\n    y")).toBe("x\n    y");
  expect(dedented("   ")).toBe("");
});
