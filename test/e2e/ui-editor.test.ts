/** Ctrl+G with an editor that does not do its work. */

import { expect, test } from "bun:test";
import { temporaryPlace } from "../support/home.ts";
import { openScreen } from "../support/screen.ts";
import { scriptModel } from "../support/script-model.ts";

test.each([
  [
    "is not there",
    "no-such-editor",
    "! The editor 'no-such-editor' could not be started; set VISUAL or EDITOR to another one. The prompt is unchanged.",
  ],
  ["ends with an error", "false", "! The editor ended with exit code 1. The prompt is unchanged."],
])("an editor that %s is told of, and the prompt stays", async (_, EDITOR, told) => {
  const place = temporaryPlace();
  const args = ["-m", scriptModel(place, [])];
  const screen = openScreen({ place, args, env: { PI_PY: "0", EDITOR }, columns: 120 });
  await screen.waitFor("no Python");
  screen.type("kept\x07");
  await screen.waitFor(({ text }) => text.includes("is unchanged.") && text.includes("❯ kept"));
  expect(screen.text).toContain(told);
});
