/** The conversation behind the screen: a real session with a scripted model and a real shell, a real store, and no terminal. */

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentSession, openAgentSession } from "../../src/app/agent-session.ts";
import { unlessAborted } from "../../src/async/abort.ts";
import { Attachments } from "../../src/interactive/attachments.ts";
import { Conversation } from "../../src/interactive/conversation.ts";
import { Questions } from "../../src/interactive/questions.ts";
import type { UserMessage } from "../../src/protocol/index.ts";
import { initialState, type UiState } from "../../src/ui/store/state.ts";
import { Store } from "../../src/ui/store/store.ts";
import { withoutTimes } from "../support/at-rest.ts";
import { type TestPlace, temporaryPlace } from "../support/home.ts";
import { userEnvironment } from "../support/omp.ts";
import { type ScriptTurn, scriptModel } from "../support/script-model.ts";

let place: TestPlace;
const sessions: AgentSession[] = [];
beforeEach(() => {
  place = temporaryPlace();
});
afterEach(async () => {
  for (const session of sessions.splice(0)) await session.close();
});

class Talk {
  readonly store = new Store(initialState({ columns: 80, rows: 24, cwd: place.project }));
  readonly entered: string[] = [];
  readonly commands: string[] = [];
  quits = 0;
  readonly conversation = new Conversation({
    store: this.store,
    questions: new Questions(this.store),
    attachments: new Attachments({ env: {}, cwd: "/" }),
    attachClipboard: async () => undefined,
    commands: () => [],
    runCommand: async (line) => void this.commands.push(line),
    quit: () => {
      this.quits += 1;
    },
    remember: (text) => void this.entered.push(text),
    history: () => this.entered,
    async *findFiles() {
      yield { paths: [], total: 0 };
    },
    complete: async () => undefined,
    pictures: { draw: async () => [] },
    editExternally: async () => ({}),
    suspend: async () => undefined,
    onIdle: () => undefined,
  });

  get state(): UiState {
    return this.store.get();
  }

  get session(): AgentSession {
    const { session } = this.conversation;
    if (session === undefined) throw new Error("the session is not open");
    return session;
  }

  /** What the transcript says, a line each. */
  get lines(): string[] {
    const lines = [...this.state.finished, ...this.state.live].map((item) =>
      item.kind === "call" ? `${item.by} ${item.name}: ${item.result?.output}` : `${item.kind}: ${item.text}`,
    );
    // What a run took is another each time.
    return lines.filter((line) => !/^notice: (?:\d+ s|\d+ calls?)/.test(line)).map(withoutTimes);
  }

  get userMessages(): UserMessage[] {
    return this.session.agent.history.filter((message) => message.role === "user");
  }

  async open(turns: readonly ScriptTurn[]): Promise<this> {
    const session = await openAgentSession(
      {
        model: scriptModel(place, turns),
        session: { kind: "new" },
        tools: ["bash"],
        dryRun: false,
        maxTurns: 10,
        systemPrompt: "You are a test.",
        appendSystemPrompt: undefined,
      },
      { stdout: () => undefined, stderr: () => undefined },
      { env: userEnvironment(place, { PI_PY: "bash" }), cwd: place.project },
    );
    sessions.push(session);
    this.conversation.opened(session);
    return this;
  }

  /** Resolves as soon as the state is as it should be. */
  async until(isSo: (state: UiState) => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => isSo(this.state) && resolve();
    const unsubscribe = this.store.subscribe(look);
    look();
    await promise;
    unsubscribe();
  }

  async untilIdle(): Promise<void> {
    await this.until(({ activity }) => activity === undefined && !this.conversation.isRunning);
  }
}

const wait = { name: "bash", input: { command: "until [ -e go ]; do sleep 0.01; done; echo over" } };

/** Lets the command that waits continue. */
function go(): void {
  writeFileSync(join(place.project, "go"), "");
}

function isCallRunning({ live }: UiState): boolean {
  return live.some((item) => item.kind === "call" && item.result === undefined);
}

