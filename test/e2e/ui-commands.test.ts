/** The `/` commands, driven as a person would. */

import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { done, ringWhenDone } from "../support/at-rest.ts";
import { type TestPlace, temporaryPlace } from "../support/home.ts";
import { openScreen, type Screen } from "../support/screen.ts";
import { scriptModel } from "../support/script-model.ts";

const noPython = { PI_PY: "0" };
const prompt = "Ask anything";

interface Start {
  readonly place?: TestPlace;
  readonly turns?: Parameters<typeof scriptModel>[1];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly columns?: number;
  readonly rows?: number;
}

async function start({
  place = temporaryPlace(),
  turns = [],
  env = {},
  columns = 100,
  rows = 40,
}: Start = {}) {
  const args = ["-m", scriptModel(place, turns)];
  const screen = openScreen({ place, args, env: { ...noPython, ...env }, columns, rows });
  await screen.waitFor(/script:script.json/);
  return { place, screen };
}

/** Says something, waits for the answer, and quits; where omp rings. @returns the session's id. */
async function finishedSession(place: TestPlace, words: string, answer: string): Promise<string> {
  const { screen } = await start({ place, turns: [{ text: answer }] });
  await said(screen, words, answer);
  screen.type("\x04");
  await screen.ended();
  return /--resume ([0-9a-f-]{36})/.exec(screen.text)?.[1] ?? "";
}

/** Where omp rings: while the model's turn goes on, some commands are refused. */
async function said(screen: Screen, words: string, answer: string): Promise<void> {
  await done(screen, words);
  expect(screen.text).toContain(answer);
}

function ringingPlace(): TestPlace {
  const place = temporaryPlace();
  ringWhenDone(place);
  return place;
}

describe("/resume", () => {
  test("lists the other sessions, filters them, and goes on with the one that is picked", async () => {
    const place = ringingPlace();
    await finishedSession(place, "about apples", "They are red.");
    const cherries = await finishedSession(place, "about cherries", "They are sour.");
    const { screen } = await start({ place, turns: [{ text: "Still sour." }] });
    await said(screen, "something else", "Still sour.");
    screen.type("/resume\r");
    await screen.waitFor("1/2 · Enter to select · Esc to close");
    expect(screen.text).toMatch(
      /❯ about cherries {2}(?:just now|\d min ago), \d.*B, [0-9a-f]{8}\n {2}about apples/,
    );
    expect(screen.text).not.toContain("  something else  ");
    screen.type("apples");
    await screen.waitFor("1/1 of 2");
    screen.type("\x15sour");
    await screen.waitFor("No matches");
    screen.type("\x15cherr");
    await screen.waitFor("❯ about cherries");
    const { bells } = screen;
    screen.type("\r");
    const resumed = `Resumed ${cherries.slice(0, 8)}. Shell state was not restored.`;
    await screen.waitFor(
      (now) =>
        now.bells > bells &&
        now.text.includes(resumed) &&
        now.text.startsWith("❯ about cherries\n\nThey are sour."),
    );
    await said(screen, "and now", "Still sour.");
    screen.type("\x04");
    expect(await screen.ended()).toBe(0);
    expect(screen.text).toContain(`Resume with: omp --resume ${cherries}`);
  });

  test("an id that is none is told in a line, and the session goes on", async () => {
    const { screen } = await start({ place: ringingPlace(), turns: [{ text: "Here." }], columns: 300 });
    screen.type("/resume nonsense\r");
    await screen.waitFor(/no session 'nonsense'.*\(ENOENT\)/);
    await said(screen, "hello", "Here.");
  });

  test("a session that is open elsewhere is refused, and this one goes on", async () => {
    const place = ringingPlace();
    const first = await start({ place, turns: [{ text: "First." }] });
    await said(first.screen, "hello", "First.");
    const [file = ""] = readdirSync(join(place.home, ".omp/agent/omp-sessions"));
    const id = /Z-(.*)\.jsonl$/.exec(file)?.[1] ?? "";
    const second = await start({ place, turns: [{ text: "Second." }], columns: 300 });
    second.screen.type(`/resume ${id.slice(0, 8)}\r`);
    await second.screen.waitFor(/is open in another omp.*\(IN_USE\)/);
    await said(second.screen, "go on", "Second.");
  });

  test("the shell of the session before is closed with what it had started", async () => {
    const place = ringingPlace();
    const id = await finishedSession(place, "earlier", "Yes.");
    const input = { command: "sleep 300", run_in_background: true };
    const turns = [{ toolCalls: [{ name: "bash", input }] }, { text: "Started." }];
    const { screen } = await start({ place, turns });
    await said(screen, "go", "Started.");
    await screen.waitFor("1 background shell");
    screen.type(`/resume ${id.slice(0, 8)}\r`);
    await screen.waitFor(
      ({ text }) =>
        text.includes(`Resumed ${id.slice(0, 8)}`) &&
        /! .*bash_1.*sleep 300/.test(text) &&
        !text.includes("1 background shell "),
    );
  });
});

