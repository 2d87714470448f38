/** Prompts, resources and questions of MCP servers at the screen: one session, as a person uses it. */

import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { peers } from "../mcp/session.ts";
import { answerWith } from "../support/at-rest.ts";
import { temporaryPlace } from "../support/home.ts";
import { openScreen } from "../support/screen.ts";
import { scriptModel } from "../support/script-model.ts";

const calls = (name: string) => ({ toolCalls: [{ name: `mcp__s__${name}`, input: {} }] });

test("a prompt is called, a resource is attached, and a server's questions are answered", async () => {
  const place = temporaryPlace();
  const agent = join(place.home, ".omp", "agent");
  mkdirSync(agent, { recursive: true });
  const mcpServers = { s: peers.recording(join(place.home, "record")) };
  writeFileSync(join(agent, "omp-mcp.json"), JSON.stringify({ mcpServers }));
  const turns = [
    calls("change"),
    { text: "One." },
    { text: "Two." },
    calls("ask"),
    calls("ask"),
    calls("open"),
    { text: "End." },
  ];
  const screen = openScreen({ place, args: ["-m", scriptModel(place, turns)], env: { PI_PY: "0" } });
  await screen.waitFor("no Python");
  const clear = async () => {
    screen.type("\x15\x15");
    await screen.waitFor("❯ Ask");
  };

  // The server adds a prompt, which needs an argument: Enter in the menu completes it, and says what is missing when it is sent.
  screen.type("go\r");
  await screen.waitFor("One.");
  screen.type("/s:sec");
  await screen.waitFor(/^❯ \/s:second {2}<of> {2}New\.$/m);
  screen.type("\r");
  await screen.waitFor(/^❯ \/s:second$/m);
  screen.type("\t");
  await screen.waitFor("❯ /s:second of=\n");
  screen.type("\x15/s:second \r");
  await screen.waitFor("/s:second: needs of: /s:second <of> (BAD_ARGUMENT)");
  await screen.waitFor("❯ /s:second\n");
  await clear();
  screen.type("/s:second all of it\r");
  await screen.waitFor('second {"of":"all of it"}');
  await screen.waitFor("Two.");

  // A resource, found from the server's name on.
  screen.type("read @s");
  await screen.waitFor("❯ @s:\n");
  screen.type("\t");
  await screen.waitFor(/^❯ @s:note:\/\/first {3}first$/m);
  screen.type("sec");
  await screen.waitFor(/^❯ @s:note:\/\/second {2}second$/m);
  screen.type("\t");
  await screen.waitFor("❯ read @s:note://second\n");
  screen.type("\r");
  await screen.waitFor("@s:note://second is attached");

  // What is typed for something else is no answer.
  await screen.waitFor("s asks: Age");
  screen.type("a draft");
  await screen.waitFor("Up or Down to answer · Enter to send your message · Esc to cancel");
  screen.type("\x1b[A");
  await screen.waitFor("❯ Decline");
  await answerWith(screen, "Write an answer");
  await screen.waitFor("Write the answer · Enter to send · Esc to go back");
  screen.type("old\r");
  await screen.waitFor(
    ({ text }) => text.includes("Age must be a number") && text.includes("Up or Down to answer"),
  );
  screen.type("\x1b[A");
  await answerWith(screen, "Write an answer");
  screen.type("36\r");
  await screen.waitFor('{"action":"accept","content":{"age":36}}');
  await screen.waitFor(({ text }) => text.includes("s asks: Age") && text.includes("❯ a draft\n"));

  // Esc cancels the question, and not the run.
  screen.type("\x15");
  await screen.waitFor("Up, Down and Enter to answer · Esc to cancel");
  screen.type("\x1b");
  await screen.waitFor('{"action":"cancel"}');

  await screen.waitFor("s asks you to open an address in a browser");
  await screen.waitFor("https://example.com/x");
  await answerWith(screen, "Yes (I open it)");
  await screen.waitFor("s: open https://example.com/x");
  await screen.waitFor("End.");

  screen.type("/mcp s\r");
  await screen.waitFor(/ prompt +\/s:first$/m);
  await screen.waitFor(/ log +warning s: changed$/m);
  screen.type("/quit\r");
  expect(await screen.ended()).toBe(0);
});
