/** The root command's own arguments: `omp [prompt]` and `omp -p [prompt]`. */

import { fstatSync } from "node:fs";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { SessionChoice } from "../app/agent-session.ts";
import type { CommandIo } from "../app/io.ts";
import { editDistance } from "../format/nearest.ts";
import { errorLine, systemCode } from "../protocol/index.ts";
import type { Invocation } from "../protocol/invocation.ts";
import type { AgentOptions } from "./run-agent.ts";

/** What an action of the command tree does: runs a command, whose exit code becomes the program's. */
export type Run = (
  command: (given: { readonly io: CommandIo; readonly invocation: Invocation }) => Promise<number>,
) => Promise<void>;

/** As Commander gives them; most options have the same names. */
interface AgentFlags extends Omit<AgentOptions, "prompt" | "session" | "tools"> {
  readonly continue?: boolean;
  /** True without an id: a picker. */
  readonly resume?: string | true;
  readonly fork?: string;
  readonly session: boolean;
  /** False for --no-tools. */
  readonly tools?: readonly string[] | boolean;
}

const DEFAULT_MAX_TURNS = 200;

export function addAgentCommand(program: Command, run: Run): void {
  program
    .argument("[prompt]", "what to do")
    .option(
      "-p, --print",
      "headless: run to the end and print the answer; piped stdin is added to the prompt, above 32 KB as a variable in the kernel",
    )
    .option("-m, --model <provider/id>", "the model; see: omp models")
    .addOption(
      new Option(
        "--effort <level>",
        "how hard the model thinks; the provider's default if not given",
      ).choices(["low", "medium", "high"]),
    )
    .option("-i, --image <file>", "an image for the model; can be repeated", collected)
    .option("-c, --continue", "resume the newest session of this directory")
    .option("-r, --resume [id]", "resume a session: its id or the beginning of it, or pick one")
    .option("--fork <id>", "resume a copy of a session")
    .option("--no-session", "do not save this session")
    .addOption(
      new Option("--output-format <format>", "what -p prints")
        .choices(["text", "json", "stream-json"])
        .default("text"),
    )
    .addOption(
      new Option(
        "--input-format <format>",
        "what -p reads from stdin: text for the prompt, or one JSON prompt per line",
      )
        .choices(["text", "stream-json"])
        .default("text"),
    )
    .option("-o, --output-last-message <file>", "also write the answer to a file")
    .option("--tools <names>", "only these tools, separated by commas", toolNames)
    .option("--no-tools", "no tools at all")
    .addOption(approvalOption())
    .addOption(sandboxOption())
    .option("--dry-run", "run nothing; say what each call would do")
    .option("--max-turns <n>", "stop after this many model requests", positive, DEFAULT_MAX_TURNS)
    .option("--max-time <s>", "with -p: stop after this many seconds", amount)
    .option("--max-cost <usd>", "with -p: stop when more than this has been spent", amount)
    .option("--output-schema <file>", "with -p: the answer is JSON that fits this JSON schema")
    .option("--system-prompt <text|@file>", "replaces omp's own system prompt")
    .option("--append-system-prompt <text|@file>", "added to the system prompt")
    .addOption(kernelOption())
    .option("--screen-reader", "for screen readers: only add lines, describe states in words")
    .action((prompt: string | undefined, flags: AgentFlags) =>
      run(async ({ io, invocation }) => {
        const issue = promptProblem(program, flags) ?? sessionConflict(flags);
        if (issue !== undefined) {
          io.stderr(`${errorLine({ operation: "omp", issue, code: "USAGE" })}\n`);
          return 2;
        }
        const { runAgent } = await import("./run-agent.ts");
        return await runAgent(
          agentOptions(prompt, flags),
          { ...io, stdin: pipedStdin(), isTerminal: process.stdin.isTTY && process.stdout.isTTY },
          invocation,
        );
      }),
    );
}

/** Of every command that runs tools. */
export function approvalOption(): Option {
  return new Option("--approval <mode>", "what may run").choices(["auto", "ask", "read-only"]);
}

