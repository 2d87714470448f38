/** The same session on screens of three sizes, kept as text. */

import { describe, expect, test } from "bun:test";
import { done, ringWhenDone, statusLine, withoutTimes } from "../support/at-rest.ts";
import { temporaryPlace } from "../support/home.ts";
import { openScreen } from "../support/screen.ts";
import { scriptModel } from "../support/script-model.ts";

const sizes = [
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
  { columns: 40, rows: 15 },
];

const answer = [
  "## What I found",
  "",
  "The file has **three** lines, of which `two` is the one that was asked about:",
  "",
  "| line | text |",
  "| --- | --- |",
  "| 1 | one |",
  "| 2 | two |",
  "",
  "```python",
  "def two():",
  "    return 2",
  "```",
].join("\n");

const command =
  "printf 'one\\ntwo\\nthree\\n'; echo 'and a line that is rather long, so that it does not fit into a narrow window'";

describe.each(sizes)("$columns × $rows", ({ columns, rows }) => {
  test("a session", async () => {
    const place = temporaryPlace();
    ringWhenDone(place);
    const model = scriptModel(place, [
      {
        reasoning: "I should look first.",
        toolCalls: [{ name: "bash", input: { command, description: "Look" } }],
      },
      { text: answer },
    ]);
    const screen = openScreen({ place, args: ["-m", model], env: { PI_PY: "0" }, columns, rows });
    await screen.waitFor("❯ Ask");
    await done(screen, "What is in it?");
    expect(steady(screen.allText)).toMatchSnapshot("transcript");
    screen.type("/");
    await screen.waitFor("/help");
    expect(steady(screen.text)).toMatchSnapshot("menu");
  });

  test("a frame is never higher than the screen, and its prompt never off it", async () => {
    const place = temporaryPlace();
    const calls = [{ name: "bash", input: { command: "seq 1 500; sleep 60" } }];
    const screen = openScreen({
      place,
      args: ["-m", scriptModel(place, [{ toolCalls: calls }])],
      env: { PI_PY: "0" },
      columns,
      rows,
    });
    await screen.waitFor("❯ Ask");
    screen.type("go\r");
    await screen.waitFor(/^ {2}500$[\s\S]*Esc to interrupt/m);
    expect(screen.text.split("\n").length).toBeLessThan(rows + 1);
    expect(screen.allText.match(/❯ Ask/g)).toHaveLength(1);
  });
});

/** Times and places are others each time. */
function steady(text: string): string {
  return (
    withoutTimes(text)
      .replace(statusLine, "<status>")
      // How many commands there are is no matter of looks.
      .replace(/^ {2}1\/\d+$/m, "  1/N")
      .replace(/\n{3,}/g, "\n\n\n")
  );
}
