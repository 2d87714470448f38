/** The parts of an interactive run without a pty: the screen on streams of our own, the conversation with a real session and shell. */

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import type { ReadStream, WriteStream } from "node:tty";
import { defaultSettings } from "../../src/config/defaults.ts";
import type { Settings } from "../../src/config/schema.ts";
import { InputHistory } from "../../src/interactive/input-history.ts";
import { shortName } from "../../src/interactive/model-commands.ts";
import { openSession, switchSession } from "../../src/interactive/open-session.ts";
import { openConversation } from "../../src/interactive/run-interactive.ts";
import { Screen } from "../../src/interactive/screen.ts";
import { defaultKeymap } from "../../src/ui/editor/keymap.ts";
import type { Item } from "../../src/ui/store/state.ts";
import { type TestPlace, temporaryPlace } from "../support/home.ts";
import { userEnvironment } from "../support/omp.ts";
import { type ScriptTurn, scriptModel } from "../support/script-model.ts";
import { until } from "../support/until.ts";

let place: TestPlace;
const closings: (() => Promise<unknown>)[] = [];
/** Nothing ends omp here. */
const { signal: untilEnd } = new AbortController();
beforeEach(() => {
  place = temporaryPlace();
});
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
});

function openParts(turns: readonly ScriptTurn[] = [], ui: Partial<Settings["ui"]> = {}) {
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: () => stdin,
    ref: () => stdin,
    unref: () => stdin,
  });
  stdin.setEncoding("utf8");
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
  let written = "";
  stdout.on("data", (chunk: Buffer) => {
    written += chunk.toString();
  });
  const invocation = {
    env: userEnvironment(place, { TERM: "xterm-256color", PI_PY: "bash" }),
    cwd: place.project,
  };
  const screen = new Screen({
    invocation,
    ui: { ...defaultSettings.ui, ...ui },
    isScreenReader: false,
    stdin: stdin as unknown as ReadStream,
    stdout: stdout as unknown as WriteStream,
  });
  const ended: number[] = [];
  const history = new InputHistory(invocation);
  const parts = openConversation({
    invocation,
    screen,
    history,
    ending: { end: (code) => void ended.push(code), whileLent: (work) => work() },
    options: {
      model: scriptModel(place, turns),
      session: { kind: "new" },
      tools: ["bash"],
      maxTurns: 10,
    },
  });
  const { conversation } = parts;
  closings.push(async () => {
    await conversation.stop(1_000);
    await screen.release();
    await conversation.session?.close();
  });
  const idle = async () =>
    await until("the conversation is idle", () => !conversation.isRunning && screen.store.get());
  return { parts, conversation, screen, stdin, written: () => written, ended, history, idle };
}

const texts = (items: readonly Item[]) =>
  items.flatMap((item) => ("text" in item && item.text !== "" ? [item.text] : []));

describe("the screen", () => {
  const start = async (opened: ReturnType<typeof openParts>) =>
    await opened.screen.start({
      actions: opened.conversation,
      keymap: defaultKeymap(),
      onCrash: (error) => {
        throw error;
      },
    });

  test("paints the prompt before it asks the terminal, and takes its keys", async () => {
    const opened = openParts();
    await start(opened);
    const { stdin, written, history } = opened;
    const painted = Bun.stripANSI(written());
    expect(painted).toContain("❯");
    await until("the terminal is asked", () => written().includes("\x1b[c"));
    stdin.write("\x1b[?62;c");
    stdin.write("/quit\r");
    await until("the command has run", () => opened.ended.length > 0);
    expect(opened.ended).toEqual([0]);
    await until("the input is remembered", () => history.entries.includes("/quit"));
  });

  test("leaves the terminal's title as it was, however often it is released", async () => {
    const opened = openParts();
    await start(opened);
    await opened.screen.stop();
    await opened.screen.release();
    expect(opened.written()).toContain("\x1b[22;0t\x1b]0;omp project\x07");
    expect(opened.written()).toEndWith("\x1b[23;0t");
  });

  test("is drawn again when its settings change, and only then", async () => {
    const { screen } = openParts([], { theme: "dark" });
    const redraws = () => screen.store.get().redraw.count;
    const before = redraws();
    await screen.adopt({ ...defaultSettings.ui, theme: "dark" });
    expect(redraws()).toBe(before);
    await screen.adopt({ ...defaultSettings.ui, theme: "light" });
    expect([screen.look.name, redraws()]).toEqual(["light", before + 1]);
  });
});

test("a script is shown by its file name, with or without a directory", () => {
  const names = ["script:s.json", "script:/tmp/a/s.json", "script:../s.json", "anthropic/claude"];
  expect(names.map(shortName)).toEqual([
    "script:s.json",
    "script:s.json",
    "script:s.json",
    "anthropic/claude",
  ]);
});

