import { expect, test } from "bun:test";
import type { Agent } from "../../src/agent/agent.ts";
import { userMessage } from "../../src/protocol/index.ts";
import { agentWith, lines, runToEnd, scripted, story, type TestTool } from "./loop.ts";

const call = (name: string, input: unknown = {}) => ({ name, input });
const same: TestTool = { run: () => "nothing new" };
const told = (turns: number) =>
  `user: [this call has had the same result ${turns} times in a row; do something else, or answer. After 5 times the run is stopped.]`;

test("the same call with the same result: after three times the model is told, after five the run stops", async () => {
  const { model, requests } = scripted(Array(9).fill({ toolCalls: [call("look", { at: "x" })] }));
  const agent = agentWith(model, { toolsByName: { look: same } });
  const events = story(await runToEnd(agent, "go"));
  expect(events.filter((line) => /^(?:user|notice|error|end)/.test(line))).toEqual([
    "user: go",
    told(3),
    "notice: The model made the same call with the same result 3 times in a row; it has been told.",
    told(4),
    "notice: The model made the same call with the same result 4 times in a row; it has been told.",
    "error REPEATED_CALL: omp: stopped: the model made the same look call with the same result 5 times in a row (REPEATED_CALL)",
    "end repeated_call after 5: ",
  ]);
  expect(lines(requests[3]?.messages ?? []).slice(-2)).toEqual(["call_3_1: nothing new", told(3)]);
  // Every call has its result: the conversation can go on.
  expect(lines(agent.history).at(-1)).toBe("call_5_1: nothing new");
});

test("several calls in each turn are the same when all of them are", async () => {
  const both = { toolCalls: [call("look"), call("listen")] };
  const { model } = scripted([both, both, both, { toolCalls: [call("look")] }, { text: "done" }]);
  const agent = agentWith(model, { toolsByName: { look: same, listen: same } });
  const events = story(await runToEnd(agent, "go"));
  expect(events.filter((line) => line.startsWith("user"))).toEqual(["user: go", told(3)]);
  expect(events.at(-1)).toBe("end done after 5: done");
});

test("another result, another input, or a word of the user starts anew", async () => {
  let looks = 0;
  const counting: TestTool = { run: () => String(Math.floor(looks++ / 2)) };
  const turns = Array(8).fill({ toolCalls: [call("look")] });
  const counted = agentWith(scripted([...turns, { text: "done" }]).model, {
    toolsByName: { look: counting },
  });
  expect(story(await runToEnd(counted, "go")).at(-1)).toBe("end done after 9: done");

  const inputs = Array.from({ length: 8 }, (_, at) => ({ toolCalls: [call("look", { at })] }));
  const varied = agentWith(scripted([...inputs, { text: "done" }]).model, { toolsByName: { look: same } });
  expect(story(await runToEnd(varied, "go")).at(-1)).toBe("end done after 9: done");

  const { model } = scripted([...turns, { text: "done" }]);
  let runs = 0;
  const steered: Agent = agentWith(model, {
    toolsByName: {
      look: {
        run: () => {
          runs += 1;
          if (runs % 4 === 0) steered.inbox.add(userMessage("try again"));
          return "nothing new";
        },
      },
    },
  });
  expect(story(await runToEnd(steered, "go")).at(-1)).toBe("end done after 9: done");
});
