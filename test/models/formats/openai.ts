/** OpenAI Responses, as recorded: items that are added, filled and done. */

import { events, image, type TurnSpec, type WireFormat } from "./format.ts";

function turn({ reasoning, text, calls = [] }: TurnSpec): string[] {
  const all: unknown[] = [
    { type: "response.created", response: { id: "resp_1", created_at: 1_700_000_000, model: "gpt-6.1-sol" } },
  ];
  let index = 0;
  if (reasoning) {
    const id = "rs_1";
    const open = { id, type: "reasoning", summary: [], encrypted_content: null };
    all.push({ type: "response.output_item.added", output_index: index, item: open });
    all.push({
      type: "response.reasoning_summary_part.added",
      item_id: id,
      output_index: index,
      summary_index: 0,
    });
    for (const delta of reasoning) {
      all.push({ type: "response.reasoning_summary_text.delta", item_id: id, summary_index: 0, delta });
    }
    all.push({ type: "response.reasoning_summary_part.done", item_id: id, summary_index: 0 });
    const item = {
      ...open,
      encrypted_content: "Y2lwaGVy",
      summary: [{ type: "summary_text", text: reasoning.join("") }],
    };
    all.push({ type: "response.output_item.done", output_index: index, item });
    index += 1;
  }
  if (text) {
    const item = { id: "msg_1", type: "message", role: "assistant", status: "in_progress", content: [] };
    all.push({ type: "response.output_item.added", output_index: index, item });
    for (const delta of text) {
      all.push({
        type: "response.output_text.delta",
        item_id: "msg_1",
        output_index: index,
        content_index: 0,
        delta,
      });
    }
    const content = [{ type: "output_text", text: text.join(""), annotations: [] }];
    all.push({
      type: "response.output_item.done",
      output_index: index,
      item: { ...item, status: "completed", content },
    });
    index += 1;
  }
  for (const { id: call_id, name, pieces } of calls) {
    const item = {
      id: `fc_${call_id}`,
      type: "function_call",
      status: "in_progress",
      call_id,
      name,
      arguments: "",
    };
    all.push({ type: "response.output_item.added", output_index: index, item });
    for (const delta of pieces) {
      all.push({
        type: "response.function_call_arguments.delta",
        item_id: item.id,
        output_index: index,
        delta,
      });
    }
    const done = { ...item, status: "completed", arguments: pieces.join("") };
    all.push({ type: "response.output_item.done", output_index: index, item: done });
    index += 1;
  }
  const usage = {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 40 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 5 },
  };
  all.push({
    type: "response.completed",
    response: { incomplete_details: null, usage, service_tier: "default" },
  });
  return events(...all);
}

const problems = {
  auth: ["invalid_api_key", "Incorrect API key provided: sk-test-01234**********cdef."],
  unknown: ["model_not_found", "The model 'gpt-6.1-sol' does not exist or you do not have access to it."],
  overflow: ["context_length_exceeded", "Your input exceeds the context window of this model."],
  busy: ["rate_limit_exceeded", "Rate limit reached for gpt-6.1-sol"],
  bad: ["invalid_value", "Invalid 'tools[0].name': string does not match pattern."],
} as const;

export const openai: WireFormat = {
  name: "OpenAI Responses",
  model: "openai/gpt-6.1-sol",
  optionsFor: (url) => ({
    env: { OPENAI_API_KEY: "sk-test-0123456789abcdef", OPENAI_BASE_URL: `${url}/v1` },
  }),
  path: "/v1/responses",
  keyVariable: "OPENAI_API_KEY",
  keyIn: (headers) => headers.get("authorization")?.replace("Bearer ", "") ?? null,
  turn,
  streamError: events({
    type: "error",
    sequence_number: 3,
    error: { type: "server_error", code: "server_error", message: "The server had an error", param: null },
  }).join(""),
  errorBody: (_status, problem) => {
    const [code, message] = problems[problem];
    return JSON.stringify({ error: { message, type: "invalid_request_error", param: null, code } });
  },
  systemOf: ({ input }) => (input as unknown[])[0],
  toolsOf: ({ tools }) => tools,
  conversationOf: ({ input }) => (input as unknown[]).slice(1),
  conversation: [
    {
      role: "user",
      content: [
        { type: "input_text", text: "What is this?" },
        { type: "input_image", image_url: `data:image/png;base64,${image}` },
      ],
    },
    { role: "assistant", content: [{ type: "output_text", text: "Let me see." }] },
    { type: "function_call", call_id: "call_a", name: "python", arguments: '{"code":"plot()"}' },
    { type: "function_call", call_id: "call_b", name: "bash", arguments: '{"input":"not json"}' },
    {
      type: "function_call_output",
      call_id: "call_a",
      output: [
        { type: "input_text", text: "plotted" },
        { type: "input_image", image_url: `data:image/png;base64,${image}` },
      ],
    },
    { type: "function_call_output", call_id: "call_b", output: "command: must be a string" },
    { role: "user", content: [{ type: "input_text", text: "Go on." }] },
  ],
  sentBack: [
    {
      type: "reasoning",
      id: "rs_1",
      encrypted_content: "Y2lwaGVy",
      summary: [{ type: "summary_text", text: "Hmm, well." }],
    },
    { role: "assistant", id: "msg_1", content: [{ type: "output_text", text: "Look." }] },
    {
      type: "function_call",
      call_id: "call_1",
      name: "read",
      arguments: '{"path":"a.txt"}',
    },
  ],
  usage: { inputTokens: 60, outputTokens: 20, cacheReadTokens: 40, cacheWriteTokens: 0 },
  costUsd: 0.000324,
};
