/** Every subcommand's arguments and options. Each one is loaded only when it is called. */

import { type Command, InvalidArgumentError, Option } from "commander";
import type { CommandIo } from "../app/io.ts";
import type { CommandDescription } from "../commands/completion.ts";
import type { SessionsRewindOptions } from "../commands/sessions-rewind.ts";
import type { ToolOptions } from "../commands/tool.ts";
import type { Invocation } from "../protocol/invocation.ts";
import { approvalOption, kernelOption, type Run, sandboxOption } from "./agent-command.ts";
import { addMcpCommands } from "./mcp-command.ts";
import { addForeignCommands, addPlannedCommands } from "./refused-commands.ts";

interface JsonFlag {
  readonly json?: boolean;
}

const ID = "its id, or the beginning of it";

const json = () => new Option("--json", "print JSON");

/** What an action calls: a command's function, which is imported then. */
function load<Options>(
  run: Run,
  command: () => Promise<(options: Options, io: CommandIo, invocation: Invocation) => Promise<number>>,
): (options: Options) => Promise<void> {
  return (options) => run(async ({ io, invocation }) => (await command())(options, io, invocation));
}

export function addSubcommands(program: Command, run: Run): void {
  addToolCommand(program, run);
  addCheckCommands(program, run);
  addConfigCommands(program, run);
  addSessionsCommands(program, run);
  addKernelCommands(program, run);
  addGatewayCommands(program, run);
  addListCommands(program, run);
  addTrustCommand(program, run);
  addMcpCommands(program, run);
  addPlannedCommands(program, "acp", "run");
  addForeignCommands(program);
}

function addTrustCommand(program: Command, run: Run): void {
  program
    .command("trust")
    .description("let omp use what belongs to a project: its interpreter, settings and modules")
    .argument("[dir]", "the project; the working directory by default")
    .option("--revoke", "no longer trust it")
    .addOption(json())
    .action((directory: string | undefined, options: JsonFlag & { readonly revoke?: boolean }) =>
      run(async ({ io, invocation }) =>
        (await import("../commands/trust.ts")).runTrust({ directory, ...options }, io, invocation),
      ),
    );
}

function addToolCommand(program: Command, run: Run): void {
  program
    .command("tool")
    .description("run one tool without a model and print its output; without a name, list the tools")
    .argument("[name]", "the tool")
    .argument("[json]", "its input as JSON; '-' reads it from stdin")
    .option("--json", "print the result, or the list, as JSON")
    .option("--batch", 'run one {"id","name","input"} per line of stdin, in order, in one session')
    .option("--dry-run", "run nothing; say what would run, or why it is refused")
    .addOption(approvalOption())
    .addOption(sandboxOption())
    .addOption(kernelOption())
    .action((name: string | undefined, input: string | undefined, options: ToolOptions) =>
      run(async ({ io, invocation }) =>
        (await import("../commands/tool.ts")).runTool({ ...options, name, input }, io, invocation),
      ),
    );
}

function addCheckCommands(program: Command, run: Run): void {
  program
    .command("setup")
    .description("prepare Python: a managed environment with ipykernel")
    .option("--force", "rebuild it even if it works")
    .option("--json", "print the result as JSON")
    .action(load(run, async () => (await import("../commands/setup.ts")).runSetup));
  program
    .command("doctor")
    .description("what was found, what is missing, how to fix it")
    .option("--json", "print the checks as JSON")
    .option("--env", "show which environment variables programs get, and why")
    .action(load(run, async () => (await import("../doctor/doctor.ts")).runDoctor));
}

function addConfigCommands(program: Command, run: Run): void {
  const config = program.command("config").description("read and change settings");
  const act = load(run, async () => (await import("../commands/config.ts")).runConfig);
  config
    .command("list")
    .description("every setting, its value and where it comes from")
    .addOption(json())
    .action((options: JsonFlag) => act({ name: "list", ...options }));
  config
    .command("get")
    .description("one setting's value")
    .argument("<key>", "such as python.toolMode")
    .addOption(json())
    .action((key: string, options: JsonFlag) => act({ name: "get", key, ...options }));
  config
    .command("set")
    .description("change a setting; null removes it from the file")
    .argument("<key>", "such as python.toolMode")
    .argument("<value>", "JSON, or plain text if the setting is text")
    .option("--project", "change the project's file instead of yours")
    .action((key: string, value: string, options: { project?: boolean }) =>
      act({ name: "set", key, value, ...options }),
    );
  config
    .command("path")
    .description("where the settings files are")
    .addOption(json())
    .action((options: JsonFlag) => act({ name: "path", ...options }));
}

