/** The services of a session as another agent uses them, over MCP. */

import type { OpenServed } from "../mcp/serve/served-session.ts";
import type { ToolResult } from "../protocol/index.ts";
import type { Invocation } from "../protocol/invocation.ts";
import { ToolRegistry } from "../tools/registry.ts";
import type { CommandIo } from "./io.ts";
import { openServices, type ServicesChoice } from "./services.ts";
import { callTool } from "./tool-call.ts";
import { chooseTools } from "./tool-choice.ts";

export interface ServedOptions extends Pick<ServicesChoice, "approval" | "sandbox" | "kernel"> {
  /** Exactly these; every tool of omp's own when not given. */
  readonly tools?: readonly string[] | undefined;
}

/** Opening one throws what opening services throws, and an OmpError for a tool that does not exist. */
export function servedSessions(
  { tools: named, ...choice }: ServedOptions,
  io: Pick<CommandIo, "stderr">,
  invocation: Invocation,
): OpenServed {
  const warn = (line: string) => io.stderr(`${line}\n`);
  return async (askClient) => {
    const ask: ServicesChoice["ask"] =
      askClient &&
      (({ subject: { tool, summary }, reason, signal }) =>
        askClient({ title: `${tool}: ${summary} (${reason})`, signal }));
    const services = await openServices(invocation, io, { ...choice, ask });
    try {
      const own = services.toolsIn(services.workspace.toolMode).map(({ name }) => name);
      const tools = new ToolRegistry(await chooseTools(named ?? own, services, warn));
      const exclusive = new Queue();
      return {
        list: async () => tools.list(),
        run: async (name, input, { signal, onUpdate }) => {
          const run = () =>
            callTool(
              { ...services, tools },
              { name, input, signal, onUpdate, dryRun: false, onBug: io.stderr },
            );
          return tools.get(name)?.concurrency === "parallel" ? await run() : await exclusive.add(run);
        },
        close: async () => {
          for (const line of await services.close()) warn(line);
        },
      };
    } catch (error) {
      await services.close();
      throw error;
    }
  };
}

/** Calls that never overlap in a session: a client may make several at once. */
class Queue {
  #last: Promise<unknown> = Promise.resolve();

  add(run: () => Promise<ToolResult>): Promise<ToolResult> {
    const result = this.#last.then(run);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
