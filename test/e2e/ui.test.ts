/** The terminal UI, driven as a person would: keys into a pty, the screen out of a terminal emulator. */

import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { answerWith, done, quitByCtrlC, ringWhenDone } from "../support/at-rest.ts";
import { temporaryPlace } from "../support/home.ts";
import { openScreen } from "../support/screen.ts";
import { scriptModel } from "../support/script-model.ts";

/** Without Python: what these tests look at does not need it, and starting a kernel takes time. */
const noPython = { PI_PY: "0" };
const prompt = "Ask anything";

/** The last line tells of the place, which is another one each time. */
function withoutStatus(text: string): string {
  return text.slice(0, text.lastIndexOf("\n"));
}

describe("a conversation", () => {
  test("shows the prompt, the answer as Markdown, and the model in the status line", async () => {
    const place = temporaryPlace();
    const model = scriptModel(place, [{ text: "# Title\n\nSome *text* and `code`.\n\n- one\n- two" }]);
    const screen = openScreen({ place, args: ["-m", model], env: noPython });
    await screen.waitFor(prompt);
    screen.type("hello\r");
    await screen.waitFor("• two");
    await screen.waitFor(({ text }) => /script:.*tokens/.test(text) && !text.includes("Esc to interrupt"));
    expect(withoutStatus(screen.text)).toMatchSnapshot();
  });

  test("what is typed before the session is open runs when it is", async () => {
    const place = temporaryPlace();
    const model = scriptModel(place, [{ text: "I am here." }]);
    const screen = openScreen({ place, args: ["-m", model], env: noPython });
    screen.type("early bird\r");
    await screen.waitFor("I am here.");
    expect(screen.text).toContain("❯ early bird");
  });

  test("a command of the model is shown with its output and its exit code", async () => {
    const place = temporaryPlace();
    const input = { command: "seq 1 15; (exit 3)", description: "Count and fail" };
    const model = scriptModel(place, [{ toolCalls: [{ name: "bash", input }] }, { text: "It failed." }]);
    const screen = openScreen({ place, args: ["-m", model], env: noPython });
    screen.type("go\r");
    await screen.waitFor("It failed.");
    expect(screen.text).toMatch(
      /^✗ bash Count and fail · exit code 3(?: · \d[^·\n]*)?\n {2}\$ seq 1 15; \(exit 3\)\n {2}… 5 earlier lines \(Ctrl\+O\)\n {2}6\n/m,
    );
  });

  test("an edit is shown as a diff", async () => {
    const place = temporaryPlace();
    await Bun.write(`${place.project}/a.txt`, "one\ntwo\nthree\n");
    const edits = [{ old_text: "two", new_text: "TWO" }];
    const calls = [{ name: "edit", input: { path: "a.txt", edits } }];
    const model = scriptModel(place, [{ toolCalls: calls }, { text: "Done." }]);
    const screen = openScreen({ place, args: ["-m", model], env: noPython });
    screen.type("go\r");
    await screen.waitFor("Done.");
    expect(screen.text).toContain("  1  one\n  2 -two\n  2 +TWO\n  3  three");
  });
});