describe("a prompt", () => {
  test("is asked and drawn as it was typed, whatever it looks like", async () => {
    const talk = await new Talk().open([{ text: "One." }, { text: "Two." }]);
    talk.conversation.submit("[fix the build]");
    await talk.untilIdle();
    talk.conversation.submit("<user_ran x");
    await talk.untilIdle();
    expect(talk.lines).toEqual([
      "user: [fix the build]",
      "assistant: One.",
      "user: <user_ran x",
      "assistant: Two.",
    ]);
    expect(talk.userMessages.map(({ origin }) => origin)).toEqual([{ kind: "typed" }, { kind: "typed" }]);
    expect(talk.entered).toEqual(["[fix the build]", "<user_ran x"]);
  });

  test("that was typed before the session was open runs when it is", async () => {
    const talk = new Talk();
    talk.conversation.submit("hello");
    expect(talk.state.queued).toEqual(["hello"]);
    await talk.open([{ text: "Hi." }]);
    await talk.untilIdle();
    expect([talk.lines, talk.state.queued]).toEqual([["user: hello", "assistant: Hi."], []]);
  });

  test("that is typed while the model works is read before its next turn", async () => {
    const talk = await new Talk().open([{ toolCalls: [wait] }, { text: "As you say." }]);
    talk.conversation.submit("begin");
    await talk.until(isCallRunning);
    talk.conversation.submit("use tabs");
    expect(talk.state.queued).toEqual(["use tabs"]);
    go();
    await talk.untilIdle();
    expect(talk.lines).toEqual([
      "user: begin",
      "model bash: over",
      "user: use tabs",
      "assistant: As you say.",
    ]);
    expect(talk.state.queued).toEqual([]);
  });

  test("that fails gives back what waits, instead of failing with it as well", async () => {
    const talk = new Talk();
    for (const text of ["one", "two", "!echo three"]) talk.conversation.submit(text);
    await talk.open([{ error: { status: 401, message: "no such key" } }, { text: "Never asked." }]);
    await talk.untilIdle();
    expect(talk.userMessages.map(({ content }) => content)).toEqual([[{ type: "text", text: "one" }]]);
    expect(talk.lines).toHaveLength(2);
    expect([talk.state.handedBack.text, talk.state.queued]).toEqual(["two\n!echo three", []]);
  });

  test("that starts like a path is no command", async () => {
    const talk = await new Talk().open([{ text: "Fixed." }]);
    talk.conversation.submit("/help me");
    talk.conversation.submit("/data/x.csv has a wrong header");
    await talk.untilIdle();
    expect(talk.commands).toEqual(["/help me"]);
    expect(talk.lines).toEqual(["user: /data/x.csv has a wrong header", "assistant: Fixed."]);
  });
});

describe("an interrupt", () => {
  test("stops the model's call, and gives back what was queued", async () => {
    const talk = await new Talk().open([{ toolCalls: [wait] }]);
    expect(talk.conversation.interrupt()).toBe(false);
    talk.conversation.submit("begin");
    await talk.until(isCallRunning);
    talk.conversation.submit("one");
    talk.conversation.submit("!two");
    expect(talk.conversation.interrupt()).toBe(true);
    expect([talk.state.handedBack.text, talk.state.queued]).toEqual(["one\n!two", []]);
    await talk.untilIdle();
    expect(talk.lines).toEqual([
      "user: begin",
      "model bash: bash: cancelled (CANCELLED)",
      "notice: Interrupted",
    ]);
  });

  test("of the user's own command leaves the report of an earlier one for the model", async () => {
    const talk = await new Talk().open([{ text: "I see." }]);
    talk.conversation.submit("!echo one");
    await talk.untilIdle();
    talk.conversation.submit(`!${wait.input.command}`);
    await talk.until(isCallRunning);
    expect(talk.conversation.takeBack()).toBe(false);
    talk.conversation.interrupt();
    await talk.untilIdle();
    talk.conversation.submit("look");
    await talk.untilIdle();
    expect(talk.userMessages.map(({ origin }) => origin)).toEqual([
      { kind: "ran", tool: "bash", code: "echo one", artifacts: [expect.any(String)] },
      { kind: "ran", tool: "bash", code: wait.input.command, isError: true },
      { kind: "typed" },
    ]);
  });
});

