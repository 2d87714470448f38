/** The agent and a model server that nobody here wrote. What the model says is left to it: its words are never compared. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { CustomModel } from "../../src/models/custom-endpoint.ts";
import { openModel } from "../../src/models/open-model.ts";
import { type AgentEvent, type Message, type Model, userMessage } from "../../src/protocol/index.ts";
import { agentWith, runToEnd, story } from "../agent/loop.ts";
import { AgentPlace, linesOf } from "../e2e/agent-place.ts";
import { slowFile } from "../support/limits.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { hasRealModel, type RealModel, startRealModel } from "../support/real-model.ts";

const CONTEXT_TOKENS = 1_024;
const ONE_PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const look = {
  name: "look",
  description: "Looks around.",
  inputSchema: { type: "object", properties: { at: { enum: ["here"] } }, required: ["at"] },
};
const said = (words: number): Message => ({
  role: "assistant",
  content: [{ type: "text", text: "one two three four ".repeat(words / 4) }],
});

/** Without a number in it: this model may write digits until its limit cuts it, and any number of them is right by the schema. */
const SCHEMA = `
from dataclasses import dataclass
@dataclass
class Answer:
    barks: bool
answer = omp.llm('Does a dog bark?', schema=Answer, model='llamacpp/smollm2', max_tokens=150)
print('an', type(answer).__name__ + ', its field a', type(answer.barks).__name__)
`;

