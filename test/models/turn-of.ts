/** Runs one whole turn of a model, and makes a request for it. */

import { ModelError } from "../../src/models/errors.ts";
import { type OpenModelOptions, openModel } from "../../src/models/open-model.ts";
import type { Message, Model, ModelEvent, ModelRequest } from "../../src/protocol/model.ts";
import type { WireFormat } from "./formats/format.ts";

export const hello: Message = {
  role: "user",
  origin: { kind: "typed" },
  content: [{ type: "text", text: "Hello" }],
};

export function request(
  messages: readonly Message[] = [hello],
  more: Partial<ModelRequest> = {},
): ModelRequest {
  return { system: "Be brief.", messages, tools: [], signal: new AbortController().signal, ...more };
}

export interface Turn {
  readonly events: readonly ModelEvent[];
  /** What a consumer that forgets broken attempts has in the end. */
  readonly text: string;
  readonly reasoning: string;
  readonly retries: readonly Extract<ModelEvent, { type: "retry" }>[];
  readonly finish: Extract<ModelEvent, { type: "finish" }>;
}

export async function turnOf(model: Model, asked: ModelRequest = request()): Promise<Turn> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(asked)) events.push(event);
  const finish = events.at(-1);
  if (finish?.type !== "finish") throw new Error("the turn did not finish");
  const lastTry = events.slice(events.findLastIndex(({ type }) => type === "retry") + 1);
  const joined = (wanted: string) =>
    lastTry.map((each) => (each.type === wanted && "text" in each ? each.text : "")).join("");
  return {
    events,
    text: joined("text_delta"),
    reasoning: joined("reasoning_delta"),
    retries: events.filter((event) => event.type === "retry"),
    finish,
  };
}

/** Records waits instead of waiting. */
export function quickRetry() {
  const waits: number[] = [];
  return {
    waits,
    retry: { random: () => 0.5, sleep: async (ms: number) => void waits.push(ms) },
  };
}

export function openAt(
  format: WireFormat,
  url: string,
  more: Partial<OpenModelOptions> = {},
): Promise<Model> {
  return openModel(format.model, { cwd: "/", ...format.optionsFor(url), retry: quickRetry().retry, ...more });
}

export async function errorOf(promise: Promise<unknown>): Promise<ModelError> {
  const thrown = await promise.then(
    () => new Error("it did not fail"),
    (reason: unknown) => reason,
  );
  if (thrown instanceof ModelError) return thrown;
  throw thrown;
}
