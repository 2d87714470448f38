/** The root command's own arguments: `omp [prompt]` and `omp -p [prompt]`. */

import { fstatSync } from "node:fs";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { SessionChoice } from "../app/agent-session.ts";
import type { HeadlessOptions, OutputFormat } from "../headless/headless.ts";
import { errorLine, systemCode } from "../protocol/index.ts";
import { misspeltCommand } from "./misspelt-command.ts";
import type { Run } from "./run.ts";

interface AgentFlags {
  readonly print?: boolean;
  readonly model?: string;
  readonly continue?: boolean;
  /** True without an id: a picker. */
  readonly resume?: string | true;
  readonly fork?: string;
  readonly session: boolean;
  readonly outputFormat: OutputFormat;
  readonly outputLastMessage?: string;
  /** False for --no-tools. */
  readonly tools?: readonly string[] | boolean;
  readonly approval?: "auto" | "ask" | "read-only";
  readonly dryRun?: boolean;
  readonly maxTurns: number;
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  readonly kernel?: string;
  readonly screenReader?: boolean;
}

const DEFAULT_MAX_TURNS = 200;

export function addAgentCommand(program: Command, run: Run): void {
  program
    .argument("[prompt]", "what to do")
    .option(
      "-p, --print",
      "headless: run to the end and print the answer; piped stdin is added to the prompt",
    )
    .option("-m, --model <provider/id>", "the model; see: omp models")
    .option("-c, --continue", "go on with the newest session of this directory")
    .option("-r, --resume [id]", "go on with a session: its id or the beginning of it, or pick one")
    .option("--fork <id>", "go on with a copy of a session")
    .option("--no-session", "keep no log of this session")
    .addOption(
      new Option("--output-format <format>", "what -p prints")
        .choices(["text", "json", "stream-json"])
        .default("text"),
    )
    .option("-o, --output-last-message <file>", "write the answer to a file, too")
    .option("--tools <names>", "exactly these tools, separated by commas", toolNames)
    .option("--no-tools", "no tools at all")
    .addOption(new Option("--approval <mode>", "what may run").choices(["auto", "ask", "read-only"]))
    .option("--dry-run", "run nothing; every call answers what it would do")
    .option("--max-turns <n>", "model requests that a run may make", positive, DEFAULT_MAX_TURNS)
    .option("--system-prompt <text|@file>", "replaces omp's own")
    .option("--append-system-prompt <text|@file>", "added to it")
    .addOption(kernelOption())
    .option("--screen-reader", "at a terminal: lines that are only added to, states in words")
    .action((prompt: string | undefined, flags: AgentFlags) =>
      run(async ({ io, place }) => {
        const issue = notAPrompt(program, flags) ?? sessionConflict(flags);
        if (issue !== undefined) {
          io.stderr(`${errorLine({ operation: "omp", issue, code: "USAGE" })}\n`);
          return 2;
        }
        const { runAgent } = await import("./agent-mode.ts");
        return await runAgent(
          { ...agentOptions(prompt, flags), headless: flags.print ?? false },
          { ...io, stdin: pipedStdin(), isTerminal: isTerminal() },
          place,
        );
      }),
    );
}

/** Of every mode that has the python tool. */
export function kernelOption(): Option {
  return new Option(
    "--kernel <connection-file>",
    "work in a kernel that is already running: its file, or the name of one of Jupyter's",
  );
}

function agentOptions(prompt: string | undefined, flags: AgentFlags): HeadlessOptions {
  return {
    prompt,
    model: flags.model,
    session: sessionChoice(flags),
    tools: flags.tools === false ? [] : Array.isArray(flags.tools) ? flags.tools : undefined,
    approval: flags.approval,
    dryRun: flags.dryRun ?? false,
    maxTurns: flags.maxTurns,
    systemPrompt: flags.systemPrompt,
    appendSystemPrompt: flags.appendSystemPrompt,
    kernel: flags.kernel,
    outputFormat: flags.outputFormat,
    lastMessageFile: flags.outputLastMessage,
    screenReader: flags.screenReader ?? false,
  };
}

function sessionChoice({ continue: goOn, resume, fork, session }: AgentFlags): SessionChoice {
  if (fork !== undefined) return { kind: "fork", id: fork };
  if (typeof resume === "string") return { kind: "resume", id: resume };
  if (resume === true) return { kind: "pick" };
  if (goOn) return { kind: "continue" };
  return { kind: session ? "new" : "none" };
}

/** What is wrong with the words behind the options, when they are not one prompt. */
function notAPrompt({ args, commands }: Command, { print }: AgentFlags): string | undefined {
  const isPrompt = print === true || process.argv.includes("--");
  const meant = isPrompt
    ? undefined
    : misspeltCommand(
        args,
        commands.map((command) => ({
          name: command.name(),
          actions: command.commands.map((action) => action.name()),
        })),
      );
  if (meant !== undefined)
    return `'${args[0]}' is no command; did you mean ${meant}? As a prompt: omp -- '${args[0]}'`;
  return args.length > 1
    ? `a prompt is one argument, and here are ${args.length}; put it in quotes: omp "${args.slice(0, 2).join(" ")} …"`
    : undefined;
}

/** Each of them says which session it is: two of them would contradict each other. */
function sessionConflict({ continue: goOn, resume, fork, session }: AgentFlags): string | undefined {
  const given = [
    ...(goOn ? ["--continue"] : []),
    ...(resume === undefined ? [] : ["--resume"]),
    ...(fork === undefined ? [] : ["--fork"]),
    ...(session ? [] : ["--no-session"]),
  ];
  return given.length > 1 ? `${given.join(" and ")} do not go together` : undefined;
}

function isTerminal(): boolean {
  return (process.stdin.isTTY ?? false) && (process.stdout.isTTY ?? false);
}

/** What somebody pipes into omp, to its end. A terminal, /dev/null or a closed stdin has nothing to say. */
function pipedStdin(): ReadableStream<Uint8Array> | undefined {
  try {
    const stdin = fstatSync(0);
    return stdin.isFIFO() || stdin.isFile() || stdin.isSocket() ? Bun.stdin.stream() : undefined;
  } catch (error) {
    if (systemCode(error) === "EBADF") return undefined;
    throw error;
  }
}

function toolNames(text: string): string[] {
  const names = text.split(",").map((name) => name.trim());
  const given = names.filter(Boolean);
  if (given.length === 0) throw new InvalidArgumentError("names no tool; --no-tools gives none.");
  return given;
}

function positive(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new InvalidArgumentError("must be a whole number from 1 on.");
  return value;
}
