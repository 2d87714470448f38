/** `omp sessions …`. */

import { type Command, Option } from "commander";
import type { Run } from "./run.ts";

export function addSessionsCommands(program: Command, run: Run): void {
  const sessions = program.command("sessions").description("list, read, export and remove kept sessions");
  const act = (action: Parameters<typeof import("../commands/sessions.ts").runSessions>[0]) =>
    run(async ({ io, place }) => (await import("../commands/sessions.ts")).runSessions(action, io, place));
  const json = () => new Option("--json", "print JSON");
  const reference = "its id, or the beginning of it";
  sessions
    .command("list")
    .description("the sessions, the one worked on last first")
    .addOption(json())
    .action((options: { json?: boolean }) => act({ name: "list", ...options }));
  sessions
    .command("show")
    .description("a session's conversation, with long output cut")
    .argument("<id>", reference)
    .addOption(json())
    .action((id: string, options: { json?: boolean }) => act({ name: "show", id, ...options }));
  sessions
    .command("export")
    .description("a session as a document")
    .argument("<id>", reference)
    .addOption(
      new Option("--format <format>", "of the document; by the file's name when not given").choices([
        "markdown",
        "html",
      ]),
    )
    .option("-o, --output <file>", "write it there instead of to stdout")
    .action((id: string, options: { format?: "markdown" | "html"; output?: string }) =>
      act({ name: "export", id, ...options }),
    );
  sessions
    .command("rm")
    .description("remove sessions")
    .argument("<id...>", reference)
    .action((ids: string[]) => act({ name: "rm", ids }));
}