describe("the user's own command", () => {
  test("is shown once, and reported to the model with the next prompt", async () => {
    const talk = await new Talk().open([{ text: "I see." }]);
    talk.conversation.submit("!echo mine; (exit 3)");
    await talk.untilIdle();
    expect(talk.state.queued).toEqual([]);
    talk.conversation.submit("look");
    await talk.untilIdle();
    expect(talk.lines).toEqual(["user bash: mine\nExit code: 3", "user: look", "assistant: I see."]);
    expect(talk.userMessages[0]).toEqual({
      role: "user",
      origin: {
        kind: "ran",
        tool: "bash",
        code: "echo mine; (exit 3)",
        artifacts: [expect.any(String)],
        isError: true,
      },
      content: [
        {
          type: "text",
          text: '<user_ran tool="bash">\necho mine; (exit 3)\n</user_ran>\n<output>\nmine\nExit code: 3\n</output>',
        },
      ],
    });
  });

  test("with a doubled symbol is not reported", async () => {
    const talk = await new Talk().open([{ text: "Nothing." }]);
    talk.conversation.submit("!!echo secret");
    await talk.untilIdle();
    talk.conversation.submit("look");
    await talk.untilIdle();
    expect(talk.lines).toEqual(["private bash: secret", "user: look", "assistant: Nothing."]);
    expect(talk.userMessages).toHaveLength(1);
  });

  test("waits for the model to end, and the prompt after it for the command", async () => {
    const talk = await new Talk().open([{ toolCalls: [wait] }, { text: "Done." }]);
    talk.conversation.submit("begin");
    await talk.until(isCallRunning);
    talk.conversation.submit("!echo later");
    expect(talk.state.queued).toEqual(["!echo later"]);
    go();
    await talk.until(({ finished }) => finished.some((item) => item.kind === "call" && item.by === "user"));
    await talk.untilIdle();
    expect(talk.lines).toEqual(["user: begin", "model bash: over", "assistant: Done.", "user bash: later"]);
  });

  test("for a tool that is not there is refused", async () => {
    const talk = await new Talk().open([]);
    talk.conversation.submit("$1 / 0");
    talk.conversation.submit("$len?");
    expect(talk.lines).toEqual(["notice: Python is off", "notice: Python is off"]);
  });
});

test("a prompt that waits for an MCP server is handed back by Esc, alone and while the model works", async () => {
  const servers = { slow: { command: "sleep", args: ["1000"] } };
  const directory = join(place.home, ".omp", "agent");
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "omp.jsonc"), JSON.stringify({ mcp: { servers, startTimeout: 1 } }));
  const talk = await new Talk().open([{ toolCalls: [wait] }]);
  talk.conversation.submit("/slow:first");
  await talk.until(({ activity }) => activity !== undefined);
  expect(talk.conversation.interrupt()).toBe(true);
  await talk.untilIdle();
  expect(talk.state.handedBack.text).toBe("/slow:first");
  talk.conversation.submit("begin");
  await talk.until(isCallRunning);
  talk.conversation.submit("/slow:second");
  expect(talk.conversation.interrupt()).toBe(true);
  await talk.until(({ handedBack }) => handedBack.text === "/slow:second");
  await talk.untilIdle();
});

test("what Esc ends is over without an error, and another error is thrown", async () => {
  const talk = new Talk();
  const { conversation } = talk;
  const waiting = conversation.alone("waiting", false, (signal) =>
    unlessAborted(Promise.withResolvers<void>().promise, AbortSignal.any([signal])),
  );
  expect(conversation.interrupt()).toBe(true);
  expect(await waiting).toBeUndefined();
  const failing = conversation.alone("failing", false, async () => {
    conversation.interrupt();
    throw new Error("it failed");
  });
  await expect(failing).rejects.toThrow("it failed");
  expect(conversation.isRunning).toBe(false);
});

test("something that must run alone is refused while something else runs", async () => {
  const talk = await new Talk().open([]);
  talk.conversation.submit(`!${wait.input.command}`);
  await talk.until(isCallRunning);
  let hasRun = false;
  await talk.conversation.alone("work", false, async () => {
    hasRun = true;
  });
  expect([hasRun, talk.lines.at(-1)]).toEqual([
    false,
    "notice: Something else is running; press Esc to stop it.",
  ]);
  go();
  await talk.untilIdle();
});

test("the end stops what runs, and drops what waits", async () => {
  const talk = await new Talk().open([{ toolCalls: [wait] }]);
  talk.conversation.submit("begin");
  await talk.until(isCallRunning);
  talk.conversation.submit("!echo never");
  await talk.conversation.stop(60_000);
  expect([talk.conversation.isRunning, talk.state.queued, talk.state.handedBack.text]).toEqual([
    false,
    [],
    "",
  ]);
  talk.conversation.quit();
  expect(talk.quits).toBe(1);
});