test("/fork goes on in a copy, names both sessions, and leaves the shell as it was", async () => {
  const place = ringingPlace();
  const { screen } = await start({ place, turns: [{ text: "One." }, { text: "Two." }], columns: 140 });
  screen.type("/fork\r");
  await screen.waitFor("This session is still empty.");
  await done(screen, "!kept=yes");
  await said(screen, "first", "One.");
  screen.type("/fork\r");
  await screen.waitFor("; the original is ");
  const [copy = "", original = ""] = screen.text.match(/[0-9a-f]{8}-[0-9a-f-]{27}/g) ?? [];
  await done(screen, "!!echo it is $kept");
  expect(screen.text).toContain("  it is yes\n");
  await said(screen, "second", "Two.");
  screen.type("\x04");
  await screen.ended();
  const log = (id: string) => {
    const directory = join(place.home, ".omp/agent/omp-sessions");
    const name = readdirSync(directory).find((each) => each.includes(id)) ?? "";
    return readFileSync(join(directory, name), "utf8");
  };
  expect(log(original)).toContain("One.");
  expect(log(original)).not.toContain("second");
  expect(log(copy)).toContain("One.");
  expect(log(copy)).toContain("Two.");
});

test("/export writes Markdown or HTML, says where, and asks before it overwrites", async () => {
  const turns = [{ text: "An **answer**." }];
  const { place, screen } = await start({ place: ringingPlace(), turns, columns: 300 });
  screen.type("/export out.md\r");
  await screen.waitFor("This session is still empty.");
  await said(screen, "question", "An answer.");
  screen.type("/export out.md\r");
  await screen.waitFor(`Exported to ${place.project}/out.md`);
  expect(readFileSync(join(place.project, "out.md"), "utf8")).toContain("An **answer**.");
  screen.type("/export out.html\r");
  await screen.waitFor(`Exported to ${place.project}/out.html`);
  expect(readFileSync(join(place.project, "out.html"), "utf8")).toStartWith("<!doctype html>");
  writeFileSync(join(place.project, "out.md"), "mine");
  screen.type("/export out.md\r");
  await screen.waitFor("File already exists");
  screen.type("\r");
  await screen.waitFor(prompt);
  expect(readFileSync(join(place.project, "out.md"), "utf8")).toBe("mine");
  screen.type("/export out.md\r");
  await screen.waitFor("File already exists");
  screen.type("\x1b[B\r");
  await screen.waitFor(({ text }) => text.split("Exported to").length === 4);
  expect(readFileSync(join(place.project, "out.md"), "utf8")).toContain("An **answer**.");
  screen.type("/export no/such/directory/x.md\r");
  await screen.waitFor(/export: cannot write .*x\.md \(ENOENT\)/);
});

describe("/settings", () => {
  test("shows every setting with who set it, and puts the picked one into the prompt", async () => {
    const place = temporaryPlace();
    await Bun.write(join(place.home, ".omp/agent/omp.jsonc"), '{ "artifacts": { "maxAgeDays": 3 } }');
    const { screen } = await start({ place });
    screen.type("/settings\r");
    await screen.waitFor("Settings (Enter to change)");
    screen.type("artifacts");
    await screen.waitFor("artifacts.maxAgeDays  3  (global)");
    expect(screen.text).toContain("artifacts.maxTotalMb  5120  (default)");
    screen.type("\x1b[B\r");
    await screen.waitFor("❯ /settings artifacts.maxAgeDays");
    screen.type("7\r");
    await screen.waitFor("artifacts.maxAgeDays = 7 in ");
    expect(await Bun.file(join(place.home, ".omp/agent/omp.jsonc")).json()).toEqual({
      artifacts: { maxAgeDays: 7 },
    });
  });

  test("of the screen hold at once, of the rest it says from when on", async () => {
    const { screen } = await start({ columns: 160 });
    await screen.waitFor(/^─{160}$/m);
    screen.type("/settings ui.ascii true\r");
    await screen.waitFor(/ui\.ascii = true in \S+\n\n-{160}\n> Ask/);
    screen.type("/settings ui.ascii null\r");
    await screen.waitFor(/^─{160}$/m);
    screen.type("/settings python.startTimeout 20\r");
    await screen.waitFor(/python\.startTimeout = 20 in \S+; takes effect after restart/);
  });

  test("what is wrong is told in a line", async () => {
    const { screen } = await start({ columns: 300 });
    screen.type("/settings artifacts.maxAge 7\r");
    await screen.waitFor(/config: .*artifacts\.maxAge.*artifacts\.maxAgeDays/);
    screen.type("/settings ui.theme pink\r");
    await screen.waitFor(/config: .*ui\.theme.*must be/);
  });
});

