/** Pictures for the model: pasted, dropped, from the clipboard, named with `@`, and with `-i`. */

import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ringWhenDone } from "../support/at-rest.ts";
import { type TestPlace, temporaryPlace } from "../support/home.ts";
import { omp } from "../support/omp.ts";
import { openScreen } from "../support/screen.ts";
import { type ModelBody, type StreamingModel, streamingModel } from "../support/streaming-model.ts";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const address = `data:image/png;base64,${PNG}`;

/** A model that takes pictures, as an endpoint of the user's. */
function withEndpoint({ home }: TestPlace, { env }: StreamingModel): void {
  const baseUrl = `${env["OLLAMA_HOST"]}/v1`;
  const models = [{ id: "eyes", images: true }];
  const settings = { ui: { notifyAfter: 0 }, endpoints: [{ name: "local", baseUrl, models }] };
  writeFileSync(join(home, ".omp/agent/omp.jsonc"), JSON.stringify(settings));
}

/** Programs that have a picture, as the desktop's have. @returns the PATH with them. */
function withClipboards({ home }: TestPlace): string {
  const directory = join(home, "bin");
  mkdirSync(directory);
  writeFileSync(join(home, "clipboard.png"), Buffer.from(PNG, "base64"));
  // Wayland's has text only, so the other one is asked.
  writeFileSync(
    join(directory, "wl-paste"),
    "#!/bin/sh\necho 'Clipboard content is not available as requested type' >&2\nexit 1\n",
  );
  const xclip = `#!/bin/sh\n[ "$*" = "-selection clipboard -t image/png -o" ] && cat "$HOME/clipboard.png"\n`;
  writeFileSync(join(directory, "xclip"), xclip);
  for (const name of ["wl-paste", "xclip"]) chmodSync(join(directory, name), 0o755);
  return `${directory}:${process.env["PATH"]}`;
}

/** The last message: its text, and how many pictures it has. */
function lastMessage(requests: readonly ModelBody[]) {
  const messages = (requests.at(-1)?.["messages"] ?? []) as { readonly content: unknown }[];
  const { content } = messages.at(-1) ?? { content: "" };
  if (!Array.isArray(content)) return { text: content, pictures: [] };
  const parts = content as { type: string; text?: string; image_url?: { url: string } }[];
  return {
    text: parts.flatMap(({ text = [] }) => text).join("\n"),
    pictures: parts.flatMap(({ image_url }) => image_url?.url ?? []),
  };
}

test("a pasted path, the clipboard and @ attach pictures, and the model gets them", async () => {
  const place = temporaryPlace();
  ringWhenDone(place);
  const model = streamingModel();
  try {
    withEndpoint(place, model);
    for (const name of ["plot.png", "my plot.png"])
      writeFileSync(join(place.project, name), Buffer.from(PNG, "base64"));
    writeFileSync(join(place.project, "broken.png"), "not a picture");
    const env = { PI_PY: "0", PATH: withClipboards(place), DISPLAY: ":9", WAYLAND_DISPLAY: "none" };
    const screen = openScreen({ place, args: ["-m", "local/eyes"], env, columns: 200, rows: 40 });
    await screen.waitFor("local/eyes");
    const asked = async (answer: string) => {
      const { bells } = screen;
      screen.type("\r");
      await model.say(answer);
      await model.finish();
      await screen.waitFor((now) => now.bells > bells && now.text.includes(answer));
      return lastMessage(model.requests);
    };
    screen.type("Look at");
    screen.type(`\x1b[200~${place.project}/my\\ plot.png\x1b[201~`);
    await screen.waitFor("❯ Look at [Image #1]");
    screen.type("\x16");
    await screen.waitFor("❯ Look at [Image #1] [Image #2]");
    // One character to the cursor: a backspace over the space and one over it.
    screen.type("\x7f\x7f");
    await screen.waitFor(/^❯ Look at \[Image #1\]$/m);
    screen.type("\x16");
    await screen.waitFor("❯ Look at [Image #1] [Image #3]");
    expect(await asked("Two pictures.")).toEqual({
      text: "Look at [Image #1] [Image #3]",
      pictures: [address, address],
    });
    expect(screen.text).toContain("❯ Look at [Image #1] [Image #3]\n");

    screen.type("and @plot.png too");
    await screen.waitFor("❯ and @plot.png too");
    expect(await asked("One more.")).toEqual({ text: "and @plot.png too", pictures: [address] });

    screen.type("\x1b[200~'broken.png'\x1b[201~");
    await screen.waitFor("❯ [Image #4]");
    expect((await asked("None.")).pictures).toEqual([]);
    expect(screen.text).toMatch(/broken\.png': the\s+image\s+cannot\s+be\s+read: [\s\S]* \(BAD_IMAGE\)/);

    // Text is text, and a path after `!` is the shell's.
    screen.type("\x1b[200~no.png here\x1b[201~");
    await screen.waitFor("❯ no.png here");
    screen.type("\x15!ls ");
    screen.type(`\x1b[200~${place.project}/plot.png\x1b[201~`);
    await screen.waitFor(`❯ !ls ${place.project}/plot.png`);
  } finally {
    await model.stop();
  }
});

test("-i sends files, headless and in the terminal UI; what cannot be sent is told in a line", async () => {
  const place = temporaryPlace();
  ringWhenDone(place);
  const model = streamingModel();
  try {
    withEndpoint(place, model);
    writeFileSync(join(place.project, "plot.png"), Buffer.from(PNG, "base64"));
    const missing = await omp(["-p", "-i", "none.png", "-m", "local/eyes", "what is it?"], { place });
    expect([missing.exitCode, missing.stderr]).toEqual([
      2,
      expect.stringMatching(/^image: cannot read '.*none\.png' \(ENOENT\)\n$/),
    ]);
    const env = { PI_PY: "0" };
    const headless = omp(["-p", "-i", "plot.png", "-i", "plot.png", "-m", "local/eyes", "what is it?"], {
      place,
      env,
    });
    await model.say("A dot.");
    await model.finish();
    expect((await headless).stdout).toBe("A dot.\n");
    expect(lastMessage(model.requests)).toEqual({ text: "what is it?", pictures: [address, address] });

    const args = ["-m", model.name, "-i", "plot.png", "and this?"];
    const screen = openScreen({ place, args, env: { ...env, ...model.env }, columns: 120 });
    await screen.waitFor("! ollama/test-model does not accept images; it is only told that there was one.");
    await model.say("Nothing.");
    await model.finish();
    await screen.waitFor("Nothing.");
    expect(lastMessage(model.requests)).toEqual({
      text: "[Image #1] and this?\n[an image not shown: this model takes text only]",
      pictures: [],
    });
  } finally {
    await model.stop();
  }
});
