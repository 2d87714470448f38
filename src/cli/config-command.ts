/** `omp config …`. */

import { type Command, Option } from "commander";
import type { Run } from "./run.ts";

export function addConfigCommands(program: Command, run: Run): void {
  const config = program.command("config").description("read and change settings");
  const act = (action: Parameters<typeof import("../commands/config.ts").runConfig>[0]) =>
    run(async ({ io, place }) => (await import("../commands/config.ts")).runConfig(action, io, place));
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
