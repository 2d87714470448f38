/** What a JupyterHub says in place of a user's server, answer by answer as JupyterHub 6.1 gives it behind its own proxy. */

import { expect, test } from "bun:test";
import { GatewayClient } from "../../../src/kernel/gateway/gateway-client.ts";
import { fakeGateway, type SeenRequest } from "../../support/fake-gateway.ts";
import { kernelErrorOf } from "../../support/kernels.ts";

const hub = { "X-JupyterHub-Version": "6.1.1" };

function sentTo(location: string): Response {
  return new Response(null, { status: 302, headers: { ...hub, Location: location } });
}

/** The hub at `/jhub/`, asked for Ann's server. */
function askedFor(answer: (request: SeenRequest) => Response, { basePath = "jhub/user/ann/" } = {}) {
  const { url } = fakeGateway(answer);
  const client = new GatewayClient({ name: "hub", url: `${url}${basePath}`, token: "t0ken" });
  const { signal } = new AbortController();
  const failureOf = async (asked: Promise<unknown>) => {
    const { code, issue } = await kernelErrorOf(asked);
    return { code, issue: issue.replaceAll(url, "https://example.org/") };
  };
  return {
    looked: () => failureOf(client.kernelSpecs()),
    listed: () => failureOf(client.kernels()),
    started: () => failureOf(client.startKernel("python3", { env: {}, signal })),
  };
}

const shown = "gateway hub (https://example.org/jhub/user/ann/)";
const start =
  "start it at https://example.org/jhub/hub/home, or fix the user or server in the base path of the url";
const newToken =
  "make a new one at https://example.org/jhub/hub/token, with the scope access:servers!user or with no scopes named";

test("a server that does not run is told as that, although the hub redirects what asks and forbids what acts", async () => {
  const { looked, listed, started } = askedFor(({ method, path }) =>
    method === "GET"
      ? sentTo(path.replace("/jhub/", "/jhub/hub/"))
      : new Response("<!DOCTYPE HTML><h1>403 : &#39;_xsrf&#39; argument missing from POST</h1>", {
          status: 403,
          headers: hub,
        }),
  );
  const why = `JupyterHub has no server running there: ${start}`;
  expect(await looked()).toEqual({
    code: "GATEWAY_DOWN",
    issue: `${shown} did not list the kernelspecs: ${why}`,
  });
  expect(await listed()).toEqual({
    code: "GATEWAY_DOWN",
    issue: `${shown} did not list the kernels: ${why}`,
  });
  expect(await started()).toEqual({
    code: "GATEWAY_DOWN",
    issue: `${shown} did not start a kernel: ${why}`,
  });
});

test("the hub's own answer for such a server means the same", async () => {
  const message =
    "JupyterHub server no longer running at /jhub/user/ann/api/kernelspecs. Restart the server at …";
  const { looked } = askedFor(() => Response.json({ message }, { status: 424, headers: hub }));
  expect(await looked()).toEqual({
    code: "GATEWAY_DOWN",
    issue: `${shown} did not list the kernelspecs: JupyterHub has no server running there: ${start}`,
  });
});

test("a token without the scope, or one that is over, is told with where to make another", async () => {
  const { looked, listed } = askedFor(() =>
    Response.json({ message: "Forbidden", reason: null }, { status: 403, headers: hub }),
  );
  const why = `JupyterHub rejects this token (403), because it is wrong, has expired or lacks the scope: ${newToken}`;
  expect(await looked()).toEqual({
    code: "GATEWAY_FORBIDDEN",
    issue: `${shown} did not list the kernelspecs: ${why}`,
  });
  expect(await listed()).toEqual({
    code: "GATEWAY_FORBIDDEN",
    issue: `${shown} did not list the kernels: ${why}`,
  });
});

test("its login page means the token, and its own address that the base path is missing", async () => {
  const login = askedFor(() => sentTo("/jhub/hub/login?next=%2Fjhub%2Fhub%2Fuser%2Fann"));
  expect(await login.looked()).toEqual({
    code: "GATEWAY_REDIRECT",
    issue: `${shown} did not list the kernelspecs: JupyterHub redirects to its login page, because the token is wrong or has expired: ${newToken}`,
  });
  const own = askedFor(() => sentTo("/hub/api/kernelspecs"), { basePath: "" });
  expect(await own.looked()).toEqual({
    code: "GATEWAY_REDIRECT",
    issue:
      "gateway hub (https://example.org/) did not list the kernelspecs: this is the address of the JupyterHub itself: " +
      "add the base path of your server to the url, such as /user/<name>/",
  });
});

test("a redirect of another server stays what it was", async () => {
  const { looked } = askedFor(() => new Response(null, { status: 302, headers: { Location: "/login" } }));
  expect((await looked()).issue).toContain("it redirects, most often to a login page");
});
