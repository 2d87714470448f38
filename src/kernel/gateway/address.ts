/** A gateway's address and key, taken apart: what goes into requests, and what may be shown. The key is never in an address. */

import type { GatewayAccess } from "./options.ts";

export class GatewayAddress {
  readonly name: string;
  /** For display: without user, password and query. */
  readonly shown: string;
  /** Ends with a slash. */
  readonly #base: URL;
  readonly #access: GatewayAccess;
  readonly #authorization: string | undefined;

  constructor(access: GatewayAccess) {
    const url = new URL(access.url);
    this.name = access.name;
    this.#access = access;
    this.#authorization = authorization(access, url);
    this.#base = new URL(`${url.origin}${url.pathname.replace(/\/+$/, "")}/`);
    this.shown = this.#base.href;
  }

  get hasToken(): boolean {
    return this.#authorization !== undefined;
  }

  /** @param path without a leading slash: it is below the base path. */
  http(path: string): string {
    return new URL(path, this.#base).href;
  }

  websocket(path: string): string {
    return this.http(path).replace(/^http/, "ws");
  }

  get headers(): Record<string, string> {
    const given = this.#access.headers ?? {};
    return this.#authorization === undefined
      ? { ...given }
      : { ...given, Authorization: this.#authorization };
  }

  /** For fetch and for websockets alike. */
  get tls(): { readonly tls?: { readonly ca: string } } {
    return this.#access.ca === undefined ? {} : { tls: { ca: this.#access.ca } };
  }
}

/** Jupyter prints its address with `?token=…`, which users copy as it is. */
function authorization({ token }: GatewayAccess, url: URL): string | undefined {
  const key = token ?? url.searchParams.get("token") ?? "";
  if (key !== "") return `token ${key}`;
  if (url.username === "" && url.password === "") return undefined;
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return `Basic ${Buffer.from(pair).toString("base64")}`;
}
