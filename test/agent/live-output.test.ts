import { expect, test } from "bun:test";
import { LiveOutput } from "../../src/agent/live-output.ts";
import { agentWith, runToEnd, scripted } from "./loop.ts";

test("what waits is given together, and told of once", () => {
  const live = new LiveOutput();
  expect([live.add("one "), live.add("two "), live.add("")]).toEqual([true, false, false]);
  expect(live.take()).toBe("one two ");
  expect([live.add(""), live.add("three")]).toEqual([false, true]);
  expect(live.take()).toBe("three");
});

test("a reader that is too slow gets the newest, and how much it missed", () => {
  const live = new LiveOutput();
  for (let count = 0; count < 1_000; count += 1) live.add("x".repeat(1_000));
  live.add("the end");
  const text = live.take();
  expect(text).toMatch(/^\n\[… \d+ characters not shown …\]\nx/);
  expect(text).toEndWith("x".repeat(1_000).concat("the end"));
  const leftOut = Number(/\d+/.exec(text)?.[0]);
  expect(leftOut + text.slice(text.indexOf("]\n") + 2).length).toBe(1_000_007);
  expect(live.add("more")).toBe(true);
  expect(live.take()).toBe("more");
});

test("a tool that floods is not held up by whoever consumes the events, and does not fill the memory", async () => {
  const megabyte = "y".repeat(1_000_000);
  const { model } = scripted([{ toolCalls: [{ name: "flood", input: {} }] }, { text: "done" }]);
  const agent = agentWith(model, {
    toolsByName: {
      flood: {
        run: (_, { onUpdate }) => {
          for (let count = 0; count < 100; count += 1) onUpdate(megabyte);
          return "ok";
        },
      },
    },
  });
  const events = await runToEnd(agent, "go");
  const updates = events.flatMap((event) => (event.type === "tool_update" ? [event.text.length] : []));
  expect(updates).toHaveLength(1);
  expect(updates[0]).toBeLessThan(210_000);
});
