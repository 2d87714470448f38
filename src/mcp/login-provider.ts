/** What the SDK asks about a login: kept in the user's file, refreshed without a question, and never begun without the user. */

import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import type { McpLoginStore } from "../protocol/mcp.ts";
import { isRecord } from "../protocol/record.ts";

export interface LoginProviderOptions {
  readonly store: McpLoginStore;
  /** Where the browser is sent back to; undefined where nobody logs in now. */
  readonly redirectUrl?: string | undefined;
  /** The user is to open the address. Throws where nobody logs in now. */
  readonly onAddress: (address: URL) => void;
}

export class LoginProvider implements OAuthClientProvider {
  /** Comes back with the redirect, which anybody could send. */
  readonly expectedState = crypto.randomUUID();
  readonly #options: LoginProviderOptions;
  #verifier = "";

  constructor(options: LoginProviderOptions) {
    this.#options = options;
  }

  get redirectUrl(): string {
    // Without one the SDK would take another kind of login.
    return this.#options.redirectUrl ?? "http://127.0.0.1/";
  }

  get clientMetadata(): OAuthClientMetadata {
    return {
      client_name: "omp",
      redirect_uris: [this.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    };
  }

  state(): string {
    return this.expectedState;
  }

  clientInformation(): StoredOAuthClientInformation | undefined {
    const { client } = this.#options.store.read();
    return isRecord(client) && typeof client["client_id"] === "string"
      ? { ...client, client_id: client["client_id"] }
      : undefined;
  }

  saveClientInformation(client: StoredOAuthClientInformation): void {
    this.#options.store.save({ client });
  }

  tokens(): StoredOAuthTokens | undefined {
    const { tokens } = this.#options.store.read();
    return isRecord(tokens) && typeof tokens["access_token"] === "string"
      ? { token_type: "Bearer", ...tokens, access_token: tokens["access_token"] }
      : undefined;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.#options.store.save({ ...this.#options.store.read(), tokens });
  }

  /** What the authorization server no longer takes is forgotten. */
  invalidateCredentials(what: "all" | "client" | "tokens" | "verifier" | "discovery"): void {
    const { client, tokens } = this.#options.store.read();
    if (what === "all" || what === "client") this.#options.store.save({});
    else if (what === "tokens" && tokens !== undefined) this.#options.store.save({ client });
  }

  redirectToAuthorization(address: URL): void {
    this.#options.onAddress(address);
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }
}
