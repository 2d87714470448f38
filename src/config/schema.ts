/**
 * Every setting: its name, its valid values, what it does. The JSON Schema, the tables in docs/settings.md, the error
 * messages and `omp config list` are all derived from this. Importing it loads zod; `settings.ts` does so only when there
 * is a settings file.
 */

import * as z from "zod";
import { bridge } from "./bridge-schema.ts";
import { defaultSettings as defaults } from "./defaults.ts";
import { files } from "./files-schema.ts";
import { gateways, kernelSpecName } from "./gateway-schema.ts";
import { mcp } from "./mcp-schema.ts";
import { listOf, name, numberFrom, SECONDS_PER_DAY, setting, text } from "./schema-parts.ts";

const python = z.strictObject({
  interpreter: text
    .optional()
    .describe(
      "The Python to use instead of searching for one: a path (relative to the working directory; ~ is your home), an environment's directory, or a name on PATH.",
    ),
  toolMode: setting(
    z.enum(["both", "ipy-only", "bash-only"]),
    defaults.python.toolMode,
    "Which of the tools `python` and `bash` the model gets. The variable PI_PY overrides it.",
  ),
  kernelMode: setting(
    z.enum(["session", "per-call"]),
    defaults.python.kernelMode,
    "How long a kernel lives: for the whole session, keeping its state, or for a single call.",
  ),
  sharedGateway: setting(
    z.boolean(),
    defaults.python.sharedGateway,
    "Run kernels in one local Jupyter gateway that all omp processes share, instead of in each process's own kernels over ZeroMQ.",
  ),
  gateway: name
    .optional()
    .describe(
      "The name of one of `gateways`: kernels live there instead of on this machine. `local` means none of them. See docs/gateways.md.",
    ),
  kernelSpec: kernelSpecName
    .optional()
    .describe(
      "The Jupyter kernelspec to start kernels from, here or in a gateway, such as `python3`; `omp doctor` lists the available ones.",
    ),
  startTimeout: setting(
    numberFrom(1, 600),
    defaults.python.startTimeout,
    "Seconds that a kernel may take to start.",
  ),
  idleTimeout: setting(
    numberFrom(0, SECONDS_PER_DAY),
    defaults.python.idleTimeout,
    "Seconds without a call after which a kernel is stopped and its state is lost; 0 means never. Unless this is set, the terminal UI keeps kernels that hold state.",
  ),
  scriptTimeout: setting(
    numberFrom(1, SECONDS_PER_DAY),
    defaults.python.scriptTimeout,
    "Seconds that a `python_run` script may take when the call sets no timeout.",
  ),
  transport: setting(
    z.enum(["auto", "ipc", "tcp"]),
    defaults.python.transport,
    "How kernels on this machine are reached, also those of the shared gateway: `auto` and `ipc` use Unix sockets that only you can reach. `tcp` uses ports on loopback, where every user of the machine can read what cells print.",
  ),
  forkServer: setting(
    z.boolean(),
    defaults.python.forkServer,
    "Start kernels by forking a process that has already done the imports: several times faster, where it works.",
  ),
  keepState: setting(
    z.boolean(),
    defaults.python.keepState,
    "Keep a session's Python variables on disk when omp ends, and restore them when the session is resumed. Only in your own settings. See docs/sessions.md.",
  ),
  keepStateMb: setting(
    z.int().min(1).max(1_048_576),
    defaults.python.keepStateMb,
    "Megabytes of variables to keep for a session; the smallest are kept first.",
  ),
  keepStateValueMb: setting(
    z.int().min(1).max(1_048_576),
    defaults.python.keepStateValueMb,
    "Megabytes that a single variable may take; larger ones are not kept.",
  ),
  keepStateTimeout: setting(
    numberFrom(1, 600),
    defaults.python.keepStateTimeout,
    "Seconds that keeping variables may take when omp ends; those that are not kept by then are named.",
  ),
  checkpoints: setting(
    z.int().min(0).max(200),
    defaults.python.checkpoints,
    "How many earlier states of a session's kernel are kept, so that variables can be taken back and branches made; 0 keeps none. On Linux, with the fork server. See docs/time.md.",
  ),
  checkpointMemoryMb: setting(
    z.int().min(1).max(1_048_576),
    defaults.python.checkpointMemoryMb,
    "Megabytes of memory that those states may hold in addition to the kernel; the oldest are given up first.",
  ),
});