describe("control", () => {
  test("Esc interrupts what the model runs, and the prompt is back", async () => {
    const place = temporaryPlace();
    const calls = [{ name: "bash", input: { command: "echo begun; sleep 60" } }];
    const model = scriptModel(place, [{ toolCalls: calls }]);
    const screen = openScreen({ place, args: ["-m", model], env: noPython });
    screen.type("go\r");
    await screen.waitFor(/^ {2}begun$/m);
    screen.type("\x1b");
    await screen.waitFor("■ Interrupted");
    expect(screen.text).toMatch(/^■ bash(?: · \d[^·\n]*)?\n {2}\$ echo begun; sleep 60\n {2}begun$/m);
  });

  test("a message that is typed meanwhile is queued, shown, and can be taken back", async () => {
    const place = temporaryPlace();
    const calls = [{ name: "bash", input: { command: "echo begun; sleep 60" } }];
    const model = scriptModel(place, [{ toolCalls: calls }]);
    const screen = openScreen({ place, args: ["-m", model], env: noPython });
    screen.type("go\r");
    await screen.waitFor(/^ {2}begun$/m);
    screen.type("and another thing\r");
    await screen.waitFor("○ and another thing");
    screen.type("\x1b[A");
    await screen.waitFor(
      ({ text }) => text.includes("❯ and another thing") && !text.includes("○ and another thing"),
    );
  });

  test("a queued message is read by the model before its next turn", async () => {
    const place = temporaryPlace();
    const calls = [{ name: "bash", input: { command: "until [ -e go ]; do sleep 0.05; done" } }];
    const model = scriptModel(place, [{ toolCalls: calls }, { text: "Heard." }]);
    const screen = openScreen({ place, args: ["-m", model], env: noPython });
    screen.type("start\r");
    await screen.waitFor("● bash");
    screen.type("listen\r");
    await screen.waitFor("○ listen");
    await Bun.write(`${place.project}/go`, "");
    await screen.waitFor("Heard.");
    expect(screen.text).toContain("❯ listen\n\nHeard.");
  });

  test("Ctrl+O shows what was cut on a screen of its own, and leaves the scrollback as it was", async () => {
    const place = temporaryPlace();
    const screen = openScreen({ place, args: ["-m", scriptModel(place, [])], env: noPython, rows: 40 });
    // The status line, which is compared, too, has everything then.
    await screen.waitFor("no Python");
    screen.type("!seq 1 30\r");
    await screen.waitFor(
      ({ text }) =>
        /✓ bash[^\n]*\n[^\n]*\n {2}… 10 earlier lines \(Ctrl\+O\)/.test(text) &&
        !text.includes("Esc to interrupt"),
    );
    const collapsed = screen.allText;
    screen.type("\x0f");
    await screen.waitFor(({ text }) => text.includes("  1\n  2\n") && !text.includes("earlier lines"));
    screen.type("\x0f");
    await screen.waitFor(({ text }) => text.includes("❯ Ask"));
    expect(screen.allText).toBe(collapsed);
  });

  test("one Ctrl+C says how to quit, a second quits", async () => {
    const place = temporaryPlace();
    const screen = openScreen({ place, args: ["-m", scriptModel(place, [])], env: noPython });
    await screen.waitFor(prompt);
    expect(await quitByCtrlC(screen)).toBe(0);
  });

  test("an approval question is asked, and the answer holds", async () => {
    const place = temporaryPlace();
    const calls = [{ name: "bash", input: { command: "touch made" } }];
    const model = scriptModel(place, [{ toolCalls: calls }, { text: "All right." }]);
    const screen = openScreen({ place, args: ["-m", model, "--approval", "ask"], env: noPython });
    screen.type("go\r");
    await screen.waitFor("Up, Down and Enter to answer");
    expect(screen.text).toContain("Allow bash? Not on the safe list\n  touch made\n❯ Yes\n");
    await answerWith(screen, "No");
    await screen.waitFor("All right.");
    expect(await Bun.file(`${place.project}/made`).exists()).toBe(false);
  });
});

test("a yes for always is kept in the user's settings", async () => {
  const place = temporaryPlace();
  const calls = [{ name: "bash", input: { command: "touch made" } }];
  const model = scriptModel(place, [{ toolCalls: calls }, { text: "All right." }]);
  const screen = openScreen({ place, args: ["-m", model, "--approval", "ask"], env: noPython });
  screen.type("go\r");
  await answerWith(screen, "Always (touch made)");
  await screen.waitFor("❯ No, go back");
  await answerWith(screen, "Yes (touch made)");
  await screen.waitFor("Always allowed: touch made (bash.allow)");
  await screen.waitFor("All right.");
  const settings = await Bun.file(`${place.home}/.omp/agent/omp.jsonc`).json();
  expect(settings).toEqual({ bash: { allow: ["touch made"] } });
  expect(await Bun.file(`${place.project}/made`).exists()).toBe(true);
});

describe("the user's own calls", () => {
  test("! runs in the agent's shell, and keeps its state", async () => {
    const place = temporaryPlace();
    const screen = openScreen({ place, args: ["-m", scriptModel(place, [])], env: noPython });
    screen.type("!x=42\r");
    await screen.waitFor("✓ bash");
    screen.type("!!echo value $x\r");
    await screen.waitFor("  value 42\n  (hidden from the model)");
  });

  test("/ offers commands, Tab completes, and /help lists them", async () => {
    const place = temporaryPlace();
    const screen = openScreen({ place, args: ["-m", scriptModel(place, [])], env: noPython, rows: 40 });
    await screen.waitFor(prompt);
    screen.type("/he");
    await screen.waitFor(/^❯ \/help +commands, keys/m);
    screen.type("\t");
    await screen.waitFor("❯ /help");
    screen.type("\r");
    await screen.waitFor(({ allText }) => allText.includes("What you can type"));
  });
});

