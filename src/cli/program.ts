/** The command tree: argv in, a mode called, an exit code out. Every mode is loaded only when it is called. */

import { statSync } from "node:fs";
import { resolve } from "node:path";
import { Command, CommanderError, Option } from "commander";
import type { ModeIo, ModePlace } from "../modes/io.ts";
import { errorLine } from "../protocol/index.ts";
import { addAgentCommand } from "./agent-command.ts";
import { StandardOutput } from "./standard-output.ts";

interface Invocation {
  readonly io: ModeIo;
  readonly place: ModePlace;
}

/** What an action does: calls a mode, and its exit code becomes the program's. */
export type Run = (mode: (invocation: Invocation) => Promise<number>) => Promise<void>;

export async function runCli(args: readonly string[], version: string): Promise<number> {
  const output = new StandardOutput();
  let exitCode = 0;
  const program = buildProgram(version, {
    stdout: output.write,
    onExitCode: (code) => {
      exitCode = code;
    },
  });
  try {
    await program.parseAsync(args, { from: "user" });
    const code = await output.finish();
    if (exitCode !== 0 || code === undefined) return exitCode;
    const parts = { operation: "omp", issue: "cannot write to stdout", code };
    process.stderr.write(`${errorLine(parts)}\n`);
    return 1;
  } catch (error) {
    // Commander has printed what there is to say; help and version are no errors.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    throw error;
  }
}

/** The whole tree. Building it runs nothing: completion scripts and the docs are made from it, too. */
export function buildProgram(
  version: string,
  { stdout, onExitCode }: { stdout: ModeIo["stdout"]; onExitCode: (code: number) => void },
): Command {
  const program = new Command("omp");
  const run: Run = async (mode) => {
    const cwd = workingDirectory(program.opts<{ cwd?: string }>().cwd);
    if (cwd === undefined) return onExitCode(2);
    const io = {
      stdout,
      stderr: (text: string) => void process.stderr.write(text),
    };
    onExitCode(await mode({ io, place: { env: process.env, cwd } }));
  };
  program
    .description("A terminal coding agent with a live IPython kernel and a persistent shell.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .option("-C, --cwd <dir>", "work in this directory")
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: (.*)/, "omp: $1 (USAGE)")) })
    .showSuggestionAfterError(true);
  addAgentCommand(program, run);

  program
    .command("tool")
    .description("run one tool with no model and print its output; without a name, list the tools")
    .argument("[name]", "the tool")
    .argument("[json]", "its input as JSON; '-' reads it from stdin")
    .option("--json", "print the result, or the list, as JSON")
    .option("--batch", 'run one {"id","name","input"} per line of stdin, in order, in one session')
    .option("--dry-run", "check the input and say what would run")
    .action((name: string | undefined, json: string | undefined, options: ToolFlags) =>
      run(async ({ io, place }) => {
        const { runTool } = await import("../modes/tool.ts");
        return await runTool({ ...options, name, input: json }, io, place);
      }),
    );

  program
    .command("setup")
    .description("make the Python side ready: a managed environment with ipykernel")
    .option("--force", "build it anew even if it is fine")
    .option("--json", "print the result as JSON")
    .action((options: { force?: boolean; json?: boolean }) =>
      run(async ({ io, place }) => (await import("../modes/setup.ts")).runSetup(options, io, place)),
    );

  program
    .command("doctor")
    .description("what is found, what is missing, how to fix it")
    .option("--json", "print the checks as JSON")
    .action((options: { json?: boolean }) =>
      run(async ({ io, place }) => (await import("../modes/doctor.ts")).runDoctor(options, io, place)),
    );

  addConfigCommands(program, run);

  program
    .command("artifact")
    .description("print the full output that a result named as artifact://<id>")
    .argument("<id>", "the id, with or without artifact://")
    .option("--path", "print the file's path instead")
    .action((id: string, options: { path?: boolean }) =>
      run(async ({ io, place }) =>
        (await import("../modes/artifact.ts")).runArtifact({ id, ...options }, io, place),
      ),
    );

  program
    .command("models")
    .description("the models that can be used here, with context and price")
    .option("--json", "print JSON")
    .action((options: { json?: boolean }) =>
      run(async ({ io, place }) => (await import("../modes/models.ts")).runModels(options, io, place)),
    );

  program
    .command("completion")
    .description("print a completion script: omp completion bash >> ~/.bashrc")
    .argument("<shell>", "bash, zsh or fish")
    .action((shell: string) =>
      run(async ({ io }) => {
        const { describeCommand } = await import("./describe-command.ts");
        const { runCompletion } = await import("../modes/completion.ts");
        return runCompletion(shell, describeCommand(program), io);
      }),
    );
  return program;
}

/** Where to work; says in one line what is wrong with a directory that was named. */
function workingDirectory(named: string | undefined): string | undefined {
  if (named === undefined) return process.cwd();
  const cwd = resolve(named);
  const found = statSync(cwd, { throwIfNoEntry: false });
  if (found?.isDirectory()) return cwd;
  const [problem, code] = found ? ["is not a directory", "ENOTDIR"] : ["does not exist", "ENOENT"];
  process.stderr.write(
    `${errorLine({ operation: "omp", issue: `Working directory ${problem} '${cwd}'`, code })}\n`,
  );
  return undefined;
}

interface ToolFlags {
  readonly json?: boolean;
  readonly batch?: boolean;
  readonly dryRun?: boolean;
}

function addConfigCommands(program: Command, run: Run): void {
  const config = program.command("config").description("read and change settings");
  const act = (action: Parameters<typeof import("../modes/config.ts").runConfig>[0]) =>
    run(async ({ io, place }) => (await import("../modes/config.ts")).runConfig(action, io, place));
  const json = () => new Option("--json", "print JSON");
  config
    .command("list")
    .description("every setting, its value and where it comes from")
    .addOption(json())
    .action((options: { json?: boolean }) => act({ name: "list", ...options }));
  config
    .command("get")
    .description("one setting's value")
    .argument("<key>", "such as python.toolMode")
    .addOption(json())
    .action((key: string, options: { json?: boolean }) => act({ name: "get", key, ...options }));
  config
    .command("set")
    .description("change a setting; null takes it out of the file")
    .argument("<key>", "such as python.toolMode")
    .argument("<value>", "JSON, or plain text where the setting is one")
    .option("--project", "in the project's file instead of the user's")
    .action((key: string, value: string, options: { project?: boolean }) =>
      act({ name: "set", key, value, ...options }),
    );
  config
    .command("path")
    .description("where the settings files are")
    .addOption(json())
    .action((options: { json?: boolean }) => act({ name: "path", ...options }));
}
