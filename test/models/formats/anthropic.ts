/** Anthropic Messages, as recorded: named events, blocks with an index, `ping` in between. */

import { image, type TurnSpec, type WireFormat } from "./format.ts";

type Event = { readonly type: string } & Record<string, unknown>;

function sse(...all: readonly Event[]): string[] {
  return all.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

function block(index: number, start: unknown, deltas: readonly unknown[]): Event[] {
  return [
    { type: "content_block_start", index, content_block: start },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

function turn({ reasoning, text, calls = [] }: TurnSpec): string[] {
  const blocks: ((index: number) => Event[])[] = [];
  if (reasoning) {
    const deltas = reasoning.map((thinking) => ({ type: "thinking_delta", thinking }));
    const signature = { type: "signature_delta", signature: "c2lnbmVk" };
    blocks.push((index) =>
      block(index, { type: "thinking", thinking: "", signature: "" }, [...deltas, signature]),
    );
  }
  if (text) {
    blocks.push((index) =>
      block(
        index,
        { type: "text", text: "" },
        text.map((each) => ({ type: "text_delta", text: each })),
      ),
    );
  }
  for (const { id, name, pieces } of calls) {
    const deltas = pieces.map((partial_json) => ({ type: "input_json_delta", partial_json }));
    blocks.push((index) => block(index, { type: "tool_use", id, name, input: {} }, deltas));
  }
  const counts = { input_tokens: 50, cache_creation_input_tokens: 10, cache_read_input_tokens: 40 };
  return sse(
    {
      type: "message_start",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "claude-sonnet-5-5",
        content: [],
        stop_reason: null,
        usage: { ...counts, output_tokens: 1 },
      },
    },
    { type: "ping" },
    ...blocks.flatMap((make, index) => make(index)),
    {
      type: "message_delta",
      delta: { stop_reason: calls.length > 0 ? "tool_use" : "end_turn", stop_sequence: null },
      usage: { output_tokens: 20 },
    },
    { type: "message_stop" },
  );
}

const problems = {
  auth: ["authentication_error", "invalid x-api-key sk-test-0123456789abcdef"],
  unknown: ["not_found_error", "model: claude-sonnet-5-5"],
  overflow: ["invalid_request_error", "prompt is too long: 1200000 tokens > 1000000 maximum"],
  busy: ["rate_limit_error", "This request would exceed your rate limit"],
  bad: ["invalid_request_error", "tools.0.name: String should match pattern"],
} as const;

const cache_control = { type: "ephemeral" };

export const anthropic: WireFormat = {
  name: "Anthropic Messages",
  model: "anthropic/claude-sonnet-5-5",
  optionsFor: (url) => ({ env: { ANTHROPIC_API_KEY: "sk-test-0123456789abcdef", ANTHROPIC_BASE_URL: url } }),
  path: "/v1/messages",
  keyVariable: "ANTHROPIC_API_KEY",
  keyIn: (headers) => headers.get("x-api-key"),
  turn,
  streamError: sse({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }).join(""),
  errorBody: (_status, problem) => {
    const [type, message] = problems[problem];
    return JSON.stringify({ type: "error", error: { type, message } });
  },
  systemOf: ({ system }) => system,
  toolsOf: ({ tools }) => tools,
  conversationOf: ({ messages }) => messages,
  conversation: [
    {
      role: "user",
      content: [
        { type: "text", text: "What is this?" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: image } },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "text", text: "Let me see." },
        { type: "tool_use", id: "call_a", name: "python", input: { code: "plot()" } },
        { type: "tool_use", id: "call_b", name: "bash", input: { input: "not json" } },
      ],
    },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "call_a",
          content: [
            { type: "text", text: "plotted" },
            { type: "image", source: { type: "base64", media_type: "image/png", data: image } },
          ],
        },
        {
          type: "tool_result",
          tool_use_id: "call_b",
          content: "command: must be a string",
          is_error: true,
          cache_control,
        },
        { type: "text", text: "Go on.", cache_control },
      ],
    },
  ],
  sentBack: [
    { type: "thinking", thinking: "Hmm, well.", signature: "c2lnbmVk" },
    { type: "text", text: "Look." },
    { type: "tool_use", id: "call_1", name: "read", input: { path: "a.txt" } },
  ],
  usage: { inputTokens: 50, outputTokens: 20, cacheReadTokens: 40, cacheWriteTokens: 10 },
  costUsd: 0.000333,
};
