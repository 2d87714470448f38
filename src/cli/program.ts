/** The command tree: argv in, a command called, an exit code out. */

import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { Command, CommanderError, Option } from "commander";
import { type CommandIo, safeWriter } from "../app/io.ts";
import { ownHome } from "../app/own-home.ts";
import { dropRelativePath } from "../app/search-path.ts";
import { errorLine, systemCode } from "../protocol/index.ts";
import { addAgentCommand, type Run } from "./agent-command.ts";
import { passRootOptions } from "./root-options.ts";
import { StandardOutput } from "./standard-output.ts";
import { addSubcommands } from "./subcommands.ts";

export async function runCli(args: readonly string[], version: string): Promise<number> {
  const output = new StandardOutput();
  let exitCode = 0;
  const parts: ProgramParts = {
    stdout: output.write,
    room: output.room,
    delivered: output.delivered,
    onExitCode: (code) => {
      exitCode = code;
    },
  };
  // A terminal that is gone, a full disk: stderr cannot be reported, and does not change how the run ended.
  process.stderr.on("error", () => undefined);
  const tree = buildProgram(version, parts);
  const program = isPromptOnly(args, tree) ? buildProgram(version, { ...parts, promptOnly: true }) : tree;
  const [first, topic] = args;
  // Commander would print all of its help, as an error.
  if (first === "help" && topic !== undefined && !helpTopics(tree).has(topic) && !topic.startsWith("-")) {
    stderr(`${usageLine(`unknown command '${topic}'`)}\n`);
    return 2;
  }
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Commander has printed the message; help and version are no errors.
    exitCode = error.exitCode === 0 ? 0 : 2;
  }
  const code = await output.finish();
  if (code === undefined) return exitCode;
  stderr(`${errorLine({ operation: "omp", issue: "cannot write to stdout", code })}\n`);
  return exitCode || 1;
}

/** Only text and colours reach a terminal: arguments may be names that others have chosen. */
const stderr = safeWriter(process.stderr, (text) => void process.stderr.write(text));

/** What follows `--` is a prompt, even a command's name, which Commander would run. */
function isPromptOnly(args: readonly string[], tree: Command): boolean {
  const end = args.indexOf("--");
  const names = commandNames(tree);
  return end !== -1 && !args.slice(0, end).some((arg) => names.has(arg));
}

function commandNames({ commands }: Command): ReadonlySet<string> {
  return new Set(["help", ...commands.map((command) => command.name())]);
}

/** Without the planned ones, which have no help. */
function helpTopics(tree: Command): ReadonlySet<string> {
  const shown = tree.createHelp().visibleCommands(tree);
  return new Set(shown.map((command) => command.name()));
}

interface ProgramParts extends Omit<CommandIo, "stderr"> {
  readonly onExitCode: (code: number) => void;
  /** Without the commands. */
  readonly promptOnly?: boolean;
}

/** The whole tree. Building it runs nothing: completion scripts and docs are made from it as well. */
export function buildProgram(
  version: string,
  { onExitCode, promptOnly = false, ...output }: ProgramParts,
): Command {
  const program = new Command("omp");
  const run: Run = async (command) => {
    const { cwd: named, trust: isTrusted } = program.opts<{ cwd?: string; trust?: boolean }>();
    const cwd = workingDirectory(named);
    if (cwd === undefined) return onExitCode(2);
    const io = { ...output, stderr };
    dropRelativePath(process.env);
    leaveOthersHome(process.env, stderr);
    onExitCode(await command({ io, invocation: { env: process.env, cwd, isTrusted } }));
  };
  program
    .description("A terminal coding agent with a live IPython kernel and a persistent shell.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    // Commander adds it by itself only when the root has no action: ours would send the word to a model.
    .helpCommand("help [command]", "show help for a command")
    .addOption(directoryOption())
    .addOption(trustOption())
    // Otherwise the root would take options of the same name from its commands: `omp tool … --dry-run` would run.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: output.stdout,
      writeErr: stderr,
      outputError: (text, write) => write(`${usageLine(text)}\n`),
    })
    .showSuggestionAfterError(true)
    .hook("preAction", passRootOptions);
  addAgentCommand(program, run);
  if (promptOnly) return program.helpCommand(false).allowExcessArguments();

  addSubcommands(program, run);
  for (const command of commandsUnder(program)) {
    command.addOption(directoryOption().hideHelp()).addOption(trustOption().hideHelp());
    command.on("option:cwd", (directory: string) => program.setOptionValue("cwd", directory));
    command.on("option:trust", () => program.setOptionValue("trust", true));
  }
  // Set after the commands, which would inherit it. The root itself reports several words.
  return program.allowExcessArguments();
}

/** For omp and everything that it starts. */
function leaveOthersHome(env: NodeJS.ProcessEnv, say: (text: string) => void): void {
  const home = ownHome(env);
  if (home === undefined) return;
  say(`omp: you are root, but ${env["HOME"]} is not root's home directory; using ${home}\n`);
  env["HOME"] = home;
}

/** Allowed anywhere on the command line. */
function directoryOption(): Option {
  return new Option("-C, --cwd <dir>", "work in this directory");
}

/** Likewise. */
function trustOption(): Option {
  return new Option("--trust", "trust this project for this run: use its interpreter, settings and modules");
}

function commandsUnder(command: Command): Command[] {
  return command.commands.flatMap((child) => [child, ...commandsUnder(child)]);
}

/** What follows it in Commander's messages is a sentence of its own. */
const SECOND_SENTENCE = /( is invalid|^too many arguments.*?)\. (.)/;

/** Commander's message, `error: …` and perhaps a second sentence or `(Did you mean …?)` on a second line, as our one line. */
function usageLine(text: string): string {
  const issue = text
    .replace(/^error: /, "")
    .replace(/\n\(Did you mean (.*)\?\)/, "; did you mean $1?")
    .replace(SECOND_SENTENCE, (_, first: string, letter: string) => `${first}: ${letter.toLowerCase()}`)
    .replace(/\.\s*$/, "");
  return errorLine({ operation: "omp", issue, code: "USAGE" });
}

/** Undefined when the directory cannot be used; the reason has been printed. */
function workingDirectory(named: string | undefined): string | undefined {
  try {
    if (named === undefined) return process.cwd();
    const cwd = resolve(named);
    const found = statSync(cwd, { throwIfNoEntry: false });
    // Without links: the sessions of a directory are found by its real name.
    if (found?.isDirectory()) return realpathSync(cwd);
    if (found) printDirectoryError(`is not a directory '${cwd}'`, "ENOTDIR");
    else printDirectoryError(`does not exist '${cwd}'`, "ENOENT");
  } catch (error) {
    // The system cannot name the current directory: it has been removed.
    if (systemCode(error) !== "ENOENT") throw error;
    printDirectoryError("no longer exists", "ENOENT");
  }
  return undefined;
}

function printDirectoryError(problem: string, code: string): void {
  stderr(`${errorLine({ operation: "omp", issue: `Working directory ${problem}`, code })}\n`);
}
