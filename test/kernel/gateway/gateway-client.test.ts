import { describe, expect, test } from "bun:test";
import { GatewayClient } from "../../../src/kernel/gateway/gateway-client.ts";
import type { GatewayAccess } from "../../../src/kernel/gateway/options.ts";
import { fakeGateway, kernelSpecsAnswer } from "../../support/fake-gateway.ts";
import { freePort } from "../../support/gateways.ts";
import { temporaryDirectory } from "../../support/home.ts";
import { kernelErrorOf } from "../../support/kernels.ts";
import { selfSigned } from "./self-signed.ts";

const TOKEN = "s3cret-t0ken";
const html = () =>
  new Response("<!DOCTYPE html><title>Sign in</title>", { headers: { "Content-Type": "text/html" } });

function clientOf(url: string, place: Partial<GatewayAccess> = {}): GatewayClient {
  return new GatewayClient({ name: "lab", url, token: TOKEN, ...place });
}

/** What listing the kernelspecs fails with when the server answers like this. */
async function failure(answer: () => Response) {
  const { url } = fakeGateway(answer);
  const error = await kernelErrorOf(clientOf(url).kernelSpecs());
  return { kind: error.kind, code: error.code, message: error.message };
}

describe("a gateway's answers", () => {
  test("tell the kernelspecs and the kernels", async () => {
    const kernel = {
      id: "k-1",
      name: "python3",
      execution_state: "busy",
      last_activity: "then",
      connections: 2,
    };
    const { url } = fakeGateway(({ path }) =>
      path === "/api/kernelspecs" ? kernelSpecsAnswer() : Response.json([kernel]),
    );
    expect(await clientOf(url).kernelSpecs()).toEqual({
      default: "python3",
      specs: [{ name: "python3", language: "python" }],
    });
    expect(await clientOf(url).kernels()).toEqual([
      { id: "k-1", name: "python3", executionState: "busy", lastActivity: "then", connections: 2 },
    ]);
  });

  test("are asked for below the base path, with the token in the header and nowhere else", async () => {
    const gateway = fakeGateway(() => kernelSpecsAnswer());
    await clientOf(`${gateway.url}user/ada`, { headers: { "X-Team": "blue" } }).kernelSpecs();
    const [request] = gateway.seen;
    expect(request?.path).toBe("/user/ada/api/kernelspecs");
    expect(request?.headers).toMatchObject({ authorization: `token ${TOKEN}`, "x-team": "blue" });
  });

  test("come for an address with its token, as Jupyter prints it; the token is taken out of it", async () => {
    const gateway = fakeGateway(() => kernelSpecsAnswer());
    const client = new GatewayClient({ name: "lab", url: `${gateway.url}lab/?token=${TOKEN}` });
    await client.kernelSpecs();
    expect(client.address.shown).toBe(`${gateway.url}lab/`);
    expect(gateway.seen[0]?.path).toBe("/lab/api/kernelspecs");
    expect(gateway.seen[0]?.headers["authorization"]).toBe(`token ${TOKEN}`);
  });

  test("are not followed elsewhere: the token is not for there", async () => {
    const elsewhere = fakeGateway(() => kernelSpecsAnswer());
    const { code } = await failure(() => Response.redirect(elsewhere.url));
    expect(code).toBe("GATEWAY_REDIRECT");
    expect(elsewhere.seen).toEqual([]);
  });
});

