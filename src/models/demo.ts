/** `demo`: a tour that somebody wrote, driving the real tools. Thinks nothing, sends nothing anywhere, writes no file. */

import type { Message, Model, ModelRequest } from "../protocol/model.ts";
import { defaultRetryPolicy } from "./retry.ts";
import { ScriptedModel, type ScriptedTurn } from "./scripted-model.ts";

interface Step {
  readonly tool: "python" | "bash" | "ls";
  readonly text: string;
  readonly input: unknown;
}

const steps: readonly Step[] = [
  {
    tool: "python",
    text: "I have a live IPython kernel. Let me work something out in it:",
    input: {
      cells: [
        {
          title: "primes",
          code: "primes = [n for n in range(2, 200) if all(n % d for d in range(2, int(n**0.5) + 1))]\nlen(primes), primes[-5:]",
        },
      ],
    },
  },
  {
    tool: "python",
    text: "\n\nThe kernel keeps its state: `primes` is still there in the next call. Plots come back as images, for you and for the model:",
    input: {
      cells: [
        { title: "gaps", code: "gaps = [b - a for a, b in zip(primes, primes[1:])]\nmax(gaps)" },
        {
          title: "plot",
          code: [
            "try:",
            "    import matplotlib.pyplot as plt",
            "    plt.step(primes[1:], gaps)",
            "    plt.xlabel('prime')",
            "    plt.ylabel('gap')",
            "    plt.show()",
            "except ImportError:",
            "    for p, g in zip(primes[1:16], gaps):",
            "        print(f'{p:4d} ' + '#' * g)",
          ].join("\n"),
        },
      ],
    },
  },
  {
    tool: "bash",
    text: "\n\nNext to it there is a shell, which keeps its state as well:",
    input: { command: "greeting='hello from omp'; pwd; uname -sm", description: "Where we are" },
  },
  {
    tool: "bash",
    text: "\n\nA variable that was set in one call is there in the next:",
    input: { command: 'echo "$greeting"', description: "Same shell as before" },
  },
  {
    tool: "ls",
    text: "\n\nAnd there are tools for files: read, write, edit, grep, find, ls.",
    input: { path: "." },
  },
];

const opening =
  "This is the demo: no model is configured, so what I say was written beforehand. The tools are real, though.\n\n";

const howToGoOn = [
  "To work with a model, set one of these and start omp again:",
  "",
  "    export ANTHROPIC_API_KEY=…",
  "    export OPENAI_API_KEY=…",
  "    export GEMINI_API_KEY=…",
  "    export OPENROUTER_API_KEY=…",
  "",
  "or use a server on this machine: omp -m ollama/<model>. `omp models` lists what there is.",
].join("\n");

export function demoModel({ paceMs }: { paceMs: number }): Model {
  return new ScriptedModel({
    facts: {
      name: "demo",
      contextTokens: 200_000,
      maxOutputTokens: 32_000,
      acceptsImages: true,
      canReason: false,
    },
    service: { provider: "demo", modelId: "demo", baseUrl: "", keyVariables: [], apiKey: undefined },
    retry: defaultRetryPolicy,
    paceMs,
    nextTurn,
  });
}

/** Where the tour is follows from the history: a session that goes on finds its place. */
function nextTurn({ messages, tools }: ModelRequest): ScriptedTurn {
  const lastPrompt = messages.findLastIndex(({ role }) => role === "user");
  const isFirst = !messages.slice(0, lastPrompt).some(({ role }) => role === "assistant");
  const wantsTour = isFirst || /\btour\b/i.test(textOf(messages[lastPrompt]));
  if (!wantsTour) {
    return {
      text: `I am only the demo, and cannot answer that. Say "tour" to see it again.\n\n${howToGoOn}`,
    };
  }
  const names = new Set(tools.map(({ name }) => name));
  const tour = steps.filter(({ tool }) => names.has(tool));
  const taken = messages.slice(lastPrompt + 1).filter(({ role }) => role === "assistant").length;
  const step = tour[taken];
  const text = taken === 0 ? opening : "";
  if (step === undefined)
    return { text: `${text}${taken === 0 ? "" : "\n\nThat is the tour. "}${howToGoOn}` };
  return { text: `${text}${step.text}`, toolCalls: [{ name: step.tool, input: step.input }] };
}

function textOf(message: Message | undefined): string {
  if (message?.role !== "user") return "";
  return message.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}
