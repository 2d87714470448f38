/**
 * A server that does what no honest one does, by hand: it records what it is sent, hangs, ends in the middle of a call, leaves
 * processes behind, and asks for what it was not offered. `RECORD` names the file that every message is appended to.
 */

import { spawn } from "node:child_process";
import { appendFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const record = process.env["RECORD"];
const inputSchema = { type: "object", properties: { path: { type: "string" } } };
const prompts = [{ name: "first" }];
const resources = [{ uri: "note://first", name: "first" }];
const tools = ["hang", "end", "leave", "change", "ask", "open", "sample", "askAndHang", "write"].map(
  (name) => ({
    name,
    inputSchema,
  }),
);

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const say = (id, text) => send({ id, result: { content: [{ type: "text", text }] } });

/** Requests of ours that wait for an answer. */
const waiting = new Map();
function ask(method, params, onAnswer) {
  const id = `ask-${waiting.size + 1}`;
  waiting.set(id, onAnswer);
  send({ id, method, params });
}
const requestedSchema = {
  type: "object",
  properties: { age: { type: "integer", title: "Age", minimum: 1 } },
  required: ["age"],
};

const calls = {
  ask: (id) =>
    ask("elicitation/create", { message: "How old?", requestedSchema }, (answer) =>
      say(id, JSON.stringify(answer.result ?? answer.error)),
    ),
  askAndHang: () => ask("elicitation/create", { message: "How old?", requestedSchema }, () => undefined),
  open: (id) =>
    ask(
      "elicitation/create",
      { mode: "url", message: "Log in.", url: "https://example.com/x", elicitationId: "1" },
      (answer) => say(id, JSON.stringify(answer.result ?? answer.error)),
    ),
  sample: (id) =>
    ask("sampling/createMessage", { messages: [], maxTokens: 1 }, (answer) =>
      say(id, JSON.stringify(answer.error)),
    ),
  hang: (_id, token) =>
    send({
      method: "notifications/progress",
      params: { progressToken: token, progress: 1, total: 3, message: "hanging" },
    }),
  end: () => {
    process.stderr.write("warming up\nout of luck\n");
    process.exit(7);
  },
  leave: (id) => {
    const child = spawn("sleep", ["1000"], { stdio: "ignore" });
    say(id, String(child.pid));
  },
  write: (id, _token, { path }) => {
    writeFileSync(path, "s");
    say(id, "written");
  },
  change: (id) => {
    tools.push({ name: "added", description: "New.", inputSchema });
    prompts.push({ name: "second", description: "New.", arguments: [{ name: "of", required: true }] });
    resources.push({ uri: "note://second", name: "second" });
    for (const kind of ["tools", "prompts", "resources"])
      send({ method: `notifications/${kind}/list_changed` });
    send({ method: "notifications/message", params: { level: "warning", logger: "s", data: "changed" } });
    say(id, "changed");
  },
};

const answers = {
  initialize: (id, { protocolVersion }) =>
    send({
      id,
      result: {
        protocolVersion,
        capabilities: {
          tools: { listChanged: true },
          prompts: { listChanged: true },
          resources: { listChanged: true },
          logging: {},
        },
        serverInfo: { name: "recording", version: "1" },
      },
    }),
  "prompts/list": (id) => send({ id, result: { prompts } }),
  "prompts/get": (id, { name, arguments: given }) =>
    send({
      id,
      result: {
        messages: [
          { role: "user", content: { type: "text", text: `${name} ${JSON.stringify(given)}` } },
          { role: "assistant", content: { type: "text", text: "Which one?" } },
          { role: "user", content: { type: "resource", resource: { uri: "note://first", text: "noted" } } },
        ],
      },
    }),
  "resources/list": (id) => send({ id, result: { resources } }),
  "resources/read": (id, { uri }) => {
    if (uri.startsWith("note://large"))
      send({ id, result: { contents: [{ uri, text: "line\n".repeat(20_000) }] } });
    else if (uri === "note://binary")
      send({ id, result: { contents: [{ uri, blob: "AAAA", mimeType: "application/zip" }] } });
    else send({ id, result: { contents: [{ uri, text: `the text of ${uri}` }] } });
  },
  "tools/list": (id) => send({ id, result: { tools } }),
  "tools/call": (id, { name, arguments: given, _meta }) => calls[name](id, _meta?.progressToken, given),
};

console.log("This line is no message.");
for await (const line of createInterface({ input: process.stdin })) {
  if (record !== undefined) appendFileSync(record, `${line}\n`);
  const { id, method, params, ...answer } = JSON.parse(line);
  if (method === undefined) waiting.get(id)?.(answer);
  else if (answers[method] !== undefined) answers[method](id, params);
  else if (id !== undefined) send({ id, error: { code: -32601, message: "Method not found" } });
}
