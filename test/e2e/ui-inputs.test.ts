/** What is too large for a prompt, in the terminal: a paste keeps its placeholder, and a dim line says where it went. */

import { expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ringWhenDone } from "../support/at-rest.ts";
import { temporaryPlace } from "../support/home.ts";
import { openScreen } from "../support/screen.ts";
import { type ModelBody, streamingModel } from "../support/streaming-model.ts";

function lastText(requests: readonly ModelBody[]): string {
  const messages = (requests.at(-1)?.["messages"] ?? []) as { readonly content: unknown }[];
  const { content } = messages.at(-1) ?? { content: "" };
  return Array.isArray(content)
    ? (content as { text?: string }[]).map(({ text = "" }) => text).join("\n")
    : String(content);
}

test("a large paste and a large @file are told of in a dim line, and kept for the session", async () => {
  const place = temporaryPlace();
  ringWhenDone(place);
  const model = streamingModel();
  try {
    const log = Array.from({ length: 5_000 }, (_, index) => `line ${index + 1}`).join("\n");
    const csv = join(place.project, "data.csv");
    writeFileSync(csv, `a,b\n${"1,2\n".repeat(20_000)}`);
    const env = { ...model.env, PI_PY: "0" };
    const screen = openScreen({ place, args: ["-m", model.name], env, columns: 200, rows: 40 });
    await screen.waitFor("no Python");
    const asked = async (answer: string) => {
      const { bells } = screen;
      screen.type("\r");
      await model.say(answer);
      await model.finish();
      await screen.waitFor((now) => now.bells > bells && now.text.includes(answer));
      return lastText(model.requests);
    };
    const paste = (text: string) => screen.type(`\x1b[200~${text}\x1b[201~`);
    screen.type("Why did ");
    paste("small\n".repeat(20));
    await screen.waitFor("❯ Why did [Pasted text #1 +20 lines]");
    screen.type(" ");
    paste(log);
    await screen.waitFor("❯ Why did [Pasted text #1 +20 lines] [Pasted text #2 +5000 lines]");
    screen.type(" fail?");
    const directory = join(place.home, ".omp/agent/inputs");
    const told = await asked("The disk.");
    const [session = ""] = readdirSync(directory);
    const file = join(directory, session, "paste_1");
    expect(readFileSync(file, "utf8")).toBe(log);
    expect(told).toStartWith(
      `Why did ${"small\n".repeat(20)} [Pasted text #2 +5000 lines] fail?\n<input source="[Pasted text #2 +5000 lines]" bytes="48892" kind="text" lines="5000">\nline 1\n`,
    );
    expect(told).toEndWith(
      `line 5000\n</input>\n[[Pasted text #2 +5000 lines] is too large for the conversation. Read what you need of the file ${file}.]`,
    );
    expect(screen.text).toContain("[Pasted text #2 +5000 lines] fail?\n");
    expect(screen.text).toContain(`[Pasted text #2 +5000 lines] (49 kB, 5,000 lines) is ${directory}`);

    // Sent again, it is the same one; and of a large file the model is told, too.
    screen.type("And [Pasted text #2 +5000 lines] with @data.csv ");
    await screen.waitFor("with @data.csv");
    const again = await asked("The same.");
    expect(readdirSync(join(directory, session)).sort()).toEqual(["inputs.json", "paste_1"]);
    expect(again).toContain(
      '<input source="@data.csv" bytes="80004" kind="CSV with 2 columns" lines="20001">',
    );
    expect(again).toEndWith(`Read what you need of the file ${csv}.]`);

    // In a command it is what was pasted.
    screen.type("!echo '[Pasted text #2 +5000 lines]' | wc -l");
    await screen.waitFor("' | wc -l");
    screen.type("\r");
    await screen.waitFor(/^ *5000$/m);
  } finally {
    await model.stop();
  }
});
