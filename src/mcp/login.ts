/** A login to a server: the browser comes back to a port of ours, or the user pastes the address that it ended at. */

import { auth, extractWWWAuthenticateParams } from "@modelcontextprotocol/client";
import { unlessAborted } from "../async/abort.ts";
import type { McpLoginStore } from "../protocol/mcp.ts";
import { McpError } from "./errors.ts";
import { LoginProvider } from "./login-provider.ts";

const CALLBACK = "/callback";
const PAGE = "You are logged in. You can close this page and go back to omp.";

export interface LoginOptions {
  readonly name: string;
  readonly url: string;
  readonly store: McpLoginStore;
  /** The user is to open it. */
  readonly onAddress: (address: string) => void;
  /** The lines that the user types. */
  readonly pasted: AsyncIterable<string>;
  readonly signal: AbortSignal;
}

/** Throws McpError, and the signal's reason. */
export async function logIn({ name, url, store, onAddress, pasted, signal }: LoginOptions): Promise<void> {
  const returned = Promise.withResolvers<URL>();
  const listener = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => {
      const address = new URL(request.url);
      if (address.pathname !== CALLBACK) return new Response("not found", { status: 404 });
      returned.resolve(address);
      return new Response(PAGE);
    },
  });
  const redirectUrl = `http://127.0.0.1:${listener.port}${CALLBACK}`;
  const provider = new LoginProvider({ store, redirectUrl, onAddress: (address) => onAddress(address.href) });
  try {
    const wanted = { serverUrl: url, ...(await wantedBy(url, store, signal)) };
    // From the start: a client is registered with its redirect, and that has a port of its own each time.
    store.save({});
    if ((await unlessAborted(auth(provider, wanted), signal)) === "AUTHORIZED") return;
    void readPasted(pasted, redirectUrl, returned.resolve);
    const { searchParams } = await unlessAborted(returned.promise, signal);
    const problem = searchParams.get("error_description") ?? searchParams.get("error");
    if (problem !== null) throw new McpError("server-error", name, `the login was refused: ${problem}`);
    const code = searchParams.get("code");
    if (code === null || searchParams.get("state") !== provider.expectedState)
      throw new McpError("server-error", name, "that address is not from this login; try again");
    const iss = searchParams.get("iss");
    const options = { ...wanted, authorizationCode: code, ...(iss === null ? {} : { iss }) };
    await unlessAborted(auth(provider, options), signal);
  } catch (error) {
    if (error instanceof McpError || signal.aborted) throw error;
    const issue = `the login failed: ${error instanceof Error ? error.message : String(error)}`;
    throw new McpError("server-error", name, issue, { cause: error });
  } finally {
    await listener.stop();
  }
}

/** What the server answers to a request without a login: where to log in, and for what; or for what an earlier login was not enough. */
async function wantedBy(
  url: string,
  store: McpLoginStore,
  signal: AbortSignal,
): Promise<{ readonly resourceMetadataUrl?: URL; readonly scope?: string }> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
    signal,
  });
  await answer.body?.cancel();
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(answer);
  const { scope: before } = store.read();
  const needed = typeof before === "string" ? before : scope;
  return {
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
    ...(needed === undefined ? {} : { scope: needed }),
  };
}

/** What is no such address is left alone: it may be an empty line. */
async function readPasted(
  lines: AsyncIterable<string>,
  redirectUrl: string,
  onReturn: (address: URL) => void,
): Promise<void> {
  for await (const line of lines) {
    const address = URL.parse(line.trim());
    if (address?.href.startsWith(redirectUrl)) return onReturn(address);
  }
}
