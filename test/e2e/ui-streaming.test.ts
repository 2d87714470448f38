/** An answer while it arrives: what is finished is in the scrollback, once, whatever happens to the window meanwhile. */

import { afterEach, expect, test } from "bun:test";
import { ringWhenDone } from "../support/at-rest.ts";
import { temporaryPlace } from "../support/home.ts";
import { openScreen, type Screen } from "../support/screen.ts";
import { type StreamingModel, streamingModel } from "../support/streaming-model.ts";

let model: StreamingModel | undefined;

afterEach(async () => {
  await model?.stop();
  model = undefined;
});

async function streaming(columns = 80, rows = 24) {
  const place = temporaryPlace();
  ringWhenDone(place);
  const opened = streamingModel();
  model = opened;
  const env = { PI_PY: "0", ...opened.env };
  const screen = openScreen({ place, args: ["-m", opened.name], env, columns, rows });
  await screen.waitFor("no Python");
  screen.type("go\r");
  return { screen, model: opened };
}

const numbers = (screen: Screen) =>
  [...screen.allText.matchAll(/Paragraph (\d+)\./g)].map(([, at]) => Number(at));
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
const paragraph = (at: number) =>
  `Paragraph ${at}. It has **some** words, \`code\`, and more than one line of them, as most have.\n\n`;

test("forty paragraphs can be read back before the last one has ended, and are there once", async () => {
  const { screen, model } = await streaming();
  for (const at of upTo(40)) await model.say(paragraph(at));
  await model.say(
    "Paragraph 41. Its first line is long enough to be wrapped, so that it is printed, and the",
  );
  await screen.waitFor(({ text }) => text.includes("and the\n"));
  expect(numbers(screen)).toEqual(upTo(41));
  expect(screen.bells).toBe(0);
  // Code and lists by lines; a table when it is whole.
  await model.say(
    ` rest.\n\n\`\`\`python\n${upTo(30)
      .map((at) => `print(${at})\n`)
      .join("")}`,
  );
  await screen.waitFor(({ text }) => text.includes("  print(30)\n"));
  expect(screen.allText.match(/ {2}print\(\d+\)/g)).toHaveLength(30);
  await model.say(
    `\`\`\`\n\n${upTo(30)
      .map((at) => `${at}. item ${at}\n`)
      .join("")}`,
  );
  await screen.waitFor(({ text }) => text.includes("item 30\n"));
  await model.say(
    `\n| a | b |\n| - | - |\n${upTo(3)
      .map((at) => `| ${at} | ${"x".repeat(at)} |\n`)
      .join("")}\nThe end.`,
  );
  await model.finish();
  await screen.waitFor(({ bells }) => bells > 0);
  await screen.waitFor(({ text }) => /The end\.\n\n(?:▸ \d+ s\n\n)?─+\n❯ Ask/.test(text));
  expect(numbers(screen)).toEqual(upTo(41));
  expect(screen.allText.match(/ {2}print\(\d+\)/g)).toHaveLength(30);
  expect(screen.allText.match(/item \d+/g)).toHaveLength(30);
  expect(screen.allText).toContain("  print(30)\n\n 1. item 1\n 2. item 2\n");
  expect(screen.allText).toContain("30. item 30\n\na │ b\n──┼────\n1 │ x\n2 │ xx\n3 │ xxx\n\nThe end.");
});

test("an answer that breaks off stays as far as it came, and one line says that it starts again", async () => {
  const { screen, model } = await streaming();
  await model.say(`${paragraph(1)}And then`);
  await screen.waitFor("And then\n");
  await model.breakOff();
  const notice =
    "! The answer from ollama was cut off: the stream ended before the turn did;\n  starting the answer again\n";
  await screen.waitFor(notice);
  await model.say(paragraph(1));
  await model.finish();
  await screen.waitFor(({ bells }) => bells > 0);
  const words = "Paragraph 1. It has some words, code, and more than one line of them, as most\nhave.\n";
  await screen.waitFor(`❯ go\n\n${words}\n${notice}\n${words}\n`);
});

test("a window that changes its size while an answer arrives leaves one copy; Ctrl+L writes it anew, Ctrl+O opens it", async () => {
  const { screen, model } = await streaming();
  const sizes = [
    [120, 40],
    [40, 15],
    [100, 20],
    [60, 30],
    [160, 50],
    [50, 18],
    [80, 24],
  ] as const;
  let at = 0;
  for (const [columns, rows] of sizes)
    for (const size of ["before", "after"]) {
      if (size === "after") screen.resize(columns, rows);
      for (let each = 0; each < 3; each += 1) {
        at += 1;
        await model.say(`${paragraph(at).trimEnd()} And so on,`);
        if (each < 2) await model.say(" until its end.\n\n");
      }
      await screen.waitFor(({ allText }) => allText.includes(`Paragraph ${at}.`));
      await model.say(" until its end.\n\n");
    }
  await model.finish();
  await screen.waitFor(({ bells }) => bells > 0);
  await screen.waitFor(/until its end\.\n\n(?:▸ \d+ s\n\n)?─{80}\n❯ Ask/);
  expect(numbers(screen)).toEqual(upTo(at));
  expect(screen.allText.match(/❯ Ask/g)).toHaveLength(1);

  screen.type("\x0c");
  await screen.waitFor(({ raw }) => raw.includes("\x1b[3J"));
  await screen.waitFor(/until its end\.\n\n(?:▸ \d+ s\n\n)?─{80}\n❯ Ask/);
  expect(numbers(screen)).toEqual(upTo(at));

  const before = screen.allText;
  screen.type("\x0f");
  await screen.waitFor(/Transcript .*q close/);
  screen.type("/Paragraph 2\\.\r");
  screen.type("q");
  await screen.waitFor(({ text }) => /❯ Ask/.test(text) && !text.includes("q close"));
  expect(screen.allText).toBe(before);
});
