/** Esc and Ctrl+C, in every state that the screen can be in. */

import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { compatible } from "../models/formats/compatible.ts";
import { serve } from "../models/wire-server.ts";
import { answerWith, hasIdleKernel, pressTwice, quitByCtrlC } from "../support/at-rest.ts";
import { temporaryPlace } from "../support/home.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { openScreen, type Screen } from "../support/screen.ts";
import { type ScriptTurn, scriptModel } from "../support/script-model.ts";

const ESC = "\x1b";
const UP = "\x1b[A";
const prompt = "❯ Ask";

const call = (name: string, input: unknown): ScriptTurn => ({ toolCalls: [{ name, input }] });
const slowCommand = call("bash", { command: "echo begun; sleep 60" });

interface State {
  readonly name: string;
  readonly turns?: readonly ScriptTurn[];
  readonly args?: readonly string[];
  /** Brings the screen there. */
  readonly reach: (screen: Screen) => Promise<void>;
}

function open({ turns = [], args = [] }: Pick<State, "turns" | "args">, place = temporaryPlace()): Screen {
  return openScreen({ place, args: ["-m", scriptModel(place, turns), ...args], env: { PI_PY: "0" } });
}

async function ready(state: State, place = temporaryPlace()): Promise<Screen> {
  const screen = open(state, place);
  await screen.waitFor("no Python");
  await state.reach(screen);
  return screen;
}

const searching: State = {
  name: "the history is searched",
  reach: async (screen) => {
    screen.type("!echo earlier\r");
    await screen.waitFor("✓ bash");
    screen.type("draft\x12ear");
    await screen.waitFor("Search history: ear");
  },
};
const paging: State = {
  name: "the pager is open",
  reach: async (screen) => {
    screen.type("!seq 1 5000\r");
    await screen.waitFor(({ text }) => text.includes("truncated · ") && !text.includes("Esc to interrupt"));
    screen.type("\x1bo");
    await screen.waitFor("q close");
  },
};
const asking: State = {
  name: "a question stands",
  turns: [call("bash", { command: "touch made" })],
  args: ["--approval", "ask"],
  reach: async (screen) => {
    screen.type("go\r");
    await screen.waitFor("❯ Yes\n");
  },
};
const thinking: State = {
  name: "the model works",
  turns: [{ text: "Too late.", delayMs: 60_000 }],
  reach: async (screen) => {
    screen.type("go\r");
    await screen.waitFor("waiting for the model");
  },
};
const running: State = {
  name: "a command of the model runs",
  turns: [slowCommand],
  reach: async (screen) => {
    screen.type("go\r");
    await screen.waitFor("  begun\n");
  },
};
const choosing: State = {
  name: "the menu is open",
  reach: async (screen) => {
    screen.type("/he");
    await screen.waitFor("❯ /help");
  },
};
const picking: State = {
  name: "a list is open",
  reach: async (screen) => {
    screen.type("/theme\r");
    await screen.waitFor("Enter to select · Esc to close");
  },
};
const writing: State = {
  name: "something is written",
  reach: async (screen) => {
    screen.type("some words");
    await screen.waitFor("❯ some words");
  },
};

describe("Ctrl+C twice quits when", () => {
  const states = [writing, choosing, searching, picking, paging, asking, thinking, running];
  test.each(states)("$name", async (state) => {
    const screen = await ready(state);
    expect(await quitByCtrlC(screen)).toBe(0);
    expect(screen.modes.bracketedPasteMode).toBe(false);
  });

  test("omp is still starting", async () => {
    const screen = open({});
    await screen.waitFor(prompt);
    expect(await quitByCtrlC(screen)).toBe(0);
  });
});

