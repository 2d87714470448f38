/** OpenAI Chat Completions, as its imitators speak it: deltas by index, usage in a last chunk, then [DONE]. */

import { events, image, type TurnSpec, type WireFormat } from "./format.ts";

function turn({ reasoning = [], text = [], calls = [] }: TurnSpec): string[] {
  const chunk = (delta: unknown, finish_reason: string | null = null) => ({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1_700_000_000,
    model: "test-model",
    choices: [{ index: 0, delta, finish_reason }],
  });
  const callDeltas = calls.flatMap(({ id, name, pieces }, index) => [
    { tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] },
    ...pieces.map((each) => ({ tool_calls: [{ index, function: { arguments: each } }] })),
  ]);
  const deltas = [
    { role: "assistant", content: "" },
    ...reasoning.map((each) => ({ reasoning_content: each })),
    ...text.map((content) => ({ content })),
    ...callDeltas,
  ];
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 20,
    total_tokens: 120,
    prompt_tokens_details: { cached_tokens: 40 },
  };
  return [
    ...events(...deltas.map((delta) => chunk(delta)), chunk({}, calls.length > 0 ? "tool_calls" : "stop"), {
      ...chunk({}),
      choices: [],
      usage,
    }),
    "data: [DONE]\n\n",
  ];
}

const problems = {
  auth: ["invalid_api_key", "Incorrect API key provided: sk-test-0123456789abcdef"],
  unknown: ["model_not_found", "The model `test-model` does not exist"],
  overflow: ["context_length_exceeded", "This model's maximum context length is 32768 tokens."],
  busy: ["rate_limit_exceeded", "Too many requests"],
  bad: ["invalid_value", "Invalid value for tools"],
} as const;

export const compatible: WireFormat = {
  name: "OpenAI Chat Completions",
  model: "mine/test-model",
  optionsFor: (url) => ({
    env: { MY_KEY: "sk-test-0123456789abcdef" },
    endpoints: [
      {
        name: "mine",
        baseUrl: `${url}/v1`,
        apiKeyEnv: "MY_KEY",
        headers: { "x-team": "tools" },
        models: [{ id: "test-model", contextTokens: 32_768, reasoning: true, images: true }],
      },
    ],
  }),
  path: "/v1/chat/completions",
  keyVariable: "MY_KEY",
  keyIn: (headers) => headers.get("authorization")?.replace("Bearer ", "") ?? null,
  turn,
  streamError: events({
    error: { message: "The server had an error", type: "server_error", code: null },
  }).join(""),
  errorBody: (_status, problem) => {
    const [code, message] = problems[problem];
    return JSON.stringify({ error: { message, type: "invalid_request_error", param: null, code } });
  },
  systemOf: ({ messages }) => (messages as unknown[])[0],
  toolsOf: ({ tools }) => tools,
  conversationOf: ({ messages }) => (messages as unknown[]).slice(1),
  conversation: [
    {
      role: "user",
      content: [
        { type: "text", text: "What is this?" },
        { type: "image_url", image_url: { url: `data:image/png;base64,${image}` } },
      ],
    },
    {
      role: "assistant",
      content: "Let me see.",
      tool_calls: [
        { id: "call_a", type: "function", function: { name: "python", arguments: '{"code":"plot()"}' } },
        { id: "call_b", type: "function", function: { name: "bash", arguments: '{"input":"not json"}' } },
      ],
    },
    { role: "tool", tool_call_id: "call_a", content: "plotted" },
    { role: "tool", tool_call_id: "call_b", content: "command: must be a string" },
    {
      role: "user",
      content: [
        { type: "text", text: "Shown by python (call_a):" },
        { type: "image_url", image_url: { url: `data:image/png;base64,${image}` } },
      ],
    },
    { role: "user", content: "Go on." },
  ],
  sentBack: [
    {
      role: "assistant",
      content: "Look.",
      reasoning_content: "Hmm, well.",
      tool_calls: [
        { id: "call_1", type: "function", function: { name: "read", arguments: '{"path":"a.txt"}' } },
      ],
    },
  ],
  usage: { inputTokens: 60, outputTokens: 20, cacheReadTokens: 40, cacheWriteTokens: 0 },
  costUsd: undefined,
};
