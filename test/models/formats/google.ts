/** Gemini's streamGenerateContent, as recorded: every chunk is a whole response; calls come in one piece. */

import { events, image, type TurnSpec, type WireFormat } from "./format.ts";

function turn({ reasoning = [], text = [], calls = [] }: TurnSpec): string[] {
  const parts: unknown[] = [
    ...reasoning.map((each) => ({ text: each, thought: true })),
    ...text.map((each) => ({ text: each })),
    ...calls.map(({ id, name, pieces }, index) => ({
      functionCall: { id, name, args: JSON.parse(pieces.join("")) },
      // Of calls made together only the first is signed.
      ...(index === 0 && { thoughtSignature: "c2lnbmVk" }),
    })),
  ];
  const chunk = (part: unknown) => ({
    candidates: [{ content: { role: "model", parts: [part] }, index: 0 }],
    modelVersion: "gemini-3.8-flash",
    responseId: "r1",
  });
  const last = {
    candidates: [{ content: { role: "model", parts: [{ text: "" }] }, finishReason: "STOP", index: 0 }],
    usageMetadata: {
      promptTokenCount: 100,
      cachedContentTokenCount: 40,
      candidatesTokenCount: 15,
      thoughtsTokenCount: 5,
      totalTokenCount: 120,
    },
  };
  return events(...parts.map(chunk), last);
}

const problems = {
  auth: ["INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."],
  unknown: ["NOT_FOUND", "models/gemini-3.8-flash is not found for API version v1beta"],
  overflow: [
    "INVALID_ARGUMENT",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
  ],
  busy: ["RESOURCE_EXHAUSTED", "You exceeded your requests per minute"],
  bad: ["INVALID_ARGUMENT", "Invalid JSON payload received."],
} as const;

export const google: WireFormat = {
  name: "Gemini",
  model: "google/gemini-3.8-flash",
  optionsFor: (url) => ({ env: { GEMINI_API_KEY: "sk-test-0123456789abcdef", GOOGLE_GEMINI_BASE_URL: url } }),
  path: "/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse",
  keyVariable: "GEMINI_API_KEY",
  keyIn: (headers) => headers.get("x-goog-api-key"),
  turn,
  streamError: events({
    error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" },
  }).join(""),
  errorBody: (status, problem) => {
    const [code, message] = problems[problem];
    return JSON.stringify({ error: { code: problem === "auth" ? 400 : status, message, status: code } });
  },
  systemOf: ({ systemInstruction }) => systemInstruction,
  toolsOf: ({ tools }) => tools,
  conversationOf: ({ contents }) => contents,
  conversation: [
    {
      role: "user",
      parts: [{ text: "What is this?" }, { inlineData: { mimeType: "image/png", data: image } }],
    },
    {
      role: "model",
      parts: [
        { text: "Let me see." },
        {
          functionCall: { id: "call_a", name: "python", args: { code: "plot()" } },
          thoughtSignature: "skip_thought_signature_validator",
        },
        {
          functionCall: { id: "call_b", name: "bash", args: { input: "not json" } },
          thoughtSignature: "skip_thought_signature_validator",
        },
      ],
    },
    {
      role: "user",
      parts: [
        {
          functionResponse: {
            id: "call_a",
            name: "python",
            response: { name: "python", content: "plotted" },
            parts: [{ inlineData: { mimeType: "image/png", data: image } }],
          },
        },
        {
          functionResponse: {
            id: "call_b",
            name: "bash",
            response: { name: "bash", content: "command: must be a string" },
          },
        },
      ],
    },
    { role: "user", parts: [{ text: "Go on." }] },
  ],
  sentBack: [
    {
      role: "model",
      parts: [
        { text: "Hmm, well.", thought: true },
        { text: "Look." },
        {
          functionCall: { id: "call_1", name: "read", args: { path: "a.txt" } },
          thoughtSignature: "c2lnbmVk",
        },
      ],
    },
  ],
  usage: { inputTokens: 60, outputTokens: 20, cacheReadTokens: 40, cacheWriteTokens: 0 },
  costUsd: 0.000123,
};
