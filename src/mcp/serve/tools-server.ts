/** One connection of another agent: the protocol on one side, a session's tools on the other. */

import {
  type CallToolResult,
  type Tool as SdkTool,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { onceSuccessful } from "../../async/once.ts";
import type { Tool, ToolResult } from "../../protocol/index.ts";
import { ProgressSender } from "./progress-sender.ts";
import type { AskClient, OpenServed, ServedSession } from "./served-session.ts";

const instructions =
  "Tools that keep their state: `python` runs cells in a live IPython kernel, `bash` commands in a persistent shell. Both last as long as this connection.";

/** The session of a connection, opened with its first request for tools: what the client can do is known then. */
export class ServedConnection {
  readonly #version: string;
  readonly #open: OpenServed;
  #server: Server | undefined;
  readonly #session = onceSuccessful(() => this.#open(this.#ask()));

  constructor(version: string, open: OpenServed) {
    this.#version = version;
    this.#open = open;
  }

  /** A client that looks first which protocol there is may need more than one; they share the session. */
  newServer(): Server {
    const server = new Server(
      { name: "omp", version: this.#version },
      { capabilities: { tools: {} }, instructions },
    );
    server.setRequestHandler("tools/list", async () => {
      const session = await this.#sessionFor(server);
      return { tools: (await session.list()).map(describe) };
    });
    server.setRequestHandler("tools/call", async ({ params }, context) => {
      const session = await this.#sessionFor(server);
      return await runCall(session, params.name, params.arguments ?? {}, context);
    });
    return server;
  }

  async close(): Promise<void> {
    const session = await this.#session.made?.catch(() => undefined);
    await session?.close();
  }

  async #sessionFor(server: Server): Promise<ServedSession> {
    this.#server = server;
    return await this.#session.get();
  }

  #ask(): AskClient | undefined {
    if (this.#server?.getClientCapabilities()?.elicitation === undefined) return undefined;
    return async ({ title, signal }) => {
      const answer = await this.#server?.elicitInput(
        {
          mode: "form",
          message: title,
          requestedSchema: {
            type: "object",
            properties: {
              answer: {
                type: "string",
                title: "Run it?",
                enum: ["once", "session", "no"],
                description: "once, for the whole session, or not at all",
              },
            },
            required: ["answer"],
          },
        },
        { signal },
      );
      const chosen = answer?.action === "accept" ? answer.content?.["answer"] : undefined;
      return chosen === "once" || chosen === "session" ? chosen : "no";
    };
  }
}

function describe({ name, description, inputSchema, readOnly }: Tool): SdkTool {
  return {
    name,
    description,
    inputSchema: { ...inputSchema, type: "object" },
    annotations: { readOnlyHint: readOnly },
  };
}

async function runCall(
  session: ServedSession,
  name: string,
  input: unknown,
  { mcpReq }: ServerContext,
): Promise<CallToolResult> {
  const token = mcpReq._meta?.progressToken;
  const progress = new ProgressSender(async (count, message) => {
    if (token === undefined) return;
    const params = { progressToken: token, progress: count, message };
    // A client that is gone takes no progress; the call is ended by its signal.
    await mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
  });
  const onUpdate = (text: string) => progress.add(text);
  const result = await session.run(name, input, { signal: mcpReq.signal, onUpdate });
  await progress.finish();
  return answerOf(result);
}

function answerOf({ output, isError, images = [], details }: ToolResult): CallToolResult {
  return {
    isError,
    content: [
      { type: "text", text: output },
      ...images.map(({ base64, mediaType }) => ({
        type: "image" as const,
        data: base64,
        mimeType: mediaType,
      })),
    ],
    // Clients that show only this must not lose the output.
    structuredContent: { output, details: JSON.parse(JSON.stringify(details)) },
  };
}