describe("the whole screen", () => {
  test("Alt+O reads the newest output in full, finds in it, and gives the transcript back", async () => {
    const place = temporaryPlace();
    const screen = openScreen({ place, args: ["-m", scriptModel(place, [])], env: noPython });
    await screen.waitFor("no Python");
    screen.type("!seq 1 5000\r");
    await screen.waitFor(
      ({ text }) =>
        text.includes("truncated · ") && text.includes(prompt) && !text.includes("Esc to interrupt"),
    );
    const before = screen.text;
    screen.type("\x1bo");
    await screen.waitFor(/artifact:\/\/\w+ · \d+ %, 5,000 lines/);
    await screen.waitFor("     1  1\n     2  2\n");
    screen.type("/4321\r");
    await screen.waitFor("  4321  4321");
    screen.type("120");
    await screen.waitFor(/^:120$/m);
    screen.type("G");
    await screen.waitFor(/^ {3}120 {2}120$/m);
    expect(screen.text.split("\n")[0]).toBe("   120  120");
    screen.type("q");
    await screen.waitFor(({ text }) => text === before);
    screen.type("still typing");
    await screen.waitFor("❯ still typing");
    expect(screen.text).toBe(before.replace(/^❯ Ask.*$/m, "❯ still typing"));
  });

  test("Alt+O reads along with a command that runs, from its first line to what comes", async () => {
    const place = temporaryPlace();
    const screen = openScreen({ place, args: ["-m", scriptModel(place, [])], env: noPython });
    await screen.waitFor("no Python");
    const command =
      "seq 1 100; until [ -e more ]; do sleep 0.05; done; seq 101 200; until [ -e end ]; do sleep 0.05; done";
    screen.type(`!${command}\r`);
    await screen.waitFor(/^ {2}100$/m);
    screen.type("\x1bo");
    await screen.waitFor(/^ {3}100 {2}100\n.* 100 %, 100 lines · following ·/m);
    writeFileSync(join(place.project, "more"), "");
    await screen.waitFor(/^ {3}200 {2}200\n.* 100 %, 200 lines · following ·/m);
    screen.type("g");
    await screen.waitFor(/^ {5}1 {2}1$[\s\S]*F follow/m);
    expect(screen.text).not.toContain("following");
    screen.type("F");
    await screen.waitFor(/^ {3}200 {2}200$/m);
    screen.type("q");
    await screen.waitFor("Esc to interrupt");
    writeFileSync(join(place.project, "end"), "");
    await screen.waitFor(({ text }) => !text.includes("Esc to interrupt"));
    expect(screen.allText).toContain("✓ bash");
  });

  test("Ctrl+G writes the prompt in the user's editor", async () => {
    const place = temporaryPlace();
    const env = { ...noPython, EDITOR: "printf 'from the editor' >" };
    const screen = openScreen({ place, args: ["-m", scriptModel(place, [])], env });
    await screen.waitFor(prompt);
    screen.type("a draft");
    await screen.waitFor("❯ a draft");
    screen.type("\x07");
    await screen.waitFor("❯ from the editor");
    // Ctrl+_ takes it back.
    screen.type("\x1f");
    await screen.waitFor("❯ a draft");
  });
});

