/**
 * A server that does what no honest one does, by hand: it records what it is sent, hangs, ends in the middle of a call, and leaves
 * processes behind. `RECORD` names the file that every message is appended to.
 */

import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const record = process.env["RECORD"];
const inputSchema = { type: "object", properties: { path: { type: "string" } } };
const tools = ["hang", "end", "leave", "change"].map((name) => ({ name, inputSchema }));

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const say = (id, text) => send({ id, result: { content: [{ type: "text", text }] } });

const calls = {
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
  change: (id) => {
    tools.push({ name: "added", description: "New.", inputSchema });
    send({ method: "notifications/tools/list_changed" });
    say(id, "changed");
  },
};

const answers = {
  initialize: (id, { protocolVersion }) =>
    send({
      id,
      result: {
        protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: "recording", version: "1" },
      },
    }),
  "tools/list": (id) => send({ id, result: { tools } }),
  "tools/call": (id, { name, _meta }) => calls[name](id, _meta?.progressToken),
};

console.log("This line is no message.");
for await (const line of createInterface({ input: process.stdin })) {
  if (record !== undefined) appendFileSync(record, `${line}\n`);
  const { id, method, params } = JSON.parse(line);
  answers[method]?.(id, params);
}
