/** `omp gateway …`. */

import type { Command } from "commander";
import type { Run } from "./run.ts";

export function addGatewayCommands(program: Command, run: Run): void {
  const gateway = program
    .command("gateway")
    .description("the kernel gateway that all omp share (setting python.sharedGateway)");
  const act = (action: Parameters<typeof import("../commands/gateway.ts").runGateway>[0]) =>
    run(async ({ io, place }) => (await import("../commands/gateway.ts")).runGateway(action, io, place));
  gateway
    .command("status")
    .description("whether it runs, where, in which Python, who uses it, and its kernels")
    .option("--json", "print JSON")
    .action((options: { json?: boolean }) => act({ name: "status", ...options }));
  gateway
    .command("stop")
    .description("end it, with its kernels; refused while an omp uses it")
    .option("--force", "also when an omp uses it: what its kernels hold is lost")
    .option("--json", "print JSON")
    .action((options: { force?: boolean; json?: boolean }) => act({ name: "stop", ...options }));
}
