/** `demo`: a scripted tour of the real tools. Sends nothing anywhere, writes no file. */

import { type Model, type ModelRequest, messageText } from "../protocol/model.ts";
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
    text: "I have a live IPython kernel. Let me calculate something in it:",
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
    text: "\n\nThe kernel keeps its state: `primes` is still there in the next call. With matplotlib, a plot is an image, for you and for the model:",
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
    text: "\n\nThere is also a shell, and it keeps its state, too:",
    input: { command: "greeting='hello from omp'; pwd; uname -sm", description: "Where we are" },
  },
  {
    tool: "bash",
    text: "\n\nA variable set in one call is still there in the next:",
    input: { command: 'echo "$greeting"', description: "Same shell as before" },
  },
  {
    tool: "ls",
    text: "\n\nAnd there are tools for files: read, write, edit, grep, find, ls.",
    input: { path: "." },
  },
];

const OPENING =
  "This is the demo: no model is configured, so my part was written in advance. The tools are real, though.\n\n";

const HOW_TO_CONFIGURE = [
  "To work with a model, set one of these and start omp again:",
  "",
  "    export ANTHROPIC_API_KEY=…",
  "    export OPENAI_API_KEY=…",
  "    export GEMINI_API_KEY=…",
  "    export OPENROUTER_API_KEY=…",
  "",
  "or use a server on this machine: omp -m ollama/<model>. `omp models` lists the available models.",
].join("\n");

export function openDemo({ paceMs }: { paceMs: number }): Model {
  return new ScriptedModel({
    facts: {
      name: "demo",
      contextTokens: 200_000,
      maxOutputTokens: 32_000,
      acceptsImages: true,
      takesEffort: false,
    },
    service: { provider: "demo", modelId: "demo", baseUrl: "", keyVariables: [], apiKey: undefined },
    retry: defaultRetryPolicy,
    paceMs,
    nextTurn,
  });
}

/** The position in the tour follows from the history, so that a resumed session continues correctly. */
function nextTurn({ messages, tools }: ModelRequest): ScriptedTurn {
  const lastPrompt = messages.findLastIndex(({ role }) => role === "user");
  const isFirst = !messages.slice(0, lastPrompt).some(({ role }) => role === "assistant");
  const prompt = messages.findLast((message) => message.role === "user");
  const wantsTour = isFirst || (prompt !== undefined && /\btour\b/i.test(messageText(prompt)));
  if (!wantsTour) {
    return {
      text: `I am only a demo and cannot answer that. Say "tour" to see it again.\n\n${HOW_TO_CONFIGURE}`,
    };
  }
  const names = new Set(tools.map(({ name }) => name));
  const tour = steps.filter(({ tool }) => names.has(tool));
  const taken = messages.slice(lastPrompt + 1).filter(({ role }) => role === "assistant").length;
  const step = tour[taken];
  const text = taken === 0 ? OPENING : "";
  if (step === undefined)
    return { text: `${text}${taken === 0 ? "" : "\n\nThat was the tour. "}${HOW_TO_CONFIGURE}` };
  return { text: `${text}${step.text}`, toolCalls: [{ name: step.tool, input: step.input }] };
}
