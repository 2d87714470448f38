/** The connection over our own stdin and stdout. */

import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { untilAborted } from "../../async/abort.ts";
import type { OpenServed } from "./served-session.ts";
import { ServedConnection } from "./tools-server.ts";

/** Large files are written in one message. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

export interface ServeOptions {
  readonly version: string;
  readonly open: OpenServed;
  /** Ends the serving. */
  readonly signal: AbortSignal;
  readonly onError: (line: string) => void;
}

/** Until the client closes our stdin. */
export async function serveOverStdio({ version, open, signal, onError }: ServeOptions): Promise<void> {
  const connection = new ServedConnection(version, open);
  const ended = Promise.withResolvers<void>();
  process.stdin.once("end", ended.resolve);
  process.stdin.once("close", ended.resolve);
  const transport = new StdioServerTransport(process.stdin, process.stdout, {
    maxBufferSize: MAX_MESSAGE_BYTES,
  });
  const handle = serveStdio(() => connection.newServer(), {
    transport,
    onerror: (error) => onError(error.message),
  });
  try {
    await untilAborted(ended.promise, signal);
  } finally {
    // The calls that still run are aborted.
    await handle.close();
    await connection.close();
  }
}
