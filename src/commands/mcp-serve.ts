/** `omp mcp serve`: omp's tools for any other agent, over stdio or over HTTP on loopback. */

import { randomBytes } from "node:crypto";
import { version } from "../../package.json" with { type: "json" };
import { withErrorLine } from "../app/exit-codes.ts";
import { interruptible } from "../app/interruption.ts";
import type { CommandIo } from "../app/io.ts";
import { type ServedOptions, servedSessions } from "../app/served-session.ts";
import type { Invocation } from "../protocol/invocation.ts";

export interface McpServeOptions extends ServedOptions {
  readonly http?: boolean | undefined;
  readonly port?: number | undefined;
  /** Where it listens, as JSON. */
  readonly json?: boolean | undefined;
}

const TOKEN_VARIABLE = "OMP_MCP_TOKEN";
const TOKEN_BYTES = 24;

/** The exit code: 0 when the client has left, 2 for bad settings or a port in use, 130 and 143 for the two signals. */
export async function runMcpServe(
  { http = false, port = 0, json = false, ...served }: McpServeOptions,
  io: CommandIo,
  invocation: Invocation,
): Promise<number> {
  return await interruptible((interruption) =>
    withErrorLine(io, async () => {
      const open = servedSessions(served, io, invocation);
      const onError = (line: string) => io.stderr(`omp mcp serve: ${line}\n`);
      const options = { version, open, onError, signal: interruption.signal };
      if (http) {
        const { serveOverHttp } = await import("../mcp/serve/serve-http.ts");
        const token = invocation.env[TOKEN_VARIABLE] || randomBytes(TOKEN_BYTES).toString("base64url");
        const onListening = (url: string) =>
          io.stdout(
            json ? `${JSON.stringify({ url, token })}\n` : `${url}\nAuthorization: Bearer ${token}\n`,
          );
        await serveOverHttp({ ...options, port, token, onListening });
      } else {
        const { serveOverStdio } = await import("../mcp/serve/serve-stdio.ts");
        await serveOverStdio(options);
      }
      return interruption.exitCode ?? 0;
    }),
  );
}
