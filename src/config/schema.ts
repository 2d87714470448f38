/**
 * Every setting: its name, what it may be, what it does. The JSON schema, the tables in docs/settings.md, the error
 * messages and `omp config list` are all made from this. Importing it loads zod; `settings.ts` does so only when there
 * is a settings file.
 */

import * as z from "zod";
import { defaultSettings as defaults } from "./defaults.ts";

const python = z.strictObject({
  interpreter: z
    .string()
    .min(1)
    .optional()
    .describe(
      "The Python to use, before any other is looked for: a path (from the working directory; ~ is your home), an environment's directory, or a name on PATH.",
    ),
  toolMode: z
    .enum(["both", "ipy-only", "bash-only"])
    .default(defaults.python.toolMode)
    .describe("Which of the tools `python` and `bash` the model gets. The variable PI_PY overrides it."),
  kernelMode: z
    .enum(["session", "per-call"])
    .default(defaults.python.kernelMode)
    .describe("How long a kernel lives: state persists through the session, or every call starts afresh."),
  sharedGateway: z
    .boolean()
    .default(defaults.python.sharedGateway)
    .describe(
      "Run kernels in one local Jupyter gateway that all omp processes share, instead of own kernels over ZeroMQ.",
    ),
  gateway: z
    .string()
    .regex(/^[a-z0-9_-]+$/)
    .optional()
    .describe(
      "The name of one of `gateways`: kernels live there instead of on this machine. `local` means none of them. See docs/gateways.md.",
    ),
  kernelSpec: z
    .string()
    .regex(/^[A-Za-z0-9._-]+$/)
    .optional()
    .describe(
      "The Jupyter kernelspec to start kernels from, here or in a gateway, such as `python3`; `omp doctor` names those that there are.",
    ),
  startTimeout: z
    .number()
    .min(1)
    .max(600)
    .default(defaults.python.startTimeout)
    .describe("Seconds that a kernel may take to start."),
  idleTimeout: z
    .number()
    .min(0)
    .max(86_400)
    .default(defaults.python.idleTimeout)
    .describe(
      "Seconds without a call after which a kernel is stopped and its state given up; 0 keeps it. The terminal UI keeps one that holds something, unless this is set.",
    ),
  scriptTimeout: z
    .number()
    .min(1)
    .max(86_400)
    .default(defaults.python.scriptTimeout)
    .describe("Seconds that a `python_run` script may take when the call names no timeout."),
  transport: z
    .enum(["auto", "ipc", "tcp"])
    .default(defaults.python.transport)
    .describe("How omp reaches its own kernels: unix sockets, TCP on loopback, or the best that works here."),
  forkServer: z
    .boolean()
    .default(defaults.python.forkServer)
    .describe(
      "Start kernels from a process that has done the imports already: several times quicker, where it works.",
    ),
});

const environment = z.strictObject({
  pass: z
    .array(
      z
        .string()
        .regex(/^[A-Za-z_][A-Za-z0-9_]*\*?$/)
        .describe("the name of a variable, or the beginning of several and a *"),
    )
    .readonly()
    .default(defaults.environment.pass)
    .describe("Variables that kernels, shells and scripts get besides the usual harmless ones."),
});

const artifacts = z.strictObject({
  maxTotalMb: z
    .int()
    .min(1)
    .max(1_048_576)
    .default(defaults.artifacts.maxTotalMb)
    .describe("Megabytes of full tool output kept on disk; the oldest goes first."),
  maxAgeDays: z
    .int()
    .min(1)
    .max(3650)
    .default(defaults.artifacts.maxAgeDays)
    .describe("Days that full tool output is kept on disk."),
});

const tools = z.strictObject({
  enable: z
    .array(
      z
        .string()
        .regex(/^[A-Za-z0-9_-]+$/)
        .describe("the name of a tool"),
    )
    .readonly()
    .default(defaults.tools.enable)
    .describe("Tools to offer besides the default ones, such as `exec` and `python_run`."),
});

const commandWords = z
  .string()
  .regex(/\S/)
  .max(500)
  .describe("the first words of a command, such as `git push` or `terraform *`");

const bash = z.strictObject({
  allow: z
    .array(commandWords)
    .readonly()
    .default(defaults.bash.allow)
    .describe(
      "Commands that run without a question when `approval` is `ask`. Never overrides `bash.deny` or the dangerous patterns.",
    ),
  deny: z
    .array(commandWords)
    .readonly()
    .default(defaults.bash.deny)
    .describe("Commands that never run, whatever else allows them. A project's list is added to yours."),
  workingDirectory: z
    .enum(["any", "project"])
    .default(defaults.bash.workingDirectory)
    .describe("Where commands may be run: anywhere, or only inside the project."),
});

/** Dollars a million tokens. */
const dollars = z.number().min(0);

const endpointModel = z.strictObject({
  id: z.string().min(1),
  contextTokens: z.int().min(1).optional(),
  maxOutputTokens: z.int().min(1).optional(),
  images: z.boolean().optional(),
  reasoning: z.boolean().optional(),
  price: z
    .strictObject({
      input: dollars,
      output: dollars,
      cacheRead: dollars.exactOptional(),
      cacheWrite: dollars.exactOptional(),
    })
    .optional(),
});

