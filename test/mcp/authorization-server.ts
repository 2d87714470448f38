/** A server on loopback that wants a login: the authorization server and the MCP server behind it, by hand, as the specification says. */

import { createHash } from "node:crypto";
import { McpServer, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";

export class AuthorizationServer {
  /** What was asked of the token endpoint: the kind of grant. */
  readonly grants: string[] = [];
  /** The tokens that the MCP server takes. */
  readonly valid = new Set<string>();
  readonly #challenges = new Map<string, string>();
  #refresh = "";
  readonly #server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => this.#answer(request),
  });

  get url(): string {
    return `${this.#origin}/mcp`;
  }

  get #origin(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  async close(): Promise<void> {
    await this.#server.stop(true);
  }

  /** As if the user had taken the login back. */
  revoke(): void {
    this.valid.clear();
    this.#refresh = "revoked";
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const origin = this.#origin;
    switch (pathname) {
      case "/.well-known/oauth-protected-resource/mcp":
        return Response.json({ resource: this.url, authorization_servers: [origin] });
      case "/.well-known/oauth-authorization-server":
        return Response.json({
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          registration_endpoint: `${origin}/register`,
          response_types_supported: ["code"],
          code_challenge_methods_supported: ["S256"],
          token_endpoint_auth_methods_supported: ["none"],
        });
      case "/register":
        return Response.json({ ...Object(await request.json()), client_id: "omp-client" }, { status: 201 });
      case "/authorize":
        return this.#authorize(searchParams);
      case "/token":
        return this.#token(new URLSearchParams(await request.text()));
      case "/mcp":
        return await this.#serve(request);
      default:
        return new Response("not found", { status: 404 });
    }
  }

  #authorize(given: URLSearchParams): Response {
    const code = crypto.randomUUID();
    this.#challenges.set(code, given.get("code_challenge") ?? "");
    const back = new URL(given.get("redirect_uri") ?? "");
    back.searchParams.set("code", code);
    back.searchParams.set("state", given.get("state") ?? "");
    return Response.redirect(back.href, 302);
  }

  #token(given: URLSearchParams): Response {
    const kind = given.get("grant_type") ?? "";
    this.grants.push(kind);
    const hash = createHash("sha256")
      .update(given.get("code_verifier") ?? "")
      .digest("base64url");
    const isGranted =
      kind === "refresh_token"
        ? given.get("refresh_token") === this.#refresh
        : this.#challenges.get(given.get("code") ?? "") === hash;
    if (!isGranted) return Response.json({ error: "invalid_grant" }, { status: 400 });
    const [access, refresh] = [crypto.randomUUID(), crypto.randomUUID()];
    this.valid.add(access);
    this.#refresh = refresh;
    return Response.json({
      access_token: access,
      token_type: "Bearer",
      expires_in: 3600,
      refresh_token: refresh,
    });
  }

  async #serve(request: Request): Promise<Response> {
    const token = request.headers.get("authorization")?.replace("Bearer ", "") ?? "";
    if (!this.valid.has(token)) {
      const where = `Bearer resource_metadata="${this.#origin}/.well-known/oauth-protected-resource/mcp"`;
      return new Response("", { status: 401, headers: { "www-authenticate": where } });
    }
    const server = new McpServer({ name: "guarded", version: "1" });
    server.registerTool("secret", { description: "Tells it." }, () => ({
      content: [{ type: "text", text: "told" }],
    }));
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    return await transport.handleRequest(request);
  }
}
