import { describe, expect, test } from "bun:test";
import { type ParseError, parse } from "jsonc-parser";
import { editText } from "../../src/config/edit.ts";

const toolMode = ["python", "toolMode"];

describe("setting a key", () => {
  test("that exists changes its value and nothing else", () => {
    const before = `{\r\n\t/* a */ "python" : {\t"toolMode":"both" , // b\r\n\t\t"forkServer": false,}\r\n} // c`;
    expect(editText(before, toolMode, "bash-only")).toBe(before.replace('"both"', '"bash-only"'));
  });

  test("in a missing or empty file creates the file", () => {
    expect(editText("", toolMode, "both")).toBe('{\n  "python": {\n    "toolMode": "both"\n  }\n}\n');
  });

  test("in a file of comments keeps the comments", () => {
    expect(editText("// mine", toolMode, "both")).toBe(
      '// mine\n{\n  "python": {\n    "toolMode": "both"\n  }\n}\n',
    );
  });

  test("adds it after the last one, which keeps its comment", () => {
    expect(
      editText(
        '{\n  "python": {\n    "forkServer": true // slow disk\n    // more?\n  }\n}\n',
        toolMode,
        "both",
      ),
    ).toBe(
      '{\n  "python": {\n    "forkServer": true, // slow disk\n    "toolMode": "both"\n    // more?\n  }\n}\n',
    );
  });

  test("uses a trailing comma if the file does", () => {
    expect(
      editText('{\n  "python": {\n    "forkServer": true, // slow disk\n  },\n}\n', toolMode, "both"),
    ).toBe('{\n  "python": {\n    "forkServer": true, // slow disk\n    "toolMode": "both",\n  },\n}\n');
  });

  test("follows the file's indentation and line endings", () => {
    expect(editText('{\r\n\t"tools": {"enable": []}\r\n}\r\n', toolMode, "both")).toBe(
      '{\r\n\t"tools": {"enable": []},\r\n\t"python": {\r\n\t\t"toolMode": "both"\r\n\t}\r\n}\r\n',
    );
  });

  test("keeps a one-line file on one line", () => {
    expect(editText('{"python":{"forkServer":true}}', toolMode, "both")).toBe(
      '{"python":{"forkServer":true, "toolMode": "both"}}',
    );
    expect(editText('{"python":{"forkServer":true,}}', toolMode, "both")).toBe(
      '{"python":{"forkServer":true, "toolMode": "both",}}',
    );
  });

  test("fills an empty group", () => {
    expect(editText('{\n  "python": {}, // later\n}\n', toolMode, "both")).toBe(
      '{\n  "python": {\n    "toolMode": "both"\n  }, // later\n}\n',
    );
    expect(editText("{ // head\n}\n", toolMode, "both")).toBe(
      '{ // head\n  "python": {\n    "toolMode": "both"\n  }\n}\n',
    );
  });

  test("writes a list on one line", () => {
    expect(
      editText('{\n  "tools": { "enable": [\n    "exec"\n  ] }\n}', ["tools", "enable"], ["a", "b"]),
    ).toBe('{\n  "tools": { "enable": ["a", "b"] }\n}');
  });
});

describe("removing a key", () => {
  test("removes its line and its comma", () => {
    expect(
      editText(
        '{\n  "python": {\n    "toolMode": "both",\n    "forkServer": true // f\n  }\n}',
        toolMode,
        undefined,
      ),
    ).toBe('{\n  "python": {\n    "forkServer": true // f\n  }\n}');
  });

  test("that does not exist changes nothing", () => {
    for (const text of ["", "// c", "{}", '{ "python": {} }']) {
      expect(editText(text, toolMode, undefined)).toBe(text);
    }
  });
});

/** Everything that can separate the parts of a small file. */
const gaps = ["", " ", "\n  ", " // one, two\n", "/* } */", "\r\n\t/* a\n b */ // c\r\n"];
const files = gaps.flatMap((a) =>
  gaps.flatMap((b) =>
    gaps.flatMap((c) => [
      `{${a}"python":{${b}"forkServer":true${c}}${a}}`,
      `{${a}"python":{${b}"forkServer":true${c},${a}}${b}}`,
      `{${a}"python":{${b}}${c}}`,
      `{${a}"tools":{"enable":[]}${b},${c}}`,
      `{${a}"python":{"forkServer":true${b},${c}"toolMode":"both"${a}}${b}}`,
      `{"python":{${a}"toolMode":"both"${b},${c}"forkServer":true}}`,
      `{"python":{${a}"toolMode":"both"${c},${b}}${a},}`,
      `${a}{}${b}${c}`,
    ]),
  ),
);

const commentsOf = (text: string) => text.match(/\/\/[^\r\n]*|\/\*[\s\S]*?\*\//g) ?? [];

test.each(["bash-only", undefined])("whatever the layout, %p is written and no comment is lost", (value) => {
  for (const file of files) {
    const edited = editText(file, toolMode, value);
    const errors: ParseError[] = [];
    const parsed = parse(edited, errors, { allowTrailingComma: true });
    expect({ file, errors, toolMode: parsed.python?.toolMode }).toEqual({
      file,
      errors: [],
      toolMode: value,
    });
    const before = parse(file);
    if (value === undefined) delete before.python?.toolMode;
    else before.python = { ...before.python, toolMode: value };
    expect({ file, parsed }).toEqual({ file, parsed: before });
    expect({ file, comments: commentsOf(edited) }).toEqual({ file, comments: commentsOf(file) });
  }
});
