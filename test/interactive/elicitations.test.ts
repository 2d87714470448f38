/** What an MCP server asks, as questions on the screen. */

import { expect, test } from "bun:test";
import { Elicitations } from "../../src/interactive/elicitations.ts";
import { Questions } from "../../src/interactive/questions.ts";
import { readFields } from "../../src/mcp/form-fields.ts";
import type { McpAnswer, McpQuestion } from "../../src/protocol/mcp.ts";
import { initialState } from "../../src/ui/store/state.ts";
import { Store } from "../../src/ui/store/store.ts";
import { until } from "../support/until.ts";

type Given = string | { readonly write: string } | "Esc";

/** Answers one question after the other by the label of a row. @returns what was asked, and the answer. */
async function answered(question: McpQuestion, ...given: Given[]) {
  const store = new Store(initialState({ columns: 80, rows: 24, cwd: "/" }));
  const questions = new Questions(store);
  const asked: string[] = [];
  const result = new Elicitations(questions, store).ask(question, new AbortController().signal);
  for (const each of given) {
    const { id, title, details, rows } = await until("a question", () => store.get().question);
    asked.push(`${title} | ${details.join(" / ")} | ${rows.map(({ label }) => label).join(", ")}`);
    const label = typeof each === "string" ? each : "Write an answer";
    const row = rows.find((one) => one.label === label);
    if (row === undefined && each !== "Esc") throw new Error(`no ${label} in ${asked.at(-1)}`);
    questions.answer(id, { answer: row?.answer ?? "no", reason: typeof each === "string" ? "" : each.write });
  }
  return { asked, result: await result };
}

const form = (properties: object, required: string[] = []): McpQuestion => ({
  server: "s",
  message: "Tell me.",
  kind: "form",
  fields: readFields({ type: "object", properties, required } as Parameters<typeof readFields>[0]),
});

test("one field is one question; what the server would not take is asked again", async () => {
  const question = form({ age: { type: "integer", title: "Age", description: "In years.", maximum: 150 } }, [
    "age",
  ]);
  const { asked, result } = await answered(question, { write: "many" }, { write: "200" }, { write: "36" });
  expect(asked).toEqual([
    "s asks: Age | Tell me. / In years. | Write an answer, Decline",
    "s asks: Age | Tell me. / In years. / Age must be a number | Write an answer, Decline",
    "s asks: Age | Tell me. / In years. / Age must be <= 150 | Write an answer, Decline",
  ]);
  expect(result).toEqual({ action: "accept", content: { age: 36 } });
});

test("several are shown once more before they are sent, and can be changed; defaults come first", async () => {
  const question = form({
    name: { type: "string", default: "Ada" },
    sure: { type: "boolean", default: false },
    color: { type: "string", enum: ["r", "g"], enumNames: ["Red", "Green"], default: "g" },
    tags: { type: "array", items: { type: "string", enum: ["x", "y"] }, default: ["x"] },
  });
  const first: Given[] = ["Ada", "No", "Green", "[ ] y", "Done", "Change"];
  const { asked, result } = await answered(
    question,
    ...first,
    { write: "Bo" },
    "Yes",
    "Red",
    "[x] x",
    "Done",
    "Send",
  );
  const rest = "Leave it out, Decline";
  expect(asked.slice(0, 6)).toEqual([
    `s asks: name (1 of 4) | Tell me. | Ada, Write an answer, ${rest}`,
    `s asks: sure (2 of 4) | Tell me. | No, Yes, ${rest}`,
    `s asks: color (3 of 4) | Tell me. | Green, Red, ${rest}`,
    `s asks: tags (4 of 4) | Tell me. | [x] x, [ ] y, Done, ${rest}`,
    `s asks: tags (4 of 4) | Tell me. | [x] x, [x] y, Done, ${rest}`,
    "Send this to s? | name: Ada / sure: No / color: Green / tags: x, y | Send, Change, Decline",
  ]);
  expect(asked.at(-1)).toContain("name: Bo / sure: Yes / color: Red / tags: y");
  expect(result).toEqual({ action: "accept", content: { name: "Bo", sure: true, color: "r", tags: ["y"] } });
});

test("what need not be answered can be left out", async () => {
  const { result } = await answered(form({ name: { type: "string" } }), "Leave it out");
  expect(result).toEqual({ action: "accept", content: {} });
});

test.each([
  ["Decline", { action: "decline" }],
  ["Esc", { action: "cancel" }],
] satisfies [Given, McpAnswer][])("%s is an answer, and stops nothing", async (given, answer) => {
  expect((await answered(form({ name: { type: "string" } }), given)).result).toEqual(answer);
  expect((await answered(form({}), given)).result).toEqual(answer);
});

test("an address is shown whole", async () => {
  const url = "https://example.com/login?x=1";
  const question: McpQuestion = { server: "s", message: "Log in.", kind: "url", url };
  const { asked, result } = await answered(question, "Yes");
  expect(asked).toEqual([`s asks you to open an address in a browser | Log in. / ${url} | Yes, Decline`]);
  expect(result).toEqual({ action: "accept" });
});

test("nobody waits for the answer any more: the question goes", async () => {
  const store = new Store(initialState({ columns: 80, rows: 24, cwd: "/" }));
  const abort = new AbortController();
  const result = new Elicitations(new Questions(store), store).ask(
    form({ a: { type: "string" } }),
    abort.signal,
  );
  await until("a question", () => store.get().question);
  abort.abort();
  expect(await result).toEqual({ action: "cancel" });
  expect(store.get().question).toBeUndefined();
});
