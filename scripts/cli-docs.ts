/** Writes docs/cli.md: the help of every command, as the program prints it. `bun scripts/cli-docs.ts`; a test fails when it has to be run. */

import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { buildProgram } from "../src/cli/program.ts";

export const cliPage = resolve(import.meta.dir, "../docs/cli.md");

export function cliText(): string {
  const program = buildProgram("", { stdout: () => undefined, onExitCode: () => undefined });
  const intro = "# Commands\n\nMade by `scripts/cli-docs.ts` from the program's own help.\n";
  return [intro, ...sections(program, "omp")].join("\n");
}

function sections(command: Command, name: string): string[] {
  command.configureHelp({ helpWidth: 100 });
  const help = command.helpInformation().trimEnd();
  return [
    `## ${name}\n\n\`\`\`text\n${help}\n\`\`\`\n`,
    ...command.commands.flatMap((child) => sections(child, `${name} ${child.name()}`)),
  ];
}

if (import.meta.main) writeFileSync(cliPage, cliText());