describe("the conversation", () => {
  test("runs what was typed before the session was open, and remembers it", async () => {
    const { parts, conversation, history, idle } = openParts([{ text: "Hello." }]);
    await history.load();
    conversation.submit("hi");
    expect(conversation.isRunning).toBe(false);
    await openSession(parts, untilEnd);
    const { finished, facts } = await idle();
    expect(texts(finished).slice(-2)).toEqual(["hi", "Hello."]);
    expect(facts.model).toBe("script:script.json");
    const file = join(place.home, ".omp", "agent", "history.jsonl");
    await until("the input is on disk", () => readFileSync(file, "utf8").includes('"hi"'));
  });

  test("counts the background shells after each piece of work, and reports one that ends", async () => {
    const { parts, conversation, screen } = openParts();
    const session = await openSession(parts, untilEnd);
    const { signal } = new AbortController();
    const input = { command: "sleep 1000", run_in_background: true };
    const context = { ...session.services.context, signal, onUpdate: () => undefined };
    await session.services.tools.run("bash", input, context);
    await until("it is counted", () => screen.store.get().facts.backgroundShells === 1);
    const [shell] = session.services.shells.background();
    conversation.submit(`/shells kill ${shell?.id}`);
    await until("none is left", () => screen.store.get().facts.backgroundShells === 0);
    const said = () => texts(screen.store.get().finished);
    await until("it is told", () => said().some((text) => text.includes(String(shell?.id))));
    expect(said().filter((text) => text.includes(String(shell?.id)))).toEqual([
      expect.stringMatching(/^background shell bash_1 .*killed/),
    ]);
  });

  test("resumes another session in the place of this one, which is closed", async () => {
    const turns = [{ text: "First." }, { text: "Second." }];
    const earlier = openParts(turns);
    earlier.conversation.submit("remember this");
    const before = await openSession(earlier.parts, untilEnd);
    await earlier.idle();
    await before.close();
    const { parts, conversation, screen } = openParts(turns);
    const session = await openSession(parts, untilEnd);
    await switchSession(parts, before.sessionId ?? "");
    expect(conversation.session).not.toBe(session);
    expect(conversation.session?.sessionId).toBe(before.sessionId ?? "");
    expect(texts(screen.store.get().finished)).toContain("remember this");
  });

  test("/sandbox shows and switches what programs may do: the shell starts again, and the model is told", async () => {
    const { parts, conversation, screen, idle } = openParts([{ text: "Done." }]);
    const session = await openSession(parts, untilEnd);
    const enter = async (text: string) => {
      conversation.submit(text);
      return await idle();
    };
    const last = async (text: string) => texts((await enter(text)).finished).at(-1);
    const means = `programs may write only in ${place.project} and /tmp, and cannot reach the network`;
    expect(await last("/sandbox everything")).toBe("Usage: /sandbox [off | workspace | read-only]");
    expect(await last("/sandbox off")).toBe("The sandbox is already off.");
    await enter("!x=1; touch ~/before; sleep 1000 & until ps -o comm= -p $! | grep -q sleep; do :; done");
    conversation.submit("/sandbox workspace");
    await until("it is switched", () => screen.store.get().facts.sandbox === "workspace");
    expect(texts((await idle()).finished).slice(-2)).toEqual([
      "omp: sleep, left running with &, was stopped",
      `Sandbox workspace: ${means}. Lost in the restart: shell state.`,
    ]);
    await enter('!echo "x is [$x]"; touch ~/after');
    const shown = JSON.stringify(session.agent.history);
    expect(shown).toContain(
      `[The user has switched the sandbox to workspace: ${means}. Lost in the restart:`,
    );
    expect(shown).toContain("x is []");
    expect(["before", "after"].map((name) => existsSync(join(place.home, name)))).toEqual([true, false]);

    // Another session in the place of this one keeps what was chosen.
    await enter("say it");
    const { finished } = await enter("/sandbox");
    expect(finished.at(-1)).toMatchObject({
      title: "Sandbox",
      rows: [
        ["state", "workspace"],
        ["means", means],
        ["provided by", expect.any(String)],
      ],
    });
    await switchSession(parts, session.fork() ?? "");
    expect(conversation.session).not.toBe(session);
    expect(conversation.session?.services.sandbox?.mode).toBe("workspace");
  });

  test("that cannot be resumed leaves this one open", async () => {
    const { parts, conversation } = openParts();
    const session = await openSession(parts, untilEnd);
    await expect(switchSession(parts, "no-such-session")).rejects.toMatchObject({ operation: "session" });
    expect(conversation.session).toBe(session);
  });
});
