/** `omp mcp login`: the user logs in to a server with a browser, on this machine or on another one. */

import { withErrorLine } from "../app/exit-codes.ts";
import { interruptible } from "../app/interruption.ts";
import type { CommandIo } from "../app/io.ts";
import { lines } from "../app/lines.ts";
import { openWorkspace } from "../app/workspace.ts";
import { mcpLogins } from "../config/mcp-logins.ts";
import { mcpServers } from "../config/mcp-servers.ts";
import { OmpError } from "../protocol/index.ts";
import type { Invocation } from "../protocol/invocation.ts";

export interface McpLoginOptions {
  readonly name: string;
}

/** The exit code: 0, 1 when the login failed, 2 when there is no such server, 130 and 143 for the two signals. */
export async function runMcpLogin(
  { name }: McpLoginOptions,
  io: CommandIo & { readonly stdin?: ReadableStream<Uint8Array> },
  invocation: Invocation,
): Promise<number> {
  return await interruptible(async (interruption) => {
    const run = async () => {
      const workspace = await openWorkspace(invocation, io);
      const url = addressOf(name, mcpServers(workspace).servers);
      const { logIn } = await import("../mcp/login.ts");
      const done = new AbortController();
      const stop = AbortSignal.any([interruption.signal, done.signal]);
      try {
        await logIn({
          name,
          url,
          store: mcpLogins(workspace.paths.mcpLoginsFile, url),
          signal: interruption.signal,
          pasted: lines(io.stdin ?? Bun.stdin.stream(), stop),
          onAddress: (address) =>
            io.stderr(
              `Open this address in a browser:\n\n${address}\n\nIf that browser is on another machine, paste the address that it is sent to here.\n`,
            ),
        });
      } finally {
        done.abort();
      }
      io.stdout(`Logged in to ${name}.\n`);
      return 0;
    };
    const exitCode = await withErrorLine(io, run, (error) => (error.code === "USAGE" ? 2 : 1)).catch(
      (error: unknown) => {
        if (interruption.exitCode === undefined) throw error;
        return interruption.exitCode;
      },
    );
    return interruption.exitCode ?? exitCode;
  });
}

function addressOf(name: string, servers: ReturnType<typeof mcpServers>["servers"]): string {
  const found = servers.find((server) => server.name === name);
  if (found?.endpoint?.kind === "http") return found.endpoint.url;
  const names = servers.filter(({ endpoint }) => endpoint?.kind === "http").map((server) => server.name);
  const issue =
    found === undefined
      ? `no server '${name}'; servers with an address: ${names.join(", ") || "none"}`
      : `'${name}' ${found.problem ?? "is a program: it needs no login"}`;
  throw new OmpError({ operation: "omp mcp login", issue, code: "USAGE" });
}