/** Likewise. */
export function sandboxOption(): Option {
  return new Option(
    "--sandbox <mode>",
    "where programs may write, and whether they can reach the network",
  ).choices(["off", "workspace", "read-only"]);
}

/** Likewise. */
export function kernelOption(): Option {
  return new Option(
    "--kernel <connection-file>",
    "work in an existing kernel: its connection file, or its name among Jupyter's",
  );
}

function agentOptions(prompt: string | undefined, flags: AgentFlags): AgentOptions {
  const { tools } = flags;
  return {
    ...flags,
    prompt,
    session: sessionChoice(flags),
    tools: tools === false ? [] : Array.isArray(tools) ? tools : undefined,
  };
}

function sessionChoice({ continue: isContinued, resume, fork, session }: AgentFlags): SessionChoice {
  if (fork !== undefined) return { kind: "fork", id: fork };
  if (typeof resume === "string") return { kind: "resume", id: resume };
  if (resume === true) return { kind: "pick" };
  if (isContinued) return { kind: "continue" };
  return { kind: session ? "new" : "none" };
}

/** What is wrong with the arguments when they are not one prompt. */
function promptProblem(program: Command, { print }: AgentFlags): string | undefined {
  const { args } = program;
  const commands = program.createHelp().visibleCommands(program);
  const isPrompt = print === true || process.argv.includes("--");
  const meant = isPrompt ? undefined : misspeltCommand(args, commands);
  if (meant !== undefined)
    return `unknown command '${args[0]}'; did you mean ${meant}? To send it as a prompt: omp -- '${args[0]}'`;
  return args.length > 1
    ? `the prompt must be one argument, not ${args.length}; put it in quotes: omp "${args.slice(0, 2).join(" ")} …"`
    : undefined;
}

/**
 * A first word that is nearly the name of a command was meant as one, and is not sent to a model: `omp sesions`, `omp kernal list`. A
 * sentence in quotes is a prompt whatever it starts with, and so is anything after `--`.
 */
function misspeltCommand(
  [first = "", second]: readonly string[],
  commands: readonly Command[],
): string | undefined {
  const word = first.toLowerCase();
  const near = commands
    .filter((command) => second === undefined || command.commands.some((action) => action.name() === second))
    .map((command) => ({ name: command.name(), distance: editDistance(word, command.name()) }))
    .filter(({ name, distance }) => distance <= maxDistance(name))
    .sort((a, b) => a.distance - b.distance);
  return near[0]?.name;
}

/** Many words are close to a short name: those are prompts. */
function maxDistance({ length }: string): number {
  return length < 4 ? 0 : length < 6 ? 1 : 2;
}

/** Each of these options chooses a session: two of them contradict each other. */
function sessionConflict({ continue: isContinued, resume, fork, session }: AgentFlags): string | undefined {
  const given = [
    ...(isContinued ? ["--continue"] : []),
    ...(resume === undefined ? [] : ["--resume"]),
    ...(fork === undefined ? [] : ["--fork"]),
    ...(session ? [] : ["--no-session"]),
  ];
  return given.length > 1 ? `${given.join(" and ")} cannot be combined` : undefined;
}

/** Undefined when nothing is piped into omp: a terminal, /dev/null, a closed stdin. */
function pipedStdin(): ReadableStream<Uint8Array> | undefined {
  try {
    const stdin = fstatSync(0);
    return stdin.isFIFO() || stdin.isFile() || stdin.isSocket() ? Bun.stdin.stream() : undefined;
  } catch (error) {
    if (systemCode(error) === "EBADF") return undefined;
    throw error;
  }
}

export function toolNames(text: string): string[] {
  const names = text.split(",").map((name) => name.trim());
  const given = names.filter(Boolean);
  if (given.length === 0) throw new InvalidArgumentError("it names no tools; for none, use --no-tools");
  return given;
}

function collected(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function positive(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new InvalidArgumentError("it must be a whole number, 1 or more");
  return value;
}

function amount(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value) || value <= 0)
    throw new InvalidArgumentError("it must be a number above 0");
  return value;
}
