/** `omp kernel …`. */

import type { Command } from "commander";
import type { Run } from "./run.ts";

export function addKernelCommands(program: Command, run: Run): void {
  const kernel = program
    .command("kernel")
    .description("kernels of every omp and every gateway: list them, connect to one, stop one");
  const act = (action: Parameters<typeof import("../commands/kernel.ts").runKernel>[0]) =>
    run(async ({ io, place }) => (await import("../commands/kernel.ts")).runKernel(action, io, place));
  const reference = "its id, or the beginning of it";
  kernel
    .command("list")
    .description("the kernels on this machine, in the shared gateway and in every gateway of the settings")
    .option("--json", "print JSON")
    .action((options: { json?: boolean }) => act({ name: "list", ...options }));
  kernel
    .command("connect-info")
    .description("the connection file of a kernel on this machine: jupyter console --existing <path>")
    .argument("<id>", reference)
    .option("--json", "print what the file holds")
    .action((id: string, options: { json?: boolean }) => act({ name: "connect-info", id, ...options }));
  kernel
    .command("stop")
    .description("end a kernel; what it holds is lost, and its omp starts a new one")
    .argument("<id>", reference)
    .action((id: string) => act({ name: "stop", id }));
}