if (hasRealModel)
  describe("a real model", () => {
    slowFile(60, "a real model thinks");
    let server: RealModel;
    beforeAll(async () => {
      server = await startRealModel(CONTEXT_TOKENS);
    });
    afterAll(() => server.kill());

    /** With the same words each time, and short ones. */
    function open(facts: Partial<CustomModel> = {}): Promise<Model> {
      const models = [{ id: "smollm2", maxOutputTokens: 40, ...facts }];
      const parameters = { temperature: 0, seed: 1 };
      const endpoints = [{ name: "real", baseUrl: `${server.url}/v1`, parameters, models }];
      return openModel("real/smollm2", { cwd: "/", env: {}, endpoints, retry: { baseDelayMs: 1 } });
    }

    test("says how large its context is, and that it does not accept images", async () => {
      const byEndpoint = await open();
      expect([byEndpoint.facts.contextTokens, byEndpoint.facts.acceptsImages]).toEqual([
        CONTEXT_TOKENS,
        false,
      ]);
      const env = { LLAMACPP_HOST: server.url };
      expect((await openModel("llamacpp/smollm2", { cwd: "/", env })).facts.contextTokens).toBe(
        CONTEXT_TOKENS,
      );
    });

    test("makes calls and reads their results; one that it repeats is told to it, and ends the run", async () => {
      // Its own count of what is left is another test's concern.
      const agent = agentWith(await open({ maxOutputTokens: 100, contextTokens: 100_000 }), {
        tools: [look],
        toolsByName: { look: { run: () => "nothing new" } },
      });
      const events = await runToEnd(agent, "Look around.");
      expect(story(events).at(-1)).toStartWith("end repeated_call after 5: ");
      const inputs = events.flatMap((event) => (event.type === "tool_call" ? [event.input] : []));
      expect(inputs).toEqual(Array(5).fill({ at: "here" }));
      expect(events.filter(({ type }) => type === "tool_result")).toHaveLength(5);
    });

    test("works in omp -p with a tool of omp's own", async () => {
      const place = new AgentPlace();
      const models = [{ id: "smollm2", maxOutputTokens: 100 }];
      const parameters = { temperature: 0, seed: 1 };
      const endpoint = { name: "real", baseUrl: `${server.url}/v1`, parameters, models };
      place.settings({ endpoints: [endpoint] });
      const { stdout, stderr, exitCode } = await place.run([
        ...["-m", "real/smollm2", "--tools", "ls", "--system-prompt", "List the files.", "--max-turns", "1"],
        ...["--output-format", "stream-json", "Go."],
      ]);
      const lines = linesOf(stdout);
      const ids = (type: string) => lines.filter((line) => line.type === type).map(({ id }) => id);
      expect(ids("tool_call").length).toBeGreaterThan(0);
      expect(ids("tool_result")).toEqual(ids("tool_call"));
      expect({ exitCode, status: lines.at(-1)?.["status"], stderr }).toEqual({
        exitCode: 5,
        status: "turn_limit",
        stderr: "omp: stopped after 1 turn (TURN_LIMIT)\n",
      });
    });

    /** Cells of one kernel, whose prompts and subagents are the real model's. @returns what they print, and what was used for it. */
    async function cells(...codes: readonly string[]) {
      const place = new AgentPlace();
      const models = [{ id: "smollm2", maxOutputTokens: 100, contextTokens: 100_000 }];
      const parameters = { temperature: 0, seed: 1 };
      place.settings({ endpoints: [{ name: "real", baseUrl: `${server.url}/v1`, parameters, models }] });
      const calls = codes.map((code) => ({
        toolCalls: [{ name: "python", input: { cells: [{ code }], timeout: 600 } }],
      }));
      const model = place.script(...calls, { text: "Done." });
      const { stdout } = await place.run(["-m", model, "Go.", "--output-format", "stream-json"], {
        env: { LLAMACPP_HOST: server.url },
      });
      const lines = linesOf(stdout);
      const printed = lines.flatMap(({ type, name, output }) =>
        type === "tool_result" && name === "python" ? [String(output)] : [],
      );
      const used = lines.filter(({ type, parent_id }) => type === "usage" && parent_id !== undefined);
      return { printed, used: used.map(({ input, output }) => [Number(input), Number(output)]) };
    }

    describeWithPython(testPython, "from cells", () => {
      test("answers omp.llm, with and without a schema, and omp.llm.map over 50 rows in their order", async () => {
        const { printed, used } = await cells(
          "text = omp.llm('Say hello.', model='real/smollm2', max_tokens=8)\nprint(type(text).__name__, len(text) > 0)",
          SCHEMA,
          "rows = omp.llm.map(range(50), 'Write the number {item}.', concurrency=4, model='real/smollm2', max_tokens=2)\n" +
            "print(len(rows), {type(row).__name__ for row in rows})",
        );
        expect(printed[0]).toBe("str True");
        expect(printed[1]).toBe("an Answer, its field a bool");
        // Below the line of its progress.
        expect(printed[2]).toEndWith("50 {'str'}");
        expect(used).toHaveLength(52);
        for (const [input = 0, output = 0] of used) expect(Math.min(input, output)).toBeGreaterThan(0);
      });

      test("works as a subagent, with tokens that are the session's", async () => {
        const { printed, used } = await cells(
          "handle = omp.agent.start('Say hello.', tools=[], model='real/smollm2', max_turns=1)",
          "answer = handle.result()\nprint(type(answer).__name__, len(answer) > 0, handle.done)",
        );
        expect(printed.at(-1)).toBe("str True True");
        expect(used).toHaveLength(1);
        for (const [input = 0, output = 0] of used) expect(Math.min(input, output)).toBeGreaterThan(0);
      });
    });

    test("is interrupted while it speaks, and goes on with the next prompt", async () => {
      const agent = agentWith(await open());
      const abort = new AbortController();
      let deltas = 0;
      const events = await runToEnd(agent, "Tell me a long story.", {
        signal: abort.signal,
        onEvent: ({ type }) => {
          if (type === "text_delta") deltas += 1;
          if (deltas === 3) abort.abort();
        },
      });
      expect(endOf(events)?.status).toBe("interrupted");
      expect(agent.history[1]).toMatchObject({ role: "assistant", isInterrupted: true });
      const next = await runToEnd(agent, "Another one.");
      expect(endOf(next)?.status).toBe("done");
      expect(agent.history.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
    });

    test("an answer that its output limit cuts is told as cut", async () => {
      const agent = agentWith(await open({ maxOutputTokens: 3 }));
      const end = endOf(await runToEnd(agent, "Write a very long poem about the sea."));
      expect([end?.status, end?.isCut, end?.usage.outputTokens]).toEqual(["done", true, 3]);
    });

    test("a conversation that it refuses as too long is summed up, and the task stays", async () => {
      const model = await open({ contextTokens: 100_000 });
      const agent = agentWith(model, { history: [userMessage("Count the ships."), said(1_400)] });
      const events = await runToEnd(agent, "Go on.");
      expect(events.map(({ type }) => type).filter((type) => type !== "text_delta")).toEqual(
        expect.arrayContaining(["user", "compacted", "assistant", "end"]),
      );
      expect(endOf(events)?.status).toBe("done");
      expect(agent.history[0]).toEqual(userMessage("Count the ships."));
    });

    test("a picture that it refuses does not stop the conversation, and is not sent again", async () => {
      const picture: Message = {
        role: "user",
        origin: { kind: "typed" },
        content: [{ type: "image", mediaType: "image/png", base64: ONE_PIXEL }],
      };
      const model = await open({ images: true, maxOutputTokens: 5, contextTokens: 100_000 });
      const agent = agentWith(model, { history: [picture, said(4)] });
      const retries = async () =>
        (await runToEnd(agent, "What is it?")).flatMap((event) =>
          event.type === "retry" ? [event.reason] : event.type === "end" ? [event.status] : [],
        );
      expect(await retries()).toEqual([expect.stringContaining("does not accept images"), "done"]);
      expect(await retries()).toEqual(["done"]);
    });

    test("instructions that it has no room for are told before and after it says so", async () => {
      const system = "Be kind. ".repeat(800);
      for (const facts of [{}, { contextTokens: 100_000 }]) {
        const events = await runToEnd(agentWith(await open(facts), { system }), "Hello.");
        expect(events.map(({ type }) => type)).toEqual(["user", "error", "end"]);
        expect(events[1]).toMatchObject({ code: "CONTEXT_TOO_SMALL" });
      }
    });

    test("is killed while it speaks: one line, and the conversation goes on when it is back", async () => {
      const agent = agentWith(await open({ maxOutputTokens: 100 }));
      let killed: Promise<void> | undefined;
      const events = await runToEnd(agent, "Tell me a long story.", {
        onEvent: ({ type }) => {
          if (type === "text_delta") killed ??= server.kill();
        },
      });
      await killed;
      expect(events.find(({ type }) => type === "error")).toMatchObject({
        code: "UNREACHABLE",
        message: `model: cannot reach real at ${server.url}/v1: connection refused (UNREACHABLE)`,
      });
      expect(endOf(events)?.status).toBe("failed");
      await server.restart();
      expect(endOf(await runToEnd(agent, "And now?"))?.status).toBe("done");
    });
  });

function endOf(events: readonly AgentEvent[]) {
  return events.find((event) => event.type === "end");
}
