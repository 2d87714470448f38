/** The demo uses the tools that it is given, and never pretends to be a model. */

import { describe, expect, test } from "bun:test";
import { openDemo } from "../../src/models/demo.ts";
import type { Message } from "../../src/protocol/model.ts";
import { hello, request, turnOf } from "./turn-of.ts";

async function tour(names: readonly string[], history: Message[] = [hello]) {
  const tools = names.map((name) => ({ name, description: "", inputSchema: {} }));
  const model = openDemo({ paceMs: 0 });
  const called: string[] = [];
  for (;;) {
    const { finish, text } = await turnOf(model, request(history, { tools }));
    history.push(finish.message);
    const calls = finish.message.content.filter((part) => part.type === "tool_call");
    if (calls.length === 0) return { called, text };
    for (const { id, name } of calls) {
      called.push(name);
      history.push({ role: "tool", callId: id, name, output: "", isError: false });
    }
  }
}

describe("the demo", () => {
  test("shows the kernel, the shell and the file tools, and how to set a key", async () => {
    const { called, text } = await tour(["python", "bash", "ls", "read"]);
    expect(called).toEqual(["python", "python", "bash", "bash", "ls"]);
    expect(text).toContain("export ANTHROPIC_API_KEY=");
  });

  test("skips tools that are not available", async () => {
    expect((await tour(["bash"])).called).toEqual(["bash", "bash"]);
    const { called, text } = await tour([]);
    expect(called).toEqual([]);
    expect(text).toStartWith("This is the demo: no model is configured");
  });

  test("after the tour it says that it is a demo, and repeats the tour on request", async () => {
    const history: Message[] = [hello];
    await tour(["bash"], history);
    history.push({
      role: "user",
      origin: { kind: "typed" },
      content: [{ type: "text", text: "Fix my code" }],
    });
    const { called, text } = await tour(["bash"], history);
    expect([called, text.split("\n")[0]]).toEqual([
      [],
      'I am only a demo and cannot answer that. Say "tour" to see it again.',
    ]);
    history.push({
      role: "user",
      origin: { kind: "typed" },
      content: [{ type: "text", text: "the tour, please" }],
    });
    expect((await tour(["bash"], history)).called).toEqual(["bash", "bash"]);
  });
});