describe("Esc", () => {
  test("twice clears what is written, as Ctrl+C does; Up, Ctrl+Y and undo bring it back", async () => {
    const place = temporaryPlace();
    const screen = await ready(writing, place);
    const hint = "Press Esc again to clear the prompt";
    await pressTwice(screen, ESC, { hint, isDone: ({ text }) => text.includes(prompt) });
    screen.type(UP);
    await screen.waitFor("❯ some words\n");
    screen.type(" and more\x03");
    await screen.waitFor(prompt);
    for (const key of ["\x19", "\x1f", UP]) {
      screen.type(key);
      await screen.waitFor("❯ some words and more\n");
      screen.type("\x15");
      await screen.waitFor(prompt);
    }
    // It is there in the next session as well.
    screen.type("of another day");
    await screen.waitFor("❯ of another day");
    expect(await quitByCtrlC(screen)).toBe(0);
    const kept = await Bun.file(`${place.home}/.omp/agent/history.jsonl`).text();
    const texts = kept
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).text);
    expect(texts).toEqual(["some words", "some words and more", "of another day"]);
  });

  test("closes the menu first, and leaves the text", async () => {
    const screen = await ready(choosing);
    screen.type(ESC);
    await screen.waitFor(({ text }) => text.includes("❯ /he\n") && !text.includes("/help"));
    screen.type("l");
    await screen.waitFor("❯ /help");
  });

  test("leaves the search with what was written before it", async () => {
    const screen = await ready(searching);
    screen.type(ESC);
    await screen.waitFor("❯ draft\n");
  });

  test("leaves the pager, and interrupts nothing", async () => {
    const screen = await ready(paging);
    screen.type(ESC);
    await screen.waitFor(prompt);
  });

  test("closes a list", async () => {
    const screen = await ready(picking);
    screen.type(ESC);
    await screen.waitFor(prompt);
  });

  test.each([thinking, running])("interrupts when $name", async (state) => {
    const screen = await ready(state);
    screen.type(ESC);
    await screen.waitFor("■ Interrupted");
    await screen.waitFor(prompt);
  });

  test("is a no that stops the run, when a question stands", async () => {
    const screen = await ready(asking);
    screen.type(ESC);
    await screen.waitFor("■ Interrupted");
    await screen.waitFor(prompt);
  });
});

describe("a question", () => {
  test("stands for a call that does not run yet, whatever is typed meanwhile", async () => {
    const screen = await ready(asking);
    expect(screen.text).toContain("○ bash · needs approval\n");
    screen.type("\x1b[D\x15yan");
    await screen.waitFor("❯ yan\n");
    // Up belongs to the question.
    screen.type("\r");
    await screen.waitFor("  ○ yan\n  Alt+Up to take back\n");
    screen.type("\x1b[1;3A");
    await screen.waitFor(({ text }) => text.includes("❯ yan\n") && !text.includes("○ yan"));
    screen.type("\x15");
    await answerWith(screen, "Yes");
    await screen.waitFor(({ text }) => text.includes("✓ bash") && text.includes(prompt));
  });
});

describe("what is typed while it works", () => {
  test("is shown, and taken back with Up into the empty prompt, the older ones first", async () => {
    const screen = await ready(running);
    screen.type("first thing\r");
    await screen.waitFor("  ○ first thing\n");
    screen.type("!echo second\r");
    await screen.waitFor("  ○ first thing\n  ○ !echo second\n  Up to take back\n");
    screen.type(UP);
    await screen.waitFor(
      ({ text }) => text.includes("❯ first thing\n  !echo second\n") && !text.includes("○ first thing"),
    );
  });

  test("comes back when what runs is interrupted, in front of what is being written", async () => {
    const screen = await ready(running);
    screen.type("first thing\r");
    await screen.waitFor("○ first thing");
    screen.type("half");
    await screen.waitFor("❯ half");
    screen.type(ESC);
    await screen.waitFor("❯ first thing\n  half\n");
  });

  test("runs in its turn when it is not taken back", async () => {
    const place = temporaryPlace();
    const command = "until [ -e go ]; do sleep 0.05; done";
    const turns = [call("bash", { command }), { text: "Done." }];
    const screen = openScreen({ place, args: ["-m", scriptModel(place, turns)], env: { PI_PY: "0" } });
    screen.type("start\r");
    await screen.waitFor("● bash");
    screen.type("!echo my own\r");
    await screen.waitFor("○ !echo my own");
    await Bun.write(`${place.project}/go`, "");
    await screen.waitFor(/^Done\.\n[\s\S]*^ {2}my own$/m);
  });
});

