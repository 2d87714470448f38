/** The MCP server of a recipe: `forecast` gives a value. */

import { createInterface } from "node:readline";

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const type = "object";
const tool = {
  name: "forecast",
  inputSchema: { type, properties: { city: { type: "string" } }, required: ["city"] },
  outputSchema: { type, properties: { city: { type: "string" }, sky: { type: "string" } } },
};
const serverInfo = { name: "weather", version: "1" };

const answers = {
  initialize: (id, { protocolVersion }) =>
    send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } }),
  "tools/list": (id) => send({ id, result: { tools: [tool] } }),
  "tools/call": (id, { arguments: { city } }) => {
    const structuredContent = { city, sky: city === "Oslo" ? "rain" : "sun" };
    send({
      id,
      result: { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent },
    });
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  answers[method]?.(id, params);
}
