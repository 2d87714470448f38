/** What servers ask of the user in the middle of a call, and what they get where nobody can answer. */

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { InputMessages } from "../../src/app/input-messages.ts";
import { prepareMessage } from "../../src/app/prepare-message.ts";
import type { Services } from "../../src/app/services.ts";
import { userMessage } from "../../src/protocol/index.ts";
import type { McpElicit, McpQuestion } from "../../src/protocol/mcp.ts";
import { until } from "../support/until.ts";
import { call, mcpPlace, peers } from "./session.ts";

const at = mcpPlace();
const record = () => join(at().place.home, "record");

async function open(elicit?: McpElicit) {
  at().addServers({ s: peers.recording(record()) });
  return await at().open({ elicit });
}

test("a form is put to the user, named by the server, with fields that know what they take", async () => {
  const asked: McpQuestion[] = [];
  const services = await open(async (question) => {
    asked.push(question);
    const [age] = question.kind === "form" ? question.fields : [];
    expect(["x", "0.5", "0", "36"].map((text) => age?.read(text))).toEqual([
      { problem: "must be a number" },
      { problem: "must be integer, must be >= 1" },
      { problem: "must be >= 1" },
      { value: 36 },
    ]);
    return { action: "accept", content: { age: 36 } };
  });
  expect(JSON.parse((await call(services, "mcp__s__ask")).output)).toEqual({
    action: "accept",
    content: { age: 36 },
  });
  expect(asked).toMatchObject([
    {
      server: "s",
      message: "How old?",
      kind: "form",
      fields: [{ name: "age", title: "Age", isRequired: true }],
    },
  ]);
});

test.each(["decline", "cancel"] as const)("%s is an answer", async (action) => {
  const services = await open(async () => ({ action }));
  expect(JSON.parse((await call(services, "mcp__s__ask")).output)).toEqual({ action });
});

test("an address is shown and asked about", async () => {
  const asked: McpQuestion[] = [];
  const services = await open(async (question) => {
    asked.push(question);
    return { action: "accept" };
  });
  expect(JSON.parse((await call(services, "mcp__s__open")).output)).toEqual({ action: "accept" });
  expect(asked).toEqual([{ server: "s", message: "Log in.", kind: "url", url: "https://example.com/x" }]);
});

test("without a user every question is declined at once, and no model is lent", async () => {
  const services = await open();
  expect((await call(services, "mcp__s__ask")).output).toBe('{"action":"decline"}');
  expect((await call(services, "mcp__s__open")).output).toBe('{"action":"decline"}');
  expect(JSON.parse((await call(services, "mcp__s__sample")).output)).toMatchObject({ code: -32601 });
  const [, initialize] = /^(.*"method":"initialize".*)$/m.exec(readFileSync(record(), "utf8")) ?? [];
  expect(Object.keys(JSON.parse(initialize ?? "{}").params.capabilities).sort()).toEqual([
    "elicitation",
    "roots",
  ]);
});

test("the time that the user takes is not the server's, and not the cell's", async () => {
  at().addServers({ s: peers.recording(record()), other: peers.recording(record()) });
  at().settings({ mcp: { timeout: 1 } });
  const held: string[] = [];
  const late = "mcp other: no answer within 1 s (setting mcp.timeout) (TIMEOUT)";
  const services: Services = await at().open({
    // The user takes as long as another call may take.
    elicit: async () => {
      expect((await call(services, "mcp__other__hang")).output).toBe(late);
      return { action: "decline" };
    },
  });
  const holdTime = () => {
    held.push("held");
    return () => void held.push("released");
  };
  expect((await call(services, "mcp__s__ask", {}, { holdTime })).output).toBe('{"action":"decline"}');
  expect(held).toEqual(["held", "released"]);
});

test("a question ends with the call that it belongs to", async () => {
  const abort = new AbortController();
  const ended = Promise.withResolvers<void>();
  const services = await open(async (_, signal) => {
    signal.addEventListener("abort", () => ended.resolve());
    abort.abort();
    await ended.promise;
    return { action: "cancel" };
  });
  const { details } = await call(services, "mcp__s__askAndHang", {}, { signal: abort.signal });
  expect(details).toMatchObject({ cancelled: true });
  await ended.promise;
});

