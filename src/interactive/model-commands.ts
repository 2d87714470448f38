/** `/model` and `/demo`: which model answers. */

import { basename } from "node:path";
import { formatTokens } from "../format/numbers.ts";
import { userMessage } from "../protocol/index.ts";
import type { Choice } from "../ui/store/pickers.ts";
import { WORKING } from "../ui/views/progress.ts";
import { inform, type OpenCall, warn } from "./command.ts";

/** `/model`, and `/model <provider/id>`. */
export async function model(call: OpenCall): Promise<void> {
  const name = call.argument || (await pickModel(call));
  if (name === undefined) return;
  const next = await call.session.openModel(name);
  call.session.switchModel(next);
  const { contextTokens, takesEffort } = next.facts;
  call.conversation.store.dispatch({
    type: "facts",
    facts: {
      model: shortName(next.facts.name),
      contextTokens,
      effort: takesEffort ? call.session.effort : undefined,
    },
  });
  inform(call, `Now using ${next.facts.name}. To make it the default: /settings model ${name}`);
}

async function pickModel({ session, conversation }: OpenCall): Promise<string | undefined> {
  const listed = await session.listProviders();
  const ready = listed.filter((provider) => provider.ready).flatMap(({ models }) => models);
  const missing = listed.filter((provider) => !provider.ready);
  const choices: Choice<string>[] = ready.map(({ name, contextTokens, price }) => ({
    label: name,
    description: `${formatTokens(contextTokens)} context${price ? `, $${price.input} / $${price.output}` : ""}`,
    value: name,
  }));
  const current = session.model.facts.name;
  if (!choices.some(({ value }) => value === current))
    choices.unshift({ label: shortName(current), description: "in use", value: current });
  if (current !== "demo")
    choices.push({ label: "demo", description: "the built-in tour, without a model", value: "demo" });
  const others = missing.flatMap(({ keyVariables: [first] }) => first ?? []);
  const more =
    others.length === 0
      ? ""
      : `; more with ${others.slice(0, 2).join(", ")}${others.length > 2 ? " and others" : ""}`;
  const first = choices.findIndex(({ value }) => value === current);
  return await conversation.pickers.pick({ title: `Models${more}`, choices, first });
}

export const effortNames = [
  ["default", "the provider's default"],
  ["low", "quick and cheap"],
  ["medium", "balanced"],
  ["high", "thorough and slow"],
] as const;

/** `/effort`, and `/effort <level>`. */
export async function effort(call: OpenCall): Promise<void> {
  const { session, conversation, argument } = call;
  const { name: model, takesEffort } = session.model.facts;
  if (!takesEffort) return warn(call, `${shortName(model)} does not support reasoning effort.`);
  const named = effortNames.find(([name]) => name === argument)?.[0];
  if (argument !== "" && named === undefined) {
    const names = effortNames.map(([name]) => name).join(", ");
    return warn(call, `Unknown effort '${argument}'. Use one of ${names}.`);
  }
  const current = session.effort ?? "default";
  const choices = effortNames.map(([name, description]) => ({ label: name, description, value: name }));
  const first = effortNames.findIndex(([name]) => name === current);
  const picked =
    named ?? (await conversation.pickers.pick({ title: "How hard the model thinks", choices, first }));
  if (picked === undefined) return;
  const next = picked === "default" ? undefined : picked;
  session.switchEffort(next);
  conversation.store.dispatch({ type: "facts", facts: { effort: next } });
  inform(call, next ? `Effort: ${next}, from the next turn on.` : "Effort: the provider's default.");
}

/** Prompts that are typed during the tour are answered afterwards, by the model that was in use before. */
export async function demo(call: OpenCall): Promise<void> {
  const { session, conversation } = call;
  const guide = await session.openModel("demo");
  await conversation.alone(WORKING, false, async (signal) => {
    const before = session.model;
    session.switchModel(guide);
    try {
      await conversation.show(session.run(userMessage("Show me the tour."), signal));
    } finally {
      session.switchModel(before);
    }
  });
}

/** A script is shown by its file name: the whole path does not fit into a line. */
export function shortName(name: string): string {
  // Without the prefix first: a relative path may have no directory, and then the prefix would be part of the name.
  return name.replace(/^script:(.*)/s, (_, file: string) => `script:${basename(file)}`);
}