describe("the status line", () => {
  test("counts background shells while a turn runs, as they start and end", async () => {
    const command = "until [ -e end ]; do sleep 0.05; done";
    const place = temporaryPlace();
    const turns = [call("bash", { command, run_in_background: true }), slowCommand];
    const screen = openScreen({ place, args: ["-m", scriptModel(place, turns)], env: { PI_PY: "0" } });
    screen.type("go\r");
    await screen.waitFor(({ text }) => text.includes("  begun\n") && text.includes("1 background shell"));
    await Bun.write(`${place.project}/end`, "");
    await screen.waitFor(({ text }) => text.includes("  begun\n") && !/\d background shell/.test(text));
  });

  test("adds up what a model costs, where its price is known", async () => {
    const place = temporaryPlace();
    const server = await serve({ body: compatible.turn({ text: ["Done."] }) });
    // The server tells of 60 fresh, 40 cached and 20 written tokens.
    const price = { input: 10_000, output: 20_000, cacheRead: 0 };
    const endpoint = { name: "mine", baseUrl: `${server.url}/v1`, models: [{ id: "m", price }] };
    const directory = `${place.home}/.omp/agent`;
    mkdirSync(directory, { recursive: true });
    writeFileSync(`${directory}/omp.jsonc`, JSON.stringify({ endpoints: [endpoint] }));
    const screen = openScreen({ place, args: ["-m", "mine/m"], env: { PI_PY: "0" }, columns: 120 });
    await screen.waitFor("mine/m");
    screen.type("go\r");
    await screen.waitFor("  mine/m · 120 tokens, 0 % · $1.00");
  });
});

describe("the progress line", () => {
  test("says what is waited for once that takes longer than a second, and goes when it is over", async () => {
    const answering = Promise.withResolvers<void>();
    const server = await serve({ body: compatible.turn({ text: ["At last."] }), after: answering.promise });
    const env = { PI_PY: "0", OLLAMA_HOST: server.url };
    const screen = openScreen({ place: temporaryPlace(), args: ["-m", "ollama/test-model"], env });
    screen.type("go\r");
    await screen.waitFor(/● waiting for the model · \d+ s · Esc to interrupt/);
    answering.resolve();
    await screen.waitFor(({ text }) => text.includes("At last.") && !text.includes("Esc to interrupt"));
  });
});

describeWithPython(testPython, "the kernel", () => {
  const env = { VIRTUAL_ENV: testPython.venv };

  test("is idle while a question stands, busy while the cell runs, and Esc interrupts it", async () => {
    const place = temporaryPlace();
    const cells = [{ code: "import time; print('begun', flush=True); time.sleep(60)" }];
    const args = ["-m", scriptModel(place, [call("python", { cells })]), "--approval", "ask"];
    const screen = openScreen({ place, args, env });
    await screen.waitFor(hasIdleKernel);
    screen.type("go\r");
    await screen.waitFor(
      (now) =>
        now.text.includes("❯ Yes\n") &&
        now.text.includes("○ python · needs approval\n") &&
        hasIdleKernel(now),
    );
    screen.type("\r");
    await screen.waitFor(/ {2}begun\n[\s\S]*Python [\d.]+ busy/);
    screen.type(ESC);
    await screen.waitFor("■ Interrupted");
    await screen.waitFor(hasIdleKernel);
  });

  test("is dead when it was killed, and there is another when it is needed", async () => {
    const place = temporaryPlace();
    const screen = openScreen({ place, args: ["-m", scriptModel(place, [])], env });
    await screen.waitFor(hasIdleKernel);
    screen.type("$import os; print('pid', os.getpid(), 'end')\r");
    await screen.waitFor(/✓ python[\s\S]*pid \d+ end[\s\S]*Python [\d.]+ \[1\]/);
    process.kill(Number(/pid (\d+) end/.exec(screen.text)?.[1]), "SIGKILL");
    await screen.waitFor(/Python [\d.]+ dead/);
    screen.type("$print('again')\r");
    await screen.waitFor(/✓ python[\s\S]* {2}again\n[\s\S]*Python [\d.]+ \[1\]/);
  });
});
