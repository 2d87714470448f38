/** The command tree: argv in, a mode called, an exit code out. Every mode is loaded only when it is called. */

import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { Command, CommanderError, Option } from "commander";
import type { CommandIo } from "../app/io.ts";
import { errorLine, systemCode } from "../protocol/index.ts";
import { addAgentCommand, kernelOption } from "./agent-command.ts";
import { addConfigCommands } from "./config-command.ts";
import { addGatewayCommands } from "./gateway-command.ts";
import { addKernelCommands } from "./kernel-command.ts";
import type { Run } from "./run.ts";
import { addSessionsCommands } from "./sessions-command.ts";
import { StandardOutput } from "./standard-output.ts";

export async function runCli(args: readonly string[], version: string): Promise<number> {
  const output = new StandardOutput();
  let exitCode = 0;
  const parts: ProgramParts = {
    stdout: output.write,
    room: output.room,
    onExitCode: (code) => {
      exitCode = code;
    },
  };
  // A terminal that is gone, a full disk: there is nobody to tell, and what is told does not change how the run ended.
  process.stderr.on("error", () => undefined);
  const tree = buildProgram(version, parts);
  const program = isPromptOnly(args, tree) ? buildProgram(version, { ...parts, promptOnly: true }) : tree;
  const [first, topic] = args;
  // Commander would print all of its help, as an error.
  if (first === "help" && topic !== undefined && !commandNames(tree).has(topic) && !topic.startsWith("-")) {
    process.stderr.write(`${usageLine(`unknown command '${topic}'`)}\n`);
    return 2;
  }
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Commander has printed what there is to say; help and version are no errors.
    exitCode = error.exitCode === 0 ? 0 : 2;
  }
  const code = await output.finish();
  if (code === undefined) return exitCode;
  process.stderr.write(`${errorLine({ operation: "omp", issue: "cannot write to stdout", code })}\n`);
  return exitCode || 1;
}

/** Behind `--` is a prompt, also where it is a command's name: Commander would run the command. */
function isPromptOnly(args: readonly string[], tree: Command): boolean {
  const end = args.indexOf("--");
  const names = commandNames(tree);
  return end !== -1 && !args.slice(0, end).some((arg) => names.has(arg));
}

function commandNames({ commands }: Command): ReadonlySet<string> {
  return new Set(["help", ...commands.map((command) => command.name())]);
}

interface ProgramParts {
  readonly stdout: CommandIo["stdout"];
  readonly room?: CommandIo["room"];
  readonly onExitCode: (code: number) => void;
  /** Without the commands. */
  readonly promptOnly?: boolean;
}