const environment = z.strictObject({
  pass: setting(
    listOf(
      z
        .string()
        .regex(/^[A-Za-z_][A-Za-z0-9_]*\*?$/)
        .describe("the name of a variable, or a prefix followed by *"),
    ),
    defaults.environment.pass,
    "Variables that kernels, shells and scripts get in addition to the usual harmless ones.",
  ),
});

const artifacts = z.strictObject({
  maxTotalMb: setting(
    z.int().min(1).max(1_048_576),
    defaults.artifacts.maxTotalMb,
    "Megabytes of full tool output to keep on disk; the oldest is deleted first.",
  ),
  maxAgeDays: setting(
    z.int().min(1).max(3650),
    defaults.artifacts.maxAgeDays,
    "Days to keep full tool output on disk.",
  ),
});

const tools = z.strictObject({
  enable: setting(
    listOf(
      z
        .string()
        .regex(/^[A-Za-z0-9_-]+$/)
        .describe("the name of a tool"),
    ),
    defaults.tools.enable,
    "Tools to offer in addition to the default ones, such as `exec` and `python_run`.",
  ),
});

function commandPatterns(description: string) {
  return listOf(z.string().regex(/\S/).max(500).describe(description));
}

const bash = z.strictObject({
  allow: setting(
    commandPatterns("a whole command, or its first words and a `*`, such as `cargo test` or `terraform *`"),
    defaults.bash.allow,
    "Commands that run without asking when `approval` is `ask`. Never overrides `bash.deny` or the dangerous patterns.",
  ),
  deny: setting(
    commandPatterns("the first words of a command, such as `git push` or `terraform`"),
    defaults.bash.deny,
    "Commands that never run, even if something else allows them. A project's list is added to yours.",
  ),
  workingDirectory: setting(
    z.enum(["any", "project"]),
    defaults.bash.workingDirectory,
    "Where commands may run: anywhere, or only inside the project.",
  ),
});

const dollarsPerMillionTokens = z.number().min(0);

/** Whatever the server understands. */
const requestParameters = z.record(z.string(), z.unknown());

const endpointModel = z.strictObject({
  id: text,
  contextTokens: z.int().min(1).optional(),
  maxOutputTokens: z.int().min(1).optional(),
  images: z.boolean().optional(),
  reasoning: z.boolean().optional(),
  price: z
    .strictObject({
      input: dollarsPerMillionTokens,
      output: dollarsPerMillionTokens,
      cacheRead: dollarsPerMillionTokens.exactOptional(),
      cacheWrite: dollarsPerMillionTokens.exactOptional(),
    })
    .optional(),
  parameters: requestParameters.optional(),
});

const endpoint = z.strictObject({
  name,
  baseUrl: z.url({ protocol: /^https?$/ }),
  api: z.enum(["chat-completions", "responses"]).optional(),
  apiKeyEnv: text.optional(),
  headers: z.record(z.string(), z.string()).optional(),
  parameters: requestParameters.optional(),
  models: listOf(endpointModel).optional(),
});

const sandboxAllow = z.strictObject({
  paths: setting(
    listOf(text.describe("a path; ~ is your home")),
    defaults.sandboxAllow.paths,
    "Directories and files that may be written as well, such as a cache. Those that do not exist when a program starts are left out.",
  ),
  hosts: setting(
    listOf(
      z
        .string()
        .regex(/^(?:\*\.)?[A-Za-z0-9.-]+(?::\d{1,5})?$/)
        .describe("a host such as `example.com`, `*.example.com` or `localhost:8080`"),
    ),
    defaults.sandboxAllow.hosts,
    "Hosts that may be reached over HTTP and HTTPS, at ports 80 and 443 unless one is given.",
  ),
});

