/** An MCP server that tries to reach the user's terminal with everything that it may say. `HOSTILE` has the text. */

import { createInterface } from "node:readline";

const text = process.env.HOSTILE ?? "";

const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, prompts: {}, resources: {}, logging: {} },
    serverInfo: { name: text, title: text, version: text },
    instructions: text,
  }),
  "tools/list": () => ({
    tools: [
      { name: `t${text}`, title: text, description: text, inputSchema: { type: "object", properties: {} } },
      { name: "plain", description: text, inputSchema: { type: "object", properties: {} } },
    ],
  }),
  "prompts/list": () => ({
    prompts: [{ name: `p${text}`, description: text, arguments: [{ name: text, description: text }] }],
  }),
  "resources/list": () => ({ resources: [{ uri: `x:${text}`, name: text, description: text }] }),
  "resources/templates/list": () => ({ resourceTemplates: [] }),
  "tools/call": ({ _meta }) => {
    const progressToken = _meta?.progressToken;
    if (progressToken !== undefined)
      send({ method: "notifications/progress", params: { progressToken, progress: 1, message: text } });
    send({ method: "notifications/message", params: { level: "error", logger: text, data: text } });
    return { isError: true, content: [{ type: "text", text }] };
  },
};

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = results[method];
  if (answer === undefined) send({ id, error: { code: -32_601, message: text } });
  else send({ id, result: answer(params) });
}