describe("/model", () => {
  test("lists what is usable, and the picked one takes over", async () => {
    const { screen } = await start({ env: { ANTHROPIC_API_KEY: "none" } });
    screen.type("/model\r");
    await screen.waitFor("Enter to select");
    expect(screen.text).toMatch(/❯ script:script\.json +in use/);
    screen.type("haiku");
    await screen.waitFor(/❯ anthropic\/claude-haiku/);
    screen.type("\r");
    await screen.waitFor(/Now using anthropic\/claude-haiku\S+\./);
    await screen.waitFor(/ {2}anthropic\/claude-haiku\S+$/);
  });

  test("Esc leaves the model as it is, and a name that is none is told", async () => {
    const { screen } = await start();
    screen.type("/model\r");
    await screen.waitFor("Enter to select");
    screen.type("\x1b");
    await screen.waitFor(prompt);
    screen.type("/model nobody/nothing\r");
    await screen.waitFor(/unknown provider 'nobody'/);
    await screen.waitFor(/ {2}script:script\.json/);
  });
});

describe("/theme", () => {
  test("previews while it is looked at, and is remembered", async () => {
    const { place, screen } = await start({ env: { COLORTERM: "truecolor" } });
    const [darkCyan, lightCyan] = ["\x1b[38;2;95;215;215m", "\x1b[38;2;0;90;110m"];
    expect(screen.raw).toContain(darkCyan);
    screen.type("/theme\r");
    await screen.waitFor(
      ({ text }) => text.includes("match the terminal's background") && text.includes("def area(r):"),
    );
    expect(screen.raw).not.toContain(lightCyan);
    screen.type("\x1b[B\x1b[B");
    await screen.waitFor(({ raw, text }) => text.includes("❯ light") && raw.includes(lightCyan));
    screen.type("\r");
    await screen.waitFor('ui.theme = "light"');
    expect(await Bun.file(join(place.home, ".omp/agent/omp.jsonc")).json()).toEqual({
      ui: { theme: "light" },
    });
    const next = await start({ place, env: { COLORTERM: "truecolor" } });
    expect(next.screen.raw).toContain(lightCyan);
    expect(next.screen.raw).not.toContain(darkCyan);
  });

  test("by name, and one that is none is told", async () => {
    const { screen } = await start();
    screen.type("/theme pink\r");
    await screen.waitFor("Unknown theme 'pink'. Use one of");
    screen.type("/theme none\r");
    await screen.waitFor('ui.theme = "none"');
  });
});

test("/shells lists background shells and ends one", async () => {
  const input = { command: "sleep 300", run_in_background: true };
  const turns = [{ toolCalls: [{ name: "bash", input }] }, { text: "Started." }];
  const { screen } = await start({ place: ringingPlace(), turns });
  await said(screen, "go", "Started.");
  await screen.waitFor("1 background shell");
  screen.type("/shells\r");
  await screen.waitFor("  bash_1  running  sleep 300");
  screen.type("/shells kill bash_1\r");
  await screen.waitFor("background shell bash_1 was killed: sleep 300");
  await screen.waitFor(({ text }) => !text.includes("1 background shell"));
  screen.type("/shells kill bash_9\r");
  await screen.waitFor("No background shell bash_9");
});

test("/artifacts reads one in the pager", async () => {
  const { screen } = await start();
  screen.type("/artifacts\r");
  await screen.waitFor("No saved output yet.");
  screen.type("!seq 1 5000\r");
  await screen.waitFor(({ text }) => text.includes("truncated · ") && !text.includes("Esc to interrupt"));
  screen.type("/artifacts\r");
  await screen.waitFor(/❯ artifact:\/\/\w+ +24 kB, (?:just now|\d min ago), bash: seq 1 5000/);
  const id = /❯ artifact:\/\/(\w+)/.exec(screen.text)?.[1] ?? "";
  screen.type("\r");
  await screen.waitFor(/5,000 lines.*q close/);
  screen.type("q");
  await screen.waitFor(prompt);
  screen.type(`/artifacts ${id}\r`);
  await screen.waitFor(/5,000 lines.*q close/);
  screen.type("q");
  await screen.waitFor(prompt);
  screen.type("/artifacts nothing\r");
  await screen.waitFor("No artifact nothing");
});

test("the pager says how to leave it, also in a narrow window", async () => {
  const { screen } = await start({ columns: 40, rows: 15 });
  screen.type("!seq 1 5000\r");
  await screen.waitFor(({ text }) => text.includes("truncated · ") && !text.includes("Esc to interrupt"));
  expect(screen.text).toMatch(/truncated · 5,000 lines, 24 kB in\s+total · Alt\+O for all/);
  screen.type("\x1bo");
  await screen.waitFor(/ \d+ %, 5,000 lines · q close$/);
  screen.type("/4321\r");
  await screen.waitFor(/ \d+ %, 5,000 lines · .*… · q close$/);
  screen.type("q");
  await screen.waitFor(prompt);
});

test("/help and /hotkeys say it all, also in a narrow window", async () => {
  const { screen } = await start({ columns: 40, rows: 15 });
  screen.type("/help\r");
  await screen.waitFor(({ allText }) => allText.includes("\nKeys\n") && allText.includes(prompt));
  const from = screen.allText.indexOf("What you can type");
  expect(screen.allText.slice(from, screen.allText.lastIndexOf("\n──"))).toMatchSnapshot();
});