const endpoint = z.strictObject({
  name: z.string().regex(/^[a-z0-9_-]+$/),
  baseUrl: z.url({ protocol: /^https?$/ }),
  apiKeyEnv: z.string().min(1).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  models: z.array(endpointModel).readonly().optional(),
});

const ui = z.strictObject({
  theme: z
    .enum(["auto", "dark", "light", "16", "none"])
    .default(defaults.ui.theme)
    .describe(
      "Colours: by the terminal's background, for a dark or a light one, the terminal's own 16, or none. NO_COLOR and FORCE_COLOR hold for `auto`.",
    ),
  ascii: z
    .boolean()
    .default(defaults.ui.ascii)
    .describe("Signs in plain ASCII. A locale that is not UTF-8 gets them anyway."),
  screenReader: z
    .boolean()
    .default(defaults.ui.screenReader)
    .describe("For screen readers: lines that are only added to, states in words, nothing redrawn."),
  images: z
    .enum(["auto", "kitty", "iterm2", "sixel", "blocks", "off"])
    .default(defaults.ui.images)
    .describe(
      "How pictures are drawn: by what the terminal can, by one of its protocols whether it says so or not, with half-blocks, or as a line that names them.",
    ),
  notify: z
    .enum(["auto", "bell", "off"])
    .default(defaults.ui.notify)
    .describe(
      "What tells that something long has ended: a notification where the terminal is known to show them and else a bell, always a bell, or nothing.",
    ),
  notifyAfter: z
    .number()
    .min(0)
    .max(86_400)
    .default(defaults.ui.notifyAfter)
    .describe("Seconds after which something has been long enough to be told of."),
});

/** The descriptions follow "must be" in error messages. */
const gateway = z.strictObject({
  name: z
    .string()
    .regex(/^(?!local$)[a-z0-9_-]+$/)
    .describe("a name of small letters, digits, - and _, used once, and not `local`"),
  url: z
    .string()
    .regex(/^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/)
    .describe("an http:// or https:// address without a password, a ? or a token in it"),
  tokenEnv: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
    .optional()
    .describe("the name of the variable that holds the token"),
  token: z.string().min(1).optional().describe("a string that is not empty"),
  caFile: z.string().min(1).optional().describe("the path of a file with certificates (PEM)"),
  kernelSpec: z
    .string()
    .regex(/^[A-Za-z0-9._-]+$/)
    .optional()
    .describe("the name of a kernelspec"),
  env: z
    .record(z.string().regex(/^KERNEL_[A-Z0-9_]+$/), z.string())
    .optional()
    .describe("an object of strings under names that begin with KERNEL_"),
});

/** A settings file's content, where every key may be left out, to a value in which every key is there. */
export const settingsSchema = z.strictObject({
  python: python.prefault({}).describe("The Python side: interpreter, kernels, scripts."),
  environment: environment.prefault({}).describe("What the programs that omp runs see of your environment."),
  artifacts: artifacts.prefault({}).describe("Full tool output, kept on disk."),
  tools: tools.prefault({}).describe("What the model may call."),
  bash: bash.prefault({}).describe("Which shell commands may run, and where. See docs/safety.md."),
  model: z
    .string()
    .min(1)
    .optional()
    .describe("The model to use when none is named with --model, such as `anthropic/claude-sonnet-5-5`."),
  endpoints: z
    .array(endpoint)
    .readonly()
    .default(defaults.endpoints)
    .describe(
      "OpenAI-compatible servers of your own: `name` goes before the slash in a model's name, `baseUrl` is the address, `apiKeyEnv` the variable with the key; `headers` and `models` (each an `id`, and what is known of it) if needed. A project's file may add some, and never one that gets your key.",
    ),
  gateways: z
    .array(gateway)
    .superRefine((list, context) => {
      const again = list.findIndex(
        ({ name }, index) => list.findIndex((other) => other.name === name) < index,
      );
      if (again !== -1) context.addIssue({ code: "custom", path: [again, "name"] });
    })
    .readonly()
    .default(defaults.gateways)
    .describe(
      "Jupyter servers where kernels may live: `name`, `url`, `tokenEnv` (the variable with the token) or `token`, and if needed `caFile`, `kernelSpec`, `env` (KERNEL_* variables for the gateway). `python.gateway` chooses one. A project's file may add some, and never one that gets your token.",
    ),
  approval: z
    .enum(["auto", "ask", "read-only"])
    .default(defaults.approval)
    .describe(
      "What runs without being asked about: everything that is not dangerous, the safe list, or only tools that change nothing.",
    ),
  ui: ui.prefault({}).describe("The terminal UI. See docs/terminal.md."),
});

/** What may stand in a file: the settings and the line that tells an editor where their schema is. */
export const settingsFileSchema = settingsSchema.extend({
  $schema: z
    .string()
    .optional()
    .describe("Where an editor finds the schema of this file. Means nothing to omp."),
});

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

export type Settings = DeepReadonly<z.output<typeof settingsSchema>>;