describe("a gateway's refusal", () => {
  test("says what to do, each its own", async () => {
    const json = (status: number, message: string) => () =>
      Response.json({ message, reason: null }, { status });
    const answers: readonly [string, () => Response, string][] = [
      ["GATEWAY_UNAUTHORIZED", json(401, ""), "the gateway rejected the token"],
      ["GATEWAY_FORBIDDEN", json(403, "Forbidden"), "the gateway rejected the token"],
      ["GATEWAY_NOT_FOUND", json(404, "Not Found"), "check the url and its base path"],
      ["GATEWAY_METHOD", json(405, ""), "blocks the method"],
      ["GATEWAY_BUSY", json(429, ""), "try again in a while"],
      ["GATEWAY_ERROR", json(500, "Boom"), 'it failed (500), "Boom"'],
      ["GATEWAY_DOWN", () => new Response("<html>502</html>", { status: 502 }), "check that it runs"],
      ["GATEWAY_NOT_JSON", html, "answers with a web page"],
      ["GATEWAY_NOT_JSON", () => new Response("OK"), "something other than JSON"],
    ];
    for (const [code, answer, words] of answers) {
      const found = await failure(answer);
      expect([code, found.code]).toEqual([code, code]);
      expect(found.message).toContain(words);
      expect(found.message).toMatch(/^python: [^\n]+ \(GATEWAY_\w+\)$/);
      expect(found.message).not.toContain(TOKEN);
    }
  });

  test("without a token asks for one", async () => {
    const { url } = fakeGateway(() => Response.json({ message: "Forbidden" }, { status: 403 }));
    const error = await kernelErrorOf(clientOf(url, { token: undefined }).kernelSpecs());
    expect(error.issue).toContain("it requires a token: set PI_PYTHON_GATEWAY_TOKEN");
  });

  test("for one kernel too many is exhaustion, so that another is given back", async () => {
    const { url } = fakeGateway(() => Response.json({ message: "Resource Limit" }, { status: 403 }));
    const start = clientOf(url).startKernel("python3", { env: {}, signal: new AbortController().signal });
    expect(await kernelErrorOf(start)).toMatchObject({ kind: "exhausted", code: "GATEWAY_FULL" });
  });

  test("to list kernels is told from a bad token by asking for something that no option switches off", async () => {
    const forbidden = () => Response.json({ message: "Forbidden", reason: null }, { status: 403 });
    const off = fakeGateway(({ path }) => (path === "/api/kernelspecs" ? kernelSpecsAnswer() : forbidden()));
    expect(await kernelErrorOf(clientOf(off.url).kernels())).toMatchObject({ code: "GATEWAY_LISTING_OFF" });
    const { url } = fakeGateway(forbidden);
    expect(await kernelErrorOf(clientOf(url).kernels())).toMatchObject({
      code: "GATEWAY_FORBIDDEN",
      issue: expect.stringContaining("the gateway rejected the token"),
    });
  });

  test("to start a kernel for a token that may look is no wrong token", async () => {
    const { url } = fakeGateway(({ method }) =>
      method === "GET" ? kernelSpecsAnswer() : Response.json({ message: "Forbidden" }, { status: 403 }),
    );
    const start = clientOf(url).startKernel("python3", { env: {}, signal: new AbortController().signal });
    expect((await kernelErrorOf(start)).issue).toBe(
      `gateway lab (${url}) did not start a kernel: not allowed (403), "Forbidden": the token allows listing kernelspecs, but not this`,
    );
  });

  test("of an unforeseen kind brings the error's own words", async () => {
    const traceback =
      "Traceback (most recent call last):\n  File ...\nOSError: [Errno 28] No space left on device\n";
    const { message } = await failure(() =>
      Response.json({ message: "Unknown", traceback }, { status: 500 }),
    );
    expect(message).toContain('"OSError: [Errno 28] No space left on device"');
  });

  test("of a kernel that is not there is no failure; a page that is not there is", async () => {
    const gone = fakeGateway(() => Response.json({ message: "Kernel does not exist: k-1" }, { status: 404 }));
    expect(await clientOf(gone.url).kernel("k-1")).toBeUndefined();
    await clientOf(gone.url).remove("k-1");
    const page = fakeGateway(() => new Response("<html>404</html>", { status: 404 }));
    expect(await kernelErrorOf(clientOf(page.url).kernel("k-1"))).toMatchObject({
      code: "GATEWAY_NOT_FOUND",
    });
  });
});

describe("no answer at all", () => {
  test("where nothing listens says so", async () => {
    const error = await kernelErrorOf(clientOf(`http://127.0.0.1:${freePort()}/`).kernelSpecs());
    expect(error).toMatchObject({ kind: "gateway", code: "GATEWAY_UNREACHABLE" });
    expect(error.issue).toContain("check that it runs");
  });

  test("for a certificate that nobody vouches for names the setting; with its authority's file it works", async () => {
    const { cert, key } = await selfSigned(temporaryDirectory());
    const { url } = fakeGateway(() => kernelSpecsAnswer(), { tls: { cert, key } });
    const error = await kernelErrorOf(clientOf(url).kernelSpecs());
    expect(error).toMatchObject({ kind: "gateway", code: "GATEWAY_TLS" });
    expect(error.issue).toContain("caFile");
    expect((await clientOf(url, { ca: cert }).kernelSpecs()).default).toBe("python3");
  });
});

describe("what is sent to start a kernel", () => {
  test("is the kernelspec's name, and variables only when there are some", async () => {
    const gateway = fakeGateway(() => Response.json({ id: "k-1", name: "python3" }, { status: 201 }));
    const client = clientOf(gateway.url);
    const { signal } = new AbortController();
    await client.startKernel("python3", { env: {}, signal });
    await client.startKernel("python3", { env: { KERNEL_USERNAME: "ada" }, signal });
    expect(gateway.seen.map(({ body }) => JSON.parse(body))).toEqual([
      { name: "python3" },
      { name: "python3", env: { KERNEL_USERNAME: "ada" } },
    ]);
  });
});
