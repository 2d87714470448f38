/** Nothing that a model, a provider, a program or a file's name says can make the user's terminal do more than show text in colour. */

import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ompPaths } from "../../src/config/paths.ts";
import { answerWith } from "../support/at-rest.ts";
import { type TestPlace, temporaryPlace } from "../support/home.ts";
import { openScreen } from "../support/screen.ts";
import { scriptModel } from "../support/script-model.ts";

/** Sets the clipboard and the title, resets the terminal, asks it for an answer, and writes over the line. */
const HOSTILE =
  "a\x1b]52;c;cHduZWQ=\x07b\x1b]0;pwned\x1b\\c\x1bcd\x1b[6ne\x1bP+q\x1b\\f\x9bJg\x1b[31mred\x1b[0m safe\rhidden";
const harmful = ["\x1b]52", "\x1b]0;pwned", "\x1bc", "\x1b[6n", "\x1bP+q", "\x9b"];
const foundIn = (raw: string) => harmful.filter((each) => raw.includes(each));

async function sent(place: TestPlace, args: readonly string[], env = {}): Promise<string> {
  const screen = openScreen({ place, args, env: { PI_PY: "0", ...env }, columns: 200 });
  await screen.ended();
  return screen.raw;
}

test("in a headless answer and its error", async () => {
  const place = temporaryPlace();
  const answer = await sent(place, ["-p", "x", "-m", scriptModel(place, [{ text: HOSTILE }])]);
  expect(answer).toContain("\x1b[31mred");
  expect(foundIn(answer)).toEqual([]);
  const error = { status: 400, message: HOSTILE };
  const failed = await sent(place, ["-p", "x", "-m", scriptModel(place, [{ error }])]);
  expect(failed).toContain("red");
  expect(foundIn(failed)).toEqual([]);
});

test("in the output of a tool, an artifact and a list of sessions", async () => {
  const place = temporaryPlace();
  const { artifacts } = ompPaths({ env: { HOME: place.home } });
  mkdirSync(artifacts, { recursive: true });
  writeFileSync(join(artifacts, "abc123.log"), `${HOSTILE}\n`);
  const command = `printf '%s\\n' '${HOSTILE.replaceAll("\r", "")}'`;
  for (const args of [
    ["tool", "bash", JSON.stringify({ command })],
    ["artifact", "abc123"],
  ]) {
    const shown = await sent(place, args);
    expect(shown).toContain("red");
    expect(foundIn(shown)).toEqual([]);
  }
  await sent(place, ["-p", HOSTILE, "-m", scriptModel(place, [{ text: "ok" }])]);
  const list = await sent(place, ["sessions", "list"]);
  expect(list).toContain("red");
  expect(foundIn(list)).toEqual([]);
});

test("in errors about the command line", async () => {
  const place = temporaryPlace();
  for (const args of [[`--${HOSTILE}`], ["-C", `/nowhere/${HOSTILE}`, "doctor"], ["help", HOSTILE]]) {
    const shown = await sent(place, args);
    expect(shown).toContain("red");
    expect(foundIn(shown)).toEqual([]);
  }
});

test("in the terminal UI: an answer, an error, the name of the folder", async () => {
  const { home, project } = temporaryPlace();
  const place = { home, project: join(project, "x\x1b]52;c;cHduZWQ=\x07y") };
  mkdirSync(place.project);
  const model = scriptModel(place, [{ text: HOSTILE }, { error: { status: 400, message: HOSTILE } }]);
  const screen = openScreen({ place, args: ["-m", model], env: { PI_PY: "0" }, columns: 120 });
  screen.type("one\r");
  await screen.waitFor("red safe");
  screen.type("two\r");
  await screen.waitFor((shown) => shown.allText.split("red").length > 2);
  screen.type("\x04");
  await screen.ended();
  // omp itself asks the terminal where its cursor is.
  expect(foundIn(screen.raw.replaceAll("\x1b[6n", ""))).toEqual([]);
});

test("a question shows what would run, not what a terminal would make of it", async () => {
  const place = temporaryPlace();
  symlinkSync("/etc/passwd", join(place.project, "notes"));
  const command = "touch made #\rls -la \u202e\u200b; tee notes";
  const calls = [{ name: "bash", input: { command } }];
  const model = scriptModel(place, [{ toolCalls: calls }, { text: "All right." }]);
  const args = ["-m", model, "--approval", "ask"];
  const screen = openScreen({ place, args, env: { PI_PY: "0" }, columns: 120 });
  screen.type("go\r");
  await screen.waitFor("  Stop");
  expect(screen.text).toContain("\n  touch made #␍ls -la <U+202E><U+200B>; tee notes\n");
  screen.type("\x1bo");
  await screen.waitFor("waiting for your answer");
  expect(screen.text).toContain("touch made #␍ls -la <U+202E><U+200B>; tee notes");
  screen.type("q");
  await answerWith(screen, "No");
  await screen.waitFor("All right.");
});

test("in what MCP servers and agents say: names, descriptions, errors, progress, last words", async () => {
  const place = temporaryPlace();
  const directory = join(place.home, ".omp", "agent");
  mkdirSync(join(directory, "agents"), { recursive: true });
  const agent = `---\nname: helper\ndescription: ${HOSTILE.replaceAll("\r", "")}\n---\nHelp.\n`;
  writeFileSync(join(directory, "agents", "helper.md"), agent);
  const server = join(import.meta.dir, "hostile-server.mjs");
  const mcpServers = {
    evil: { command: "node", args: [server], env: { HOSTILE } },
    dying: { command: "sh", args: ["-c", 'printf "%s\\n" "$HOSTILE" >&2; exit 3'], env: { HOSTILE } },
    [`x${HOSTILE}`]: { command: `y${HOSTILE}` },
  };
  writeFileSync(join(directory, "omp-mcp.json"), JSON.stringify({ mcpServers }));
  const list = await sent(place, ["mcp", "list"]);
  expect(list).toContain("red");
  expect(foundIn(list)).toEqual([]);
  expect(foundIn(await sent(place, ["doctor"]))).toEqual([]);
  const calls = [{ name: "mcp__evil__plain", input: {} }];
  const model = () => scriptModel(place, [{ toolCalls: calls }, { text: "Done." }]);
  const headless = await sent(place, ["-p", "x", "-m", model()]);
  expect(headless).toContain("red");
  expect(foundIn(headless)).toEqual([]);
  const screen = openScreen({ place, args: ["-m", model()], env: { PI_PY: "0" }, columns: 160 });
  screen.type("go\r");
  await screen.waitFor("Done.");
  screen.type("/mcp\r");
  await screen.waitFor("MCP servers");
  screen.type("/evil:");
  await screen.waitFor("evil:p");
  screen.type("\x15@evil:");
  await screen.waitFor("evil:x");
  screen.type("\x15\x04");
  await screen.ended();
  expect(foundIn(screen.raw.replaceAll("\x1b[6n", ""))).toEqual([]);
});
