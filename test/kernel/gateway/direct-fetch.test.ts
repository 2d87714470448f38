import { afterAll, expect, test } from "bun:test";
import { directFetch, isDirect } from "../../../src/kernel/gateway/direct-fetch.ts";
import { checkout } from "../../support/omp.ts";

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (request) => {
    if (request.url.endsWith("/never")) return await new Promise<Response>(() => undefined);
    if (request.url.endsWith("/elsewhere")) return Response.redirect("http://example.org/");
    if (request.method === "DELETE") return new Response(null, { status: 204 });
    const answer = [request.method, request.headers.get("Authorization"), await request.text()];
    return Response.json(answer, { status: 201 });
  },
});
const url = `http://127.0.0.1:${server.port}`;
afterAll(() => server.stop(true));

const headers = { Authorization: "token t" };
const { signal } = new AbortController();

test("sends what it is given, and gives the answer as it is", async () => {
  const answer = await directFetch(`${url}/a`, { method: "POST", headers, body: '{"ü":1}', signal });
  expect([answer.status, await answer.json()]).toEqual([201, ["POST", "token t", '{"ü":1}']]);
  const empty = await directFetch(`${url}/a`, { method: "DELETE", headers, signal });
  expect([empty.status, await empty.text()]).toEqual([204, ""]);
});

test("follows no redirect", async () => {
  const answer = await directFetch(`${url}/elsewhere`, { method: "GET", headers, signal });
  expect([answer.status, answer.headers.get("location")]).toEqual([302, "http://example.org/"]);
  await answer.body?.cancel();
});

test("ends with the signal's reason", async () => {
  const controller = new AbortController();
  const asked = directFetch(`${url}/never`, { method: "GET", headers, signal: controller.signal });
  controller.abort(new Error("enough"));
  expect(await asked.catch((error: unknown) => error)).toEqual(new Error("enough"));
});

test("asks no proxy", async () => {
  const program = `
    import { directFetch } from "./src/kernel/gateway/direct-fetch.ts";
    const { signal } = new AbortController();
    const answer = await directFetch(${JSON.stringify(url)}, { method: "GET", headers: {}, signal });
    console.log(answer.status);`;
  const child = Bun.spawn([process.execPath, "-e", program], {
    cwd: checkout,
    env: { HTTP_PROXY: "http://127.0.0.1:9", http_proxy: "http://127.0.0.1:9" },
    stdout: "pipe",
  });
  expect(await new Response(child.stdout).text()).toBe("201\n");
});

test("is for plain HTTP on this machine", () => {
  const yes = ["http://127.0.0.1:1/", "http://localhost/x", "http://[::1]:8888/", "http://127.1.2.3/"];
  const no = [
    "https://127.0.0.1/",
    "http://example.org/",
    "http://localhost.example.org/",
    "http://127.example.org/",
  ];
  expect([yes.map(isDirect), no.map(isDirect)]).toEqual([yes.map(() => true), no.map(() => false)]);
});