/** The whole tree. Building it runs nothing: completion scripts and the docs are made from it, too. */
export function buildProgram(
  version: string,
  { stdout, room, onExitCode, promptOnly = false }: ProgramParts,
): Command {
  const program = new Command("omp");
  const run: Run = async (mode) => {
    const cwd = workingDirectory(program.opts<{ cwd?: string }>().cwd);
    if (cwd === undefined) return onExitCode(2);
    const io = {
      stdout,
      room,
      stderr: (text: string) => void process.stderr.write(text),
    };
    onExitCode(await mode({ io, place: { env: process.env, cwd } }));
  };
  program
    .description("A terminal coding agent with a live IPython kernel and a persistent shell.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    // Commander has it by itself only where a root does nothing: ours would send the word to a model.
    .helpCommand("help [command]", "show help for a command")
    .addOption(directoryOption())
    // Else the root would take what its commands have of the same name: `omp tool … --dry-run` would run.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut: stdout, outputError: (text, write) => write(`${usageLine(text)}\n`) })
    .showSuggestionAfterError(true);
  addAgentCommand(program, run);
  if (promptOnly) return program.helpCommand(false).allowExcessArguments();

  program
    .command("tool")
    .description("run one tool with no model and print its output; without a name, list the tools")
    .argument("[name]", "the tool")
    .argument("[json]", "its input as JSON; '-' reads it from stdin")
    .option("--json", "print the result, or the list, as JSON")
    .option("--batch", 'run one {"id","name","input"} per line of stdin, in order, in one session')
    .option("--dry-run", "check the input and say what would run")
    .addOption(kernelOption())
    .action((name: string | undefined, json: string | undefined, options: ToolFlags) =>
      run(async ({ io, place }) => {
        const { runTool } = await import("../commands/tool.ts");
        // Before the command's name it is the root's.
        const { kernel = options.kernel } = program.opts<ToolFlags>();
        return await runTool({ ...options, kernel, name, input: json }, io, place);
      }),
    );

  program
    .command("setup")
    .description("make the Python side ready: a managed environment with ipykernel")
    .option("--force", "build it anew even if it is fine")
    .option("--json", "print the result as JSON")
    .action((options: { force?: boolean; json?: boolean }) =>
      run(async ({ io, place }) => (await import("../commands/setup.ts")).runSetup(options, io, place)),
    );

  program
    .command("doctor")
    .description("what is found, what is missing, how to fix it")
    .option("--json", "print the checks as JSON")
    .action((options: { json?: boolean }) =>
      run(async ({ io, place }) => (await import("../doctor/doctor.ts")).runDoctor(options, io, place)),
    );

  addConfigCommands(program, run);
  addSessionsCommands(program, run);
  addKernelCommands(program, run);
  addGatewayCommands(program, run);

  program
    .command("artifact")
    .description("print the full output that a result named as artifact://<id>")
    .argument("<id>", "the id, with or without artifact://")
    .option("--path", "print the file's path instead")
    .action((id: string, options: { path?: boolean }) =>
      run(async ({ io, place }) =>
        (await import("../commands/artifact.ts")).runArtifact({ id, ...options }, io, place),
      ),
    );

  program
    .command("models")
    .description("the models that can be used here, with context and price")
    .option("--json", "print JSON")
    .action((options: { json?: boolean }) =>
      run(async ({ io, place }) => (await import("../commands/models.ts")).runModelsHere(options, io, place)),
    );

  program
    .command("completion")
    .description("print a completion script: omp completion bash >> ~/.bashrc")
    .argument("<shell>", "bash, zsh or fish")
    .action((shell: string) =>
      run(async ({ io }) => {
        const { describeCommand } = await import("./describe-command.ts");
        const { runCompletion } = await import("../commands/completion.ts");
        return runCompletion(shell, describeCommand(program), io);
      }),
    );
  for (const command of commandsUnder(program)) {
    command.addOption(directoryOption().hideHelp());
    command.on("option:cwd", (directory: string) => program.setOptionValue("cwd", directory));
  }
  // Of the root only, and so after its commands, which would inherit it: it says itself what is wrong with several words.
  return program.allowExcessArguments();
}

/** May stand anywhere. */
function directoryOption(): Option {
  return new Option("-C, --cwd <dir>", "work in this directory");
}

function commandsUnder(command: Command): Command[] {
  return command.commands.flatMap((child) => [child, ...commandsUnder(child)]);
}

/** What Commander has to say, `error: …` and perhaps `(Did you mean …?)` in a second line, in our one. */
function usageLine(text: string): string {
  const issue = text.replace(/^error: /, "").replace(/\n\(Did you mean (.*)\?\)/, "; did you mean $1?");
  return errorLine({ operation: "omp", issue, code: "USAGE" });
}

/** Where to work; says in one line what is wrong with the directory. */
function workingDirectory(named: string | undefined): string | undefined {
  try {
    if (named === undefined) return process.cwd();
    const cwd = resolve(named);
    const found = statSync(cwd, { throwIfNoEntry: false });
    // As the system names it to whoever goes there: the sessions of a directory are found by its name.
    if (found?.isDirectory()) return realpathSync(cwd);
    if (found) sayDirectory(`is not a directory '${cwd}'`, "ENOTDIR");
    else sayDirectory(`does not exist '${cwd}'`, "ENOENT");
  } catch (error) {
    // The system cannot name where we are: somebody has removed it.
    if (systemCode(error) !== "ENOENT") throw error;
    sayDirectory("does not exist any more", "ENOENT");
  }
  return undefined;
}

function sayDirectory(problem: string, code: string): void {
  process.stderr.write(`${errorLine({ operation: "omp", issue: `Working directory ${problem}`, code })}\n`);
}

interface ToolFlags {
  readonly json?: boolean;
  readonly batch?: boolean;
  readonly dryRun?: boolean;
  readonly kernel?: string;
}