function addSessionsCommands(program: Command, run: Run): void {
  const sessions = program
    .command("sessions")
    .description("list, read, export, rewind and remove saved sessions");
  const act = load(run, async () => (await import("../commands/sessions.ts")).runSessions);
  sessions
    .command("list")
    .description("the sessions, the most recently used first")
    .addOption(json())
    .action((options: JsonFlag) => act({ name: "list", ...options }));
  sessions
    .command("show")
    .description("a session's conversation, with long output cut")
    .argument("<id>", ID)
    .addOption(json())
    .action((id: string, options: JsonFlag) => act({ name: "show", id, ...options }));
  sessions
    .command("export")
    .description("a session as a document")
    .argument("<id>", ID)
    .addOption(
      new Option(
        "--format <format>",
        "format of the document; taken from the file name if not given",
      ).choices(["markdown", "html"]),
    )
    .option("-o, --output <file>", "write to this file instead of to stdout")
    .action((id: string, options: { format?: "markdown" | "html"; output?: string }) =>
      act({ name: "export", id, ...options }),
    );
  sessions
    .command("rm")
    .description("remove sessions and their artifacts")
    .argument("<id...>", ID)
    .action((ids: string[]) => act({ name: "rm", ids }));
  sessions
    .command("rewind")
    .description("take a session's files and conversation back to before one of its prompts")
    .argument("<id>", ID)
    .option("--to <n>", "the prompt, by its number in: omp sessions show <id>", wholeNumber)
    .option("--files", "only the project's files")
    .option("--conversation", "only the conversation")
    .option("--undo", "take back the last rewind")
    .option("--dry-run", "change nothing; say what would change")
    .addOption(json())
    .action((id: string, options: Omit<SessionsRewindOptions, "id">) =>
      run(async ({ io, invocation }) =>
        (await import("../commands/sessions-rewind.ts")).runSessionsRewind(
          { id, ...options },
          io,
          invocation,
        ),
      ),
    );
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("it must be a whole number from 1");
  return Number(text);
}

function addKernelCommands(program: Command, run: Run): void {
  const kernel = program
    .command("kernel")
    .description("the kernels of every omp and every gateway: list, connect to or stop them");
  const act = load(run, async () => (await import("../commands/kernel.ts")).runKernel);
  kernel
    .command("list")
    .description("the kernels on this machine, in the shared gateway and in every gateway of the settings")
    .addOption(json())
    .action((options: JsonFlag) => act({ name: "list", ...options }));
  kernel
    .command("connect-info")
    .description("the connection file of a kernel on this machine: jupyter console --existing <path>")
    .argument("<id>", ID)
    .option("--json", "print the content of the file")
    .action((id: string, options: JsonFlag) => act({ name: "connect-info", id, ...options }));
  kernel
    .command("stop")
    .description("stop a kernel; its state is lost, and its omp starts a new one")
    .argument("<id>", ID)
    .action((id: string) => act({ name: "stop", id }));
}

function addGatewayCommands(program: Command, run: Run): void {
  const gateway = program
    .command("gateway")
    .description("the kernel gateway that every omp shares (setting python.sharedGateway)");
  const act = load(run, async () => (await import("../commands/gateway.ts")).runGateway);
  gateway
    .command("status")
    .description("whether it is running, where, with which Python, its users and its kernels")
    .addOption(json())
    .action((options: JsonFlag) => act({ name: "status", ...options }));
  gateway
    .command("stop")
    .description("stop it and its kernels; refused while an omp uses it")
    .option("--force", "stop it even while an omp uses it: the state of its kernels is lost")
    .addOption(json())
    .action((options: JsonFlag & { force?: boolean }) => act({ name: "stop", ...options }));
}

function addListCommands(program: Command, run: Run): void {
  const printArtifact = load(run, async () => (await import("../commands/artifact.ts")).runArtifact);
  program
    .command("artifact")
    .description("print the full output that a result named as artifact://<id>")
    .argument("<id>", "the id, with or without artifact://")
    .option("--path", "print the file's path instead")
    .action((id: string, options: { path?: boolean }) => printArtifact({ id, ...options }));
  program
    .command("models")
    .description("the models that can be used here, with context size and price")
    .addOption(json())
    .action(load(run, async () => (await import("../commands/models.ts")).runModels));
  program
    .command("completion")
    .description("print a completion script: omp completion bash >> ~/.bashrc")
    .argument("<shell>", "bash, zsh or fish")
    .action((shell: string) =>
      run(async ({ io }) => {
        const { runCompletion } = await import("../commands/completion.ts");
        return runCompletion(shell, describeCommand(program), io);
      }),
    );
}

/** The command tree as plain data, so that completion scripts need no commander. */
function describeCommand(command: Command): CommandDescription {
  const help = command.createHelp();
  return {
    name: command.name(),
    description: command.description(),
    options: help.visibleOptions(command).map(({ long, short, description, required }) => ({
      flags: [short, long].filter((flag) => flag !== undefined && flag !== null),
      description,
      takesValue: required,
    })),
    commands: help
      .visibleCommands(command)
      .filter((child) => child.name() !== "help")
      .map(describeCommand),
  };
}
