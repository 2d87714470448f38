/** How a server is reached: a program that omp starts, or an address. */

import { StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import type { Confinement } from "../process/confinement.ts";
import type { Watchdog } from "../process/watchdog.ts";
import type { McpLoginStore, McpServerDefinition } from "../protocol/mcp.ts";
import { LoginProvider } from "./login-provider.ts";
import { StdioTransport } from "./stdio-transport.ts";

export interface TransportOptions {
  /** What the programs of servers get beside the variables that they name. */
  readonly baseEnv: Readonly<Record<string, string>>;
  readonly watchdog: Pick<Watchdog, "guardGroup">;
  /** Of the programs of servers; undefined where they run as omp itself does. */
  readonly confinement: () => Confinement | undefined;
  /** What the user's login to an address has left. */
  readonly loginTo: (url: string) => McpLoginStore;
}

/** Nothing is started yet. */
export function openTransport(
  server: string,
  endpoint: NonNullable<McpServerDefinition["endpoint"]>,
  options: TransportOptions,
): Transport {
  if (endpoint.kind === "stdio") return new StdioTransport({ endpoint, ...options });
  const { url, headers } = endpoint;
  const store = options.loginTo(url);
  const authProvider = new LoginProvider({
    store,
    onAddress: ({ searchParams }) => {
      const scope = searchParams.get("scope");
      if (scope !== null) store.save({ ...store.read(), scope });
      throw new Error(`the login is no longer valid, or not enough; omp mcp login ${server}`);
    },
  });
  return new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    // Without a login nothing is asked of anybody: a 401 is the answer.
    ...(store.read().tokens === undefined ? {} : { authProvider }),
  });
}
