import { expect, test } from "bun:test";
import { sourceLine, sourceText } from "../../../src/ui/text/source-text.ts";

test.each([
  ["touch X #\rls -la", "touch X #␍ls -la"],
  ["a\x1b[8mb\x1b]0;t\x07", "a␛[8mb␛]0;t␇"],
  ["rm \u202egpj.x", "rm <U+202E>gpj.x"],
  ["l\u200bs \u00a0 \ufeff", "l<U+200B>s <U+00A0> <U+FEFF>"],
  ["./run\ufe0f.sh a\u3164b \u2800\u115f\u{e0100}", "./run<U+FE0F>.sh a<U+3164>b <U+2800><U+115F><U+E0100>"],
  ["git commit -m '✨ ⚙️ ❤️‍🔥'", "git commit -m '✨ ⚙️ ❤️‍🔥'"],
  ["\x7f\x00\x9b\u2028", "␡␀<U+009B><U+2028>"],
  ["\u{108000}\ud800", "<U+108000><U+D800>"],
  ["if x:\n\treturn 'é ü 日本 👩‍💻'", "if x:\n    return 'é ü 日本 👩‍💻'"],
])("%j is shown as %s", (source, shown) => {
  expect(sourceText(source)).toBe(shown);
});

test("in one line, a newline is shown as well", () => {
  expect(sourceLine("a\nb")).toBe("a␊b");
});
