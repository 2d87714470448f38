import { beforeEach, describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { chmodSync, linkSync, lstatSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { type FilePlace, filePlace } from "./file-place.ts";

let place: FilePlace;
beforeEach(() => {
  place = filePlace();
});

type Edit = { old_text: string; new_text: string; replace_all?: boolean };
const edit = (path: string, ...edits: Edit[]) => place.run("edit", { path, edits });
const swap = (old_text: string, new_text: string): Edit => ({ old_text, new_text });

describe("an edit", () => {
  test("replaces exact text, and says where; details have a unified diff", async () => {
    const path = place.put("a.ts", "const a = 1;\nconst b = 2;\nconst c = 3;\n");
    expect(await edit("a.ts", swap("b = 2", "b = 20"))).toEqual({
      isError: false,
      output: "Edited a.ts: 1 replacement at line 2 (+1 -1)",
      details: {
        path,
        replacements: 1,
        firstChangedLine: 2,
        totalBytes: 40,
        diff: "--- a.ts\n+++ a.ts\n@@ -1,3 +1,3 @@\n const a = 1;\n-const b = 2;\n+const b = 20;\n const c = 3;\n",
        additions: 1,
        deletions: 1,
      },
    });
    expect(place.text("a.ts")).toBe("const a = 1;\nconst b = 20;\nconst c = 3;\n");
  });

  test("takes every character as it is", async () => {
    place.put("a", "cost: $1 (x*)\n");
    await edit("a", swap("$1 (x*)", "$& $$ \\n 😀"));
    expect(place.text("a")).toBe("cost: $& $$ \\n 😀\n");
  });

  test("may delete, insert, and reach the end of the file", async () => {
    place.put("a", "one\ntwo\nthree");
    expect((await edit("a", swap("two\n", ""), swap("three", "three\nfour\n"))).isError).toBe(false);
    expect(place.text("a")).toBe("one\nthree\nfour\n");
  });

  test("replaces every occurrence when asked to", async () => {
    place.put("a", "x x\ny\nx\n");
    const { output } = await edit("a", { old_text: "x", new_text: "zz", replace_all: true });
    expect(output).toBe("Edited a: 3 replacements at lines 1, 3 (+2 -2)");
    expect(place.text("a")).toBe("zz zz\ny\nzz\n");
  });

  test("keeps mode and links like write does", async () => {
    chmodSync(place.put("real", "a"), 0o750);
    symlinkSync("real", join(place.project, "link"));
    await edit("link", swap("a", "b"));
    expect(lstatSync(join(place.project, "link")).isSymbolicLink()).toBe(true);
    expect(statSync(join(place.project, "real")).mode & 0o777).toBe(0o750);
    expect(place.text("real")).toBe("b");
  });
});

describe("several edits", () => {
  test("all apply to the original text, in any order", async () => {
    place.put("a", "alpha\nbeta\ngamma\n");
    const { output } = await edit("a", swap("gamma", "alpha"), swap("alpha", "gamma"));
    expect(output).toBe("Edited a: 2 replacements at lines 1, 3 (+2 -2)");
    expect(place.text("a")).toBe("gamma\nbeta\nalpha\n");
  });

  test("are all made or none", async () => {
    place.put("a", "one\ntwo\n");
    const { output, isError, details } = await edit("a", swap("one", "1"), swap("zwei", "2"));
    expect(output).toBe("edit: edits[1].old_text was not found in 'a'; nothing was changed (NO_MATCH)");
    expect([isError, details["code"]]).toEqual([true, "NO_MATCH"]);
    expect(place.text("a")).toBe("one\ntwo\n");
  });

  test("must not overlap", async () => {
    place.put("a", "one two three\n");
    expect((await edit("a", swap("two three", "x"), swap("one two", "y"))).output).toBe(
      "edit: edits[0] and edits[1] overlap at line 1 of 'a': make them one (OVERLAP)",
    );
    expect(place.text("a")).toBe("one two three\n");
  });

  test("may touch", async () => {
    place.put("a", "onetwo");
    await edit("a", swap("one", "1"), swap("two", "2"));
    expect(place.text("a")).toBe("12");
  });

  test("that count on each other are told that they do not", async () => {
    place.put("a", "one\n");
    expect((await edit("a", swap("one", "middle"), swap("middle", "end"))).output).toContain(
      "All edits apply to the file as it is, not one after the other.",
    );
  });
});

describe("text that is not unique", () => {
  test("is refused with the lines where it is", async () => {
    place.put("a", "x = 1\ny\nx = 1\n");
    expect((await edit("a", swap("x = 1", "x = 2"))).output).toBe(
      "edit: old_text occurs 2 times in 'a' (lines 1, 3): add lines around it, or set replace_all (NOT_UNIQUE)",
    );
  });

  test("is so also where it overlaps itself", async () => {
    place.put("a", "aaa");
    expect((await edit("a", swap("aa", "b"))).output).toContain("occurs 2 times in 'a' (lines 1, 1)");
  });

  test("in many places names the first ten", async () => {
    place.put("a", "x\n".repeat(15));
    expect((await edit("a", swap("x", "y"))).output).toContain(
      "occurs 15 times in 'a' (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, … 5 more)",
    );
  });
});

describe("text that is not found", () => {
  const miss = async (content: string, old: string, name = "a") => {
    place.put(name, content);
    const { output } = await edit(name, swap(old, "new"));
    const [first, ...more] = output.split("\n");
    expect(first).toBe(`edit: old_text was not found in '${name}'; nothing was changed (NO_MATCH)`);
    return more.join("\n");
  };

  test("but for white space shows the lines as they are", async () => {
    expect(await miss("if (x) {\n\treturn 1;\n}\n", "if (x) {\n    return 1;\n}")).toBe(
      "Closest: lines 1-3 differ in whitespace (- old_text, + file):\n-    return 1;\n+\treturn 1;",
    );
  });

  test("in a text of more than 10 million characters is not looked for any further", async () => {
    expect(await miss(`say “hello”\n${"filling\n".repeat(1_250_000)}`, 'say "hello"')).toBe("");
  });

  test("but for quotes shows the line as it is", async () => {
    expect(await miss("a\nsay(“hello”) – now\n", 'say("hello") - now')).toBe(
      'Closest: line 2 differs in quotes or dashes (- old_text, + file):\n-say("hello") - now\n+say(“hello”) – now',
    );
  });

  test("but for a word shows the closest place", async () => {
    const content = "function one() {\n  return 1;\n}\n\nfunction two() {\n  return compute(2, 3);\n}\n";
    expect(await miss(content, "function two() {\n  return compute(2);\n}")).toBe(
      "Closest: lines 5-7 differ in text (- old_text, + file):\n-  return compute(2);\n+  return compute(2, 3);",
    );
    expect(await miss(content, "return comptue(2, 3)")).toBe(
      "Closest: line 6 differs in text (- old_text, + file):\n-return comptue(2, 3)\n+  return compute(2, 3);",
    );
  });

  test("at all shows nothing", async () => {
    expect(await miss("alpha\nbeta\n", "0123456789")).toBe("");
  });

  test("because of line numbers is told so", async () => {
    expect(await miss("one\ntwo\n", "1|one\n2|two")).toStartWith(
      "old_text has the line numbers of read: leave out the number and the bar.\n",
    );
  });

  test("in a notebook is told what a notebook is", async () => {
    expect(await miss('{"cells": []}', "print(1)", "a.ipynb")).toStartWith("A notebook is JSON on disk");
  });

  test("in a huge file, or as a huge text, is answered in short", async () => {
    const content = Array.from({ length: 60_000 }, (_, index) => `line number ${index}`).join("\n");
    const old = Array.from({ length: 3_000 }, (_, index) => `line  number ${index * 2} `).join("\n");
    const more = await miss(content, old);
    expect(more.split("\n").length).toBeLessThan(20);
    expect((await miss("y".repeat(100_000), `${"y".repeat(99_000)}x`)).length).toBeLessThan(1_000);
  });
});

describe("line endings and marks", () => {
  test("a CRLF file takes LF texts and stays CRLF", async () => {
    place.put("a", "one\r\ntwo\r\nthree\r\n");
    expect((await edit("a", swap("one\ntwo", "1\n1.5\n2"))).isError).toBe(false);
    expect(place.text("a")).toBe("1\r\n1.5\r\n2\r\nthree\r\n");
  });

  test("an LF file takes CRLF texts and stays LF", async () => {
    place.put("a", "one\ntwo\n");
    await edit("a", swap("one\r\ntwo", "1\r\n2"));
    expect(place.text("a")).toBe("1\n2\n");
  });

  test("in a mixed file lines around the change keep what they have", async () => {
    place.put("a", "a\r\nb\nc\r\nd\n");
    await edit("a", swap("a\nb\nc\nd", "a\nb\nC\nc2\nd"));
    expect(place.text("a")).toBe("a\r\nb\nC\r\nc2\r\nd\n");
  });

  test("an edit that would change nothing but endings is refused", async () => {
    place.put("a", "one\r\ntwo\r\n");
    expect((await edit("a", swap("one\r\ntwo", "one\ntwo"))).output).toBe(
      "edit: old_text and new_text are the same (line endings are kept as they are) (NO_CHANGE)",
    );
  });

  test.each([
    ["UTF-8 with a mark", Buffer.from("\ufeffone\n"), Buffer.from("\ufeffzwölf\n")],
    ["UTF-16LE", Buffer.from("\ufeffone\n", "utf16le"), Buffer.from("\ufeffzwölf\n", "utf16le")],
    [
      "UTF-16BE",
      Buffer.from("\ufeffone\n", "utf16le").swap16(),
      Buffer.from("\ufeffzwölf\n", "utf16le").swap16(),
    ],
    ["Windows-1252", Buffer.from("\x80one\n", "latin1"), Buffer.from("\x80zw\xf6lf\n", "latin1")],
    [
      "UTF-8 with bad bytes",
      Buffer.concat([Buffer.from("é\ufffdone"), Buffer.of(0xe2, 0x82, 0xff), Buffer.from("é\n")]),
      Buffer.concat([Buffer.from("é\ufffdzwölf"), Buffer.of(0xe2, 0x82, 0xff), Buffer.from("é\n")]),
    ],
    ["Latin-1", Buffer.from("\xe9one\n", "latin1"), Buffer.from("\xe9zw\xf6lf\n", "latin1")],
  ])("%s is kept", async (_name, before, after) => {
    const path = place.put("a", before);
    expect((await edit("a", swap("one", "zwölf"))).isError).toBe(false);
    expect(readFileSync(path).toString("hex")).toBe(after.toString("hex"));
  });

  test("characters that Windows-1252 has are written in it", async () => {
    const path = place.put("a", Buffer.from("\x93one\x94\n", "latin1"));
    expect((await edit("a", swap("“one”", "‘5 €’ – Žižek…"))).isError).toBe(false);
    expect(readFileSync(path).toString("latin1")).toBe("\x915 \x80\x92 \x96 \x8ei\x9eek\x85\n");
    expect((await edit("a", swap("5", "😀"))).output).toStartWith(
      "edit: 'a' is not UTF-8 but Windows-1252, which has no way to write some character",
    );
  });

  test("a byte that is not UTF-8 is told where it keeps the text from being found; the diff shows its place", async () => {
    const path = place.put(
      "a",
      Buffer.concat([Buffer.from("é na"), Buffer.of(0xef), Buffer.from("ve one\n")]),
    );
    const { output } = await edit("a", swap("na\ufffdve one", "x"));
    expect(output).toContain("\ufffd stands for a byte that is not UTF-8: choose an old_text without it.");
    expect(output.isWellFormed()).toBe(true);
    const { details } = await edit("a", swap("ve one", "ve two"));
    expect(details["diff"]).toContain("-é na\ufffdve one\n+é na\ufffdve two\n");
    expect(readFileSync(path).toString("latin1")).toBe("\xc3\xa9 na\xefve two\n");
  });

  test("a character that Latin-1 does not have is refused", async () => {
    const path = place.put("a", Buffer.from("\xe9one\n", "latin1"));
    expect((await edit("a", swap("one", "😀"))).output).toBe(
      "edit: 'a' is not UTF-8 but Latin-1, which has no way to write some character of the new text (ENCODING)",
    );
    expect(readFileSync(path).toString("latin1")).toBe("\xe9one\n");
  });
});

describe("what a file has beside its content", () => {
  const python = (code: string, ...args: string[]) =>
    execFileSync("python3", ["-c", code, ...args]).toString();
  const attributes = (path: string) =>
    python(
      "import os,sys; p = sys.argv[1]; print({n: os.getxattr(p, n) for n in sorted(os.listxattr(p))})",
      path,
    ).trim();

  test("stays: extended attributes, access control list, mode", async () => {
    const path = place.put("a", "one\n");
    chmodSync(path, 0o640);
    // Version 2; owner rw, user 65534 r, group r, mask rw, others none.
    python(
      `import os, struct, sys
entry = lambda tag, bits, id=0xffffffff: struct.pack("<HHI", tag, bits, id)
os.setxattr(sys.argv[1], "user.origin", b"https://example.org\\0x")
os.setxattr(sys.argv[1], "system.posix_acl_access", struct.pack("<I", 2) + entry(1, 6) + entry(2, 4, 65534) + entry(4, 4) + entry(16, 6) + entry(32, 0))`,
      path,
    );
    const before = { attributes: attributes(path), mode: statSync(path).mode };
    expect(before.attributes).toContain("user.origin");
    expect(before.attributes).toContain("posix_acl_access");
    expect((await edit("a", swap("one", "two"))).output).toBe("Edited a: 1 replacement at line 1 (+1 -1)");
    expect({ attributes: attributes(path), mode: statSync(path).mode }).toEqual(before);
  });

  test("does not grow by what its directory gives to new files", async () => {
    const path = place.put("a", "one\n");
    python(
      `import os, struct, sys
entry = lambda tag, bits, id=0xffffffff: struct.pack("<HHI", tag, bits, id)
os.setxattr(sys.argv[1], "system.posix_acl_default", struct.pack("<I", 2) + entry(1, 7) + entry(2, 7, 65534) + entry(4, 7) + entry(16, 7) + entry(32, 5))`,
      place.project,
    );
    await edit("a", swap("one", "two"));
    expect(attributes(path)).toBe("{}");
  });

  test("is told where it cannot be kept", async () => {
    const path = place.put("a", "one\n");
    linkSync(path, join(place.project, "b"));
    const { output, details } = await edit("a", swap("one", "two"));
    const lost = "hard links (the other names still have the old content)";
    expect(output).toBe(`Edited a: 1 replacement at line 1 (+1 -1)\n[not kept: ${lost}]`);
    expect(details["notKept"]).toEqual([lost]);
    expect(place.text("b")).toBe("one\n");
  });
});

describe("a file that", () => {
  test("changed since it was read is not touched", async () => {
    place.put("a", "one\n");
    await place.run("read", { path: "a" });
    place.put("a", "one\ntheirs\n");
    expect((await edit("a", swap("one", "1"))).output).toBe(
      "edit: 'a' changed on disk since it was read: read it again (CHANGED_ON_DISK)",
    );
    expect(place.text("a")).toBe("one\ntheirs\n");
    await place.run("read", { path: "a" });
    expect((await edit("a", swap("one", "1"))).isError).toBe(false);
    expect((await edit("a", swap("theirs", "ours"))).isError).toBe(false);
  });

  test("was never read may be edited: the text that is replaced must be there", async () => {
    place.put("a", "one\n");
    expect((await edit("a", swap("one", "1"))).isError).toBe(false);
  });

  test("does not exist gets the nearest name", async () => {
    place.put("main.ts", "");
    expect((await edit("mian.ts", swap("a", "b"))).output).toBe(
      "edit: no such file 'mian.ts'; did you mean 'main.ts'? (ENOENT)",
    );
  });

  test("is no text is refused", async () => {
    place.put("a", Buffer.from([1, 0, 2]));
    expect((await edit("a", swap("a", "b"))).output).toBe("edit: 'a' is not text (3 bytes) (BINARY)");
  });
});

describe("the input", () => {
  test("of a single edit may stand beside the path, alone, or as JSON", async () => {
    place.put("a", "one two three four\n");
    const forms = [
      { path: "a", old_text: "one", new_text: "1" },
      { path: "a", edits: { old_text: "two", new_text: "2" } },
      { path: "a", edits: JSON.stringify([{ old_text: "three", new_text: "3" }]) },
      { path: "a", old_text: "o", new_text: "0", replace_all: true },
    ];
    for (const form of forms) expect((await place.run("edit", form)).isError).toBe(false);
    expect(place.text("a")).toBe("1 2 3 f0ur\n");
  });

  test.each([
    [{ path: "a" }, "edit: field 'edits' is required (INVALID_INPUT)"],
    [{ path: "a", edits: [] }, "edit: field 'edits' must have at least one edit (INVALID_INPUT)"],
    [{ path: "a", edits: "nope" }, "edit: field 'edits' must be an array, not a string (INVALID_INPUT)"],
    [{ path: "a", old_text: "x" }, "edit: field 'edits[0].new_text' is required (INVALID_INPUT)"],
    [
      { path: "a", edits: [{ old_text: "x", new_text: "y" }], old_text: "z" },
      "edit: unknown field 'old_text' (INVALID_INPUT)",
    ],
    [
      { path: "a", edits: [{ old_text: "", new_text: "y" }] },
      "edit: old_text is empty: to fill a new or empty file use write (INVALID_INPUT)",
    ],
    [
      { path: "a", edits: [{ old_text: "x", new_text: "x" }] },
      "edit: old_text and new_text are the same (line endings are kept as they are) (NO_CHANGE)",
    ],
    [null, "edit: input must be a JSON object, not null (INVALID_INPUT)"],
  ])("%j is refused in one line", async (input, line) => {
    place.put("a", "x\n");
    expect((await place.run("edit", input)).output).toBe(line);
    expect(place.text("a")).toBe("x\n");
  });
});
