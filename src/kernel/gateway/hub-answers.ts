/**
 * A JupyterHub answers in place of a user's server that it does not run, and for tokens that it does not know. Its proxy sends what
 * asks for such a server to `/hub/user/<name>/…`, and refuses (403) what would change something there.
 */

import type { GatewayAddress } from "./address.ts";
import type { Refusal } from "./failures.ts";

export interface HubAdvice {
  readonly code: "GATEWAY_DOWN" | "GATEWAY_FORBIDDEN" | "GATEWAY_REDIRECT";
  readonly text: string;
}

/** Undefined when the answer is not from a hub, or needs no advice of its own. */
export function hubAdvice(address: GatewayAddress, refusal: Refusal): HubAdvice | undefined {
  const { status, isHub } = refusal;
  const hub = hubOf(address);
  const newToken = `make a new one at ${hub}token, with the scope access:servers!user or with no scopes named`;
  const start = `start it at ${hub}home, or fix the user or server in the base path of the url`;
  const isSent = status >= 300 && status < 400;
  const goal = isSent ? goalOf(address, refusal) : undefined;
  if (status === 424 || goal?.startsWith("user/"))
    return { code: "GATEWAY_DOWN", text: `JupyterHub has no server running there: ${start}` };
  if (goal?.startsWith("login") || goal?.startsWith("api/oauth2"))
    return {
      code: "GATEWAY_REDIRECT",
      text: `JupyterHub redirects to its login page, because the token is wrong or has expired: ${newToken}`,
    };
  if (goal !== undefined)
    return {
      code: "GATEWAY_REDIRECT",
      text: "this is the address of the JupyterHub itself: add the base path of your server to the url, such as /user/<name>/",
    };
  if (status === 403 && isHub && address.hasToken)
    return {
      code: "GATEWAY_FORBIDDEN",
      text: `JupyterHub rejects this token (403), because it is wrong, has expired or lacks the scope: ${newToken}`,
    };
  return undefined;
}

/** Where a hub's own pages are, when its servers are at `…/user/<name>/`. */
function hubOf({ shown }: GatewayAddress): string {
  const { origin, pathname } = new URL(shown);
  const at = pathname.indexOf("/user/");
  return `${origin}${at === -1 ? "" : pathname.slice(0, at)}/hub/`;
}

/** What of the hub we are sent to, such as `user/ann/api/kernels`; undefined when that is no hub's. */
function goalOf(address: GatewayAddress, { location, isHub }: Refusal): string | undefined {
  if (location === undefined || !isHub) return undefined;
  const { pathname } = new URL(location, address.shown);
  return /\/hub\/(.*)$/.exec(pathname)?.[1];
}