const ui = z.strictObject({
  theme: setting(
    z.enum(["auto", "dark", "light", "16", "none"]),
    defaults.ui.theme,
    "Colours: chosen to match the terminal's background, for a dark or a light one, the terminal's own 16, or none. NO_COLOR and FORCE_COLOR apply to `auto`.",
  ),
  ascii: setting(
    z.boolean(),
    defaults.ui.ascii,
    "Use plain ASCII symbols. Always so in a locale that is not UTF-8.",
  ),
  screenReader: setting(
    z.boolean(),
    defaults.ui.screenReader,
    "For screen readers: lines are only appended, states are written as words, nothing is redrawn.",
  ),
  images: setting(
    z.enum(["auto", "kitty", "iterm2", "sixel", "blocks", "off"]),
    defaults.ui.images,
    "How images are drawn: the best way the terminal supports, a certain protocol whether the terminal reports it or not, half-blocks, or just a line that names the image.",
  ),
  notify: setting(
    z.enum(["auto", "bell", "off"]),
    defaults.ui.notify,
    "How you are notified when something long has ended: by a notification in terminals known to support them and a bell in others, always by a bell, or not at all.",
  ),
  notifyAfter: setting(
    numberFrom(0, SECONDS_PER_DAY),
    defaults.ui.notifyAfter,
    "Seconds after which something counts as long.",
  ),
});

/** From a settings file's content, where every key is optional, to a value that has every key with a default. */
export const settingsSchema = z.strictObject({
  python: python.prefault({}).describe("Python: interpreter, kernels, scripts."),
  environment: environment
    .prefault({})
    .describe("Which of your environment variables the programs that omp runs can see."),
  artifacts: artifacts.prefault({}).describe("Full tool output, kept on disk."),
  files: files.prefault({}).describe("The project's files over time. See docs/rewind.md."),
  tools: tools.prefault({}).describe("What the model may call."),
  bridge: bridge.prefault({}).describe("Calls that cells make: `omp.tools.read(…)`. See docs/cells.md."),
  bash: bash.prefault({}).describe("Which shell commands may run, and where. See docs/safety.md."),
  model: text
    .optional()
    .describe("The model to use when --model names none, such as `anthropic/claude-sonnet-5-5`."),
  endpoints: setting(
    listOf(endpoint),
    defaults.endpoints,
    "Your own OpenAI-compatible servers: `name` is the part before the slash in a model's name, `baseUrl` the address, `apiKeyEnv` the variable with the key; optionally `api` (`chat-completions` or `responses`), `headers`, `parameters` (what every request should contain, such as `temperature`) and `models` (each with an `id`, known facts and `parameters` of its own). Only in your own settings.",
  ),
  gateways: setting(
    gateways,
    defaults.gateways,
    "Jupyter servers that can host kernels: `name`, `url`, `tokenEnv` (the variable with the token) or `token`; optionally `caFile`, `kernelSpec` and `env` (KERNEL_* variables for the gateway). `python.gateway` chooses one. Only in your own settings.",
  ),
  mcp: mcp.prefault({}).describe("MCP servers and their tools. See docs/mcp.md."),
  approval: setting(
    z.enum(["auto", "ask", "read-only"]),
    defaults.approval,
    "What runs without asking: everything that is not dangerous, only the safe list, or only tools that make no changes.",
  ),
  sandbox: setting(
    z.enum(["off", "workspace", "read-only"]),
    defaults.sandbox,
    "What kernels, shells and scripts may do: anything, write only in the project and the temporary directory and reach no network, or write nowhere. A project can only make it stricter. See docs/safety.md.",
  ),
  sandboxAllow: sandboxAllow
    .prefault({})
    .describe("What is allowed in the sandbox `workspace` in addition. Only in your own settings."),
  ui: ui.prefault({}).describe("The terminal UI. See docs/terminal.md."),
});

/** A file may also name the schema, for editors. */
export const settingsFileSchema = settingsSchema.extend({
  $schema: z.string().optional().describe("Where an editor finds the schema of this file. Ignored by omp."),
});

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

export type Settings = DeepReadonly<z.output<typeof settingsSchema>>;