describe("the prompt", () => {
  test("@ finds files as .gitignore has it, and Tab puts the path in", async () => {
    const place = temporaryPlace();
    await Bun.write(`${place.project}/.gitignore`, "build\n");
    await Bun.write(`${place.project}/src/deep/kernel-notes.md`, "");
    await Bun.write(`${place.project}/build/kernel-notes.md`, "");
    const screen = openScreen({ place, args: ["-m", scriptModel(place, [])], env: noPython });
    await screen.waitFor(prompt);
    screen.type("read @kern");
    await screen.waitFor("❯ @src/deep/kernel-notes.md");
    expect(screen.text).not.toContain("@build");
    screen.type("\t");
    await screen.waitFor("❯ read @src/deep/kernel-notes.md");
  });

  test("what was entered comes back with Up, also in the next session", async () => {
    const place = temporaryPlace();
    const open = () => openScreen({ place, args: ["-m", scriptModel(place, [])], env: noPython });
    const first = open();
    await first.waitFor(prompt);
    first.type("!echo once\r");
    await first.waitFor("✓ bash");
    first.type("\x1b[A");
    await first.waitFor("❯ !echo once");
    first.type("\x03\x03");
    await first.ended();
    const second = open();
    await second.waitFor(/script:script.json/);
    second.type("\x1b[A");
    await second.waitFor("❯ !echo once");
  });

  test("keys of the user's own hold, and a wrong one is told", async () => {
    const place = temporaryPlace();
    const keys = '{ "ctrl+t": "kill-to-line-start", "ctrl+x": "no such thing" }';
    await Bun.write(`${place.home}/.omp/agent/keys.json`, keys);
    const screen = openScreen({ place, args: ["-m", scriptModel(place, [])], env: noPython, columns: 300 });
    await screen.waitFor("keys.json: ctrl+x: unknown command: no such thing");
    screen.type("some words");
    await screen.waitFor("❯ some words");
    screen.type("\x14");
    await screen.waitFor(prompt);
  });

  test("a long paste is folded, and sent whole", async () => {
    const place = temporaryPlace();
    const screen = openScreen({
      place,
      args: ["-m", scriptModel(place, [{ text: "Read." }])],
      env: noPython,
    });
    await screen.waitFor(prompt);
    const text = Array.from({ length: 30 }, (_, line) => `pasted ${line}`).join("\r");
    screen.type(`\x1b[200~${text}\x1b[201~`);
    await screen.waitFor("❯ [Pasted text #1 +30 lines]");
    screen.type("\r");
    await screen.waitFor("Read.");
    expect(screen.allText).toContain("❯ pasted 0\n  pasted 1\n");
  });

  test("several lines, and a smaller window meanwhile", async () => {
    const place = temporaryPlace();
    const screen = openScreen({ place, args: ["-m", scriptModel(place, [])], env: noPython });
    await screen.waitFor(/script:script.json/);
    screen.type("one\ntwo");
    await screen.waitFor("❯ one\n  two");
    screen.resize(50, 12);
    await screen.waitFor(`\n\n${"─".repeat(50)}\n❯ one\n  two\n`);
  });
});

describe("the end", () => {
  test("names the session to resume, and leaves the terminal as it was", async () => {
    const place = temporaryPlace();
    const screen = openScreen({ place, args: ["-m", scriptModel(place, [{ text: "Yes." }])], env: noPython });
    screen.type("hello\r");
    await screen.waitFor("Yes.");
    expect(screen.modes.bracketedPasteMode).toBe(true);
    screen.type("\x04");
    expect(await screen.ended()).toBe(0);
    expect(screen.text).toMatch(/\nResume with: omp --resume [0-9a-f-]{36}$/);
    expect(screen.modes.bracketedPasteMode).toBe(false);
    expect(screen.raw.lastIndexOf("\x1b[?25h")).toBeGreaterThan(screen.raw.lastIndexOf("\x1b[?25l"));
    expect(screen.raw).not.toContain("\x1b[?1049h");
  });

  test("a resumed session shows what was said", async () => {
    const place = temporaryPlace();
    ringWhenDone(place);
    const first = openScreen({
      place,
      args: ["-m", scriptModel(place, [{ text: "The first answer." }])],
      env: noPython,
    });
    await first.waitFor(prompt);
    await done(first, "hello");
    first.type("\x04");
    await first.ended();
    const second = openScreen({ place, args: ["-m", scriptModel(place, []), "--continue"], env: noPython });
    await second.waitFor("❯ hello\n\nThe first answer.");
  });

  test("a terminated omp leaves the terminal as it was", async () => {
    const place = temporaryPlace();
    const screen = openScreen({ place, args: ["-m", scriptModel(place, [])], env: noPython });
    await screen.waitFor(prompt);
    process.kill(screen.pid, "SIGTERM");
    expect(await screen.ended()).toBe(143);
    expect(screen.modes.bracketedPasteMode).toBe(false);
  });
});

test("omp ends when its terminal is closed", async () => {
  const place = temporaryPlace();
  const screen = openScreen({ place, args: ["-m", scriptModel(place, [])], env: noPython });
  await screen.waitFor(/script:script.json/);
  screen.hangUp();
  expect(await screen.exited).toBe(129);
});

describe("when it cannot start", () => {
  test("a model that does not exist is told in a line, with the exit code of bad usage", async () => {
    const place = temporaryPlace();
    const screen = openScreen({ place, args: ["-m", "nobody/nothing"], env: noPython });
    expect(await screen.ended()).not.toBe(0);
    expect(screen.text).toMatch(/nobody[^\n]*\([A-Z_]+\)|\([A-Z_]+\)$/m);
    expect(screen.modes.bracketedPasteMode).toBe(false);
  });

  test("without a model it is a notebook that says so", async () => {
    const place = temporaryPlace();
    const screen = openScreen({ place, env: noPython });
    await screen.waitFor("No model is configured, so this is the built-in demo.");
    screen.type("!echo works\r");
    await screen.waitFor("  works\n");
  });
});