test("prompts, resources and log follow what the server says has changed", async () => {
  const services = await open();
  const signal = new AbortController().signal;
  const status = () => services.mcp?.servers[0];
  const connection = await services.mcp?.connection("s");
  const uris = async () => (await connection?.resources(signal))?.map(({ uri }) => uri);
  expect(status()?.prompts.map(({ name }) => name)).toEqual(["first"]);
  expect(await uris()).toEqual(["note://first"]);
  await call(services, "mcp__s__change");
  await until("the prompt is there", () => status()?.prompts.length === 2);
  expect(status()?.prompts[1]).toEqual({
    server: "s",
    name: "second",
    description: "New.",
    arguments: [{ name: "of", description: "", isRequired: true }],
  });
  await until("the log is there", () => status()?.log.length === 1);
  expect(status()?.log).toEqual(["warning s: changed"]);
  expect(await uris()).toEqual(["note://first", "note://second"]);
});

test("a prompt's messages, and resources, become parts of the message; a large one is an input, a binary one named", async () => {
  const services = await open();
  const { signal } = new AbortController();
  const inputs = new InputMessages(services, () => ["read"]);
  const parts = async (text: string) => {
    const { message, problems } = await prepareMessage(
      text,
      userMessage(text),
      { mcp: services.mcp, inputs },
      signal,
    );
    expect(problems).toEqual([]);
    return message.content.slice(1);
  };
  expect(await parts("/s:first")).toEqual([
    { type: "text", text: "first {}", notice: "first {}" },
    { type: "text", text: "<assistant>\nWhich one?\n</assistant>", notice: "Which one?" },
    { type: "text", text: '<resource uri="note://first">\nnoted\n</resource>', notice: "note://first" },
  ]);
  expect(await parts("read @s:note://x and @s:note://binary")).toEqual([
    {
      type: "text",
      text: '<resource uri="note://x">\nthe text of note://x\n</resource>',
      notice: "@s:note://x is attached",
    },
    {
      type: "text",
      text: "[note://binary, application/zip, 3 B: not shown]",
      notice: "note://binary, application/zip, 3 B: not shown",
    },
  ]);
  const [large] = await parts("read @s:note://large");
  expect(large).toMatchObject({ notice: expect.stringContaining("@s:note://large") });
  expect(services.inputs.list).toMatchObject([{ name: "large", bytes: 100_000 }]);
  await expect(parts("/s:frist")).rejects.toThrow(
    "/s:frist: there is no such prompt; did you mean /s:first? (UNKNOWN_PROMPT)",
  );
});

test("server-everything: roots, elicitation, prompts with arguments, templates and completion", async () => {
  at().addServers({ every: peers.everything });
  const services = await at().open({ elicit: async () => ({ action: "decline" }) });
  const { signal } = new AbortController();
  const names = services.mcp?.tools.map(({ name }) => name) ?? [];
  expect(names).toContain("mcp__every__trigger-elicitation-request");
  expect(names).not.toContain("mcp__every__trigger-sampling-request");
  expect((await call(services, "mcp__every__trigger-elicitation-request")).output).toContain("declined");
  expect((await call(services, "mcp__every__get-roots-list")).output).toContain(
    pathToFileURL(at().place.project).href,
  );
  const connection = await services.mcp?.connection("every");
  expect(await connection?.prompt("args-prompt", { city: "Paris" }, signal)).toEqual([
    { role: "user", content: { type: "text", text: "What's weather in Paris?" } },
  ]);
  await expect(connection?.prompt("args-prompt", {}, signal)).rejects.toThrow("(SERVER_ERROR)");
  const templates = (await connection?.resources(signal))?.filter(({ isTemplate }) => isTemplate);
  expect(templates?.map(({ uri }) => uri)).toEqual([
    "demo://resource/dynamic/text/{resourceId}",
    "demo://resource/dynamic/blob/{resourceId}",
  ]);
  expect(await connection?.read("demo://resource/dynamic/text/7", signal)).toMatchObject([
    { type: "text", uri: "demo://resource/dynamic/text/7" },
  ]);
  expect(
    await connection?.complete({ prompt: "completable-prompt" }, { name: "department", value: "S" }, signal),
  ).toEqual(["Sales", "Support"]);
});
