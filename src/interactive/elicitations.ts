/**
 * What an MCP server asks in the middle of a call, as questions on the screen: one a field, named by the server, and the whole once more
 * before it is sent. Declining and cancelling are answers, too.
 */

import type { McpAnswer, McpElicit, McpField, McpQuestion, McpValue } from "../protocol/mcp.ts";
import type { QuestionRow } from "../ui/store/question-state.ts";
import type { Store } from "../ui/store/store.ts";
import type { Questions } from "./questions.ts";

type Form = Extract<McpQuestion, { kind: "form" }>;
type Values = Record<string, McpValue>;

/** What the user did with one field. */
type Outcome = { readonly value: McpValue | undefined } | { readonly action: "decline" | "cancel" };

const WRITE: QuestionRow = {
  answer: "write",
  label: "Write an answer",
  description: "",
  hasReason: true,
  asks: "Write the answer",
};
const LEAVE_OUT: QuestionRow = { answer: "leave-out", label: "Leave it out", description: "" };
const DECLINE: QuestionRow = { answer: "decline", label: "Decline", description: "" };

export class Elicitations {
  readonly #questions: Questions;
  readonly #store: Store;

  constructor(questions: Questions, store: Store) {
    this.#questions = questions;
    this.#store = store;
  }

  readonly ask: McpElicit = async (question, signal) => {
    if (question.kind === "url") return await this.#askUrl(question, signal);
    return question.fields.length === 0
      ? await this.#askYes(question, signal)
      : await this.#askForm(question, signal);
  };

  async #askUrl(
    { server, message, url }: Extract<McpQuestion, { kind: "url" }>,
    signal: AbortSignal,
  ): Promise<McpAnswer> {
    const title = `${server} asks you to open an address in a browser`;
    const yes = { answer: "accept", label: "Yes", description: "I open it" };
    const answer = await this.#put({ title, details: [message, url], rows: [yes, DECLINE] }, signal);
    if (answer !== "accept") return refusal(answer);
    // The question is gone, and the address still needed.
    this.#store.dispatch({ type: "notice", tone: "info", text: `${server}: open ${url}` });
    return { action: "accept" };
  }

  async #askYes({ server, message }: Form, signal: AbortSignal): Promise<McpAnswer> {
    const yes = { answer: "accept", label: "Yes", description: "" };
    const answer = await this.#put(
      { title: `${server} asks`, details: [message], rows: [yes, DECLINE] },
      signal,
    );
    return answer === "accept" ? { action: "accept", content: {} } : refusal(answer);
  }

  async #askForm(form: Form, signal: AbortSignal): Promise<McpAnswer> {
    const { server, fields } = form;
    const values: Values = Object.fromEntries(
      fields.flatMap(({ name, initial }) => (initial === undefined ? [] : [[name, initial]])),
    );
    for (;;) {
      for (const [at, field] of fields.entries()) {
        const outcome = await this.#askField(field, { form, at, before: values[field.name] }, signal);
        if ("action" in outcome) return outcome;
        if (outcome.value === undefined) delete values[field.name];
        else values[field.name] = outcome.value;
      }
      if (fields.length === 1) return { action: "accept", content: values };
      const details = fields.map((field) => `${field.title}: ${shown(field, values[field.name])}`);
      const rows = [
        { answer: "send", label: "Send", description: "" },
        { answer: "change", label: "Change", description: "from the first" },
        DECLINE,
      ];
      const answer = await this.#put({ title: `Send this to ${server}?`, details, rows }, signal);
      if (answer === "send") return { action: "accept", content: values };
      if (answer !== "change") return refusal(answer);
    }
  }

  async #askField(
    field: McpField,
    {
      form: { server, message, fields },
      at,
      before,
    }: { readonly form: Form; readonly at: number; readonly before: McpValue | undefined },
    signal: AbortSignal,
  ): Promise<Outcome> {
    const place = fields.length === 1 ? "" : ` (${at + 1} of ${fields.length})`;
    const title = `${server} asks: ${field.title}${place}`;
    let chosen: readonly string[] = Array.isArray(before) ? before : [];
    let problem: string | undefined;
    for (;;) {
      const wrong = problem === undefined ? "" : `${field.title} ${problem}`;
      const details = [message, field.description, wrong].filter(Boolean);
      const rows = [...answersFor(field, before, chosen), ...(field.isRequired ? [] : [LEAVE_OUT]), DECLINE];
      const { answer, reason } = await this.#questions.put(
        { tool: undefined, title, details, rows, stopsOnEscape: false },
        signal,
      );
      if (answer === "leave-out") return { value: undefined };
      if (answer === "no" || answer === "decline") return refusal(answer);
      const picked = field.choices[Number(answer)]?.value;
      if (field.isMany && picked !== undefined) {
        const value = String(picked);
        chosen = chosen.includes(value) ? chosen.filter((each) => each !== value) : [...chosen, value];
        problem = undefined;
        continue;
      }
      const read = valueFor(field, { answer, reason, picked, before, chosen });
      if ("value" in read) return read;
      problem = read.problem;
    }
  }

  async #put(
    question: {
      readonly title: string;
      readonly details: readonly string[];
      readonly rows: readonly QuestionRow[];
    },
    signal: AbortSignal,
  ): Promise<string> {
    const { answer } = await this.#questions.put(
      { ...question, tool: undefined, stopsOnEscape: false },
      signal,
    );
    return answer;
  }
}

function refusal(answer: string): { readonly action: "decline" | "cancel" } {
  return { action: answer === "decline" ? "decline" : "cancel" };
}

function answersFor(
  field: McpField,
  before: McpValue | undefined,
  chosen: readonly string[],
): readonly QuestionRow[] {
  const choices = field.choices.map(({ value, label }, at) => ({
    answer: String(at),
    label: field.isMany ? `[${chosen.includes(String(value)) ? "x" : " "}] ${label}` : label,
    description: !field.isMany && value === before ? wordFor(field, before) : "",
    isFirst: !field.isMany && value === before,
  }));
  if (field.isMany) return [...choices, { answer: "done", label: "Done", description: "" }];
  if (choices.length > 0)
    return choices.toSorted((one, other) => Number(other.isFirst) - Number(one.isFirst));
  return before === undefined
    ? [WRITE]
    : [{ answer: "as-is", label: shown(field, before), description: wordFor(field, before) }, WRITE];
}

function wordFor({ initial }: McpField, before: McpValue): string {
  return before === initial ? "the default" : "as before";
}

function valueFor(
  field: McpField,
  given: {
    readonly answer: string;
    readonly reason: string;
    readonly picked: McpValue | undefined;
    readonly before: McpValue | undefined;
    readonly chosen: readonly string[];
  },
): { readonly value: McpValue } | { readonly problem: string } {
  if (given.answer === "write") return field.read(given.reason);
  const value =
    given.answer === "done" ? [...given.chosen] : given.answer === "as-is" ? given.before : given.picked;
  if (value === undefined) return { problem: "is missing" };
  const problem = field.check(value);
  return problem === undefined ? { value } : { problem };
}

function shown({ choices }: McpField, value: McpValue | undefined): string {
  if (value === undefined) return "left out";
  const labelOf = (each: McpValue) => choices.find((choice) => choice.value === each)?.label ?? String(each);
  return Array.isArray(value) ? value.map(labelOf).join(", ") || "none" : labelOf(value);
}
