/** A Jupyter Server below a base path, behind TLS with an authority of one's own: as a JupyterHub inside a company is. */

import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { killGroup } from "../../src/process/group.ts";
import { freePort } from "../support/gateways.ts";
import { temporaryDirectory, temporaryPlace } from "../support/home.ts";
import { omp } from "../support/omp.ts";
import { describeWithPython, testPython } from "../support/python.ts";

/** An authority, and a certificate of its making for 127.0.0.1. */
function certificates(): { readonly ca: string; readonly certificate: string; readonly key: string } {
  const directory = temporaryDirectory();
  const path = (name: string) => join(directory, name);
  const openssl = (...args: string[]) => {
    const { exitCode, stderr } = Bun.spawnSync(["openssl", ...args]);
    if (exitCode !== 0) throw new Error(stderr.toString());
  };
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  openssl(
    "req",
    "-x509",
    ...newKey,
    "-keyout",
    path("ca.key"),
    "-out",
    path("ca.pem"),
    "-subj",
    "/CN=our own",
  );
  openssl("req", ...newKey, "-keyout", path("server.key"), "-out", path("server.csr"), "-subj", "/CN=server");
  writeFileSync(path("names"), "subjectAltName=IP:127.0.0.1");
  const signing = ["-CA", path("ca.pem"), "-CAkey", path("ca.key"), "-CAcreateserial"];
  openssl(
    "x509",
    "-req",
    "-in",
    path("server.csr"),
    ...signing,
    "-extfile",
    path("names"),
    "-out",
    path("server.pem"),
  );
  return { ca: path("ca.pem"), certificate: path("server.pem"), key: path("server.key") };
}

describeWithPython(
  testPython,
  "a server with a base path and a private authority",
  () => {
    test("is reached with its caFile, and without it or without the path the line says what is missing", async () => {
      const place = temporaryPlace();
      const { ca, certificate, key } = certificates();
      const token = "s3cret-of-the-hub";
      const port = freePort();
      const server = Bun.spawn({
        cmd: [
          testPython.path,
          "-m",
          "jupyter_server",
          "--allow-root",
          "--ServerApp.open_browser=False",
          "--ServerApp.ip=127.0.0.1",
          `--ServerApp.port=${port}`,
          "--ServerApp.port_retries=0",
          "--ServerApp.base_url=/user/ann/",
          `--ServerApp.certfile=${certificate}`,
          `--ServerApp.keyfile=${key}`,
        ],
        cwd: place.home,
        env: { PATH: process.env["PATH"] ?? "", HOME: place.home, JUPYTER_TOKEN: token },
        stdin: "ignore",
        stdout: "ignore",
        stderr: "pipe",
        detached: true,
      });
      try {
        await said("is running at", server.stderr);
        const url = `https://127.0.0.1:${port}/user/ann/`;
        const gateways = [
          { name: "hub", url, tokenEnv: "HUB_TOKEN", caFile: ca },
          { name: "unknown-ca", url, tokenEnv: "HUB_TOKEN" },
          { name: "no-path", url: `https://127.0.0.1:${port}/`, tokenEnv: "HUB_TOKEN", caFile: ca },
        ];
        const runAt = async (gateway: string) => {
          mkdirSync(join(place.home, ".omp/agent"), { recursive: true });
          const settings = JSON.stringify({ gateways, python: { gateway } });
          writeFileSync(join(place.home, ".omp/agent/omp.jsonc"), settings);
          const input = JSON.stringify({ cells: [{ code: "6 * 7" }] });
          return await omp(["tool", "python", input], { place, env: { HUB_TOKEN: token } });
        };
        expect((await runAt("hub")).stdout).toContain("42\n");
        expect((await runAt("unknown-ca")).stdout).toMatch(/not trusted .*caFile.* \(GATEWAY_TLS\)\n$/);
        expect((await runAt("no-path")).stdout).toMatch(/base path.* \(GATEWAY_NOT_FOUND\)\n$/);
      } finally {
        killGroup(server.pid, "SIGKILL");
        await server.exited;
      }
    });
  },
  ["jupyter_server"],
);

/** Waits for the words in a log, and lets the rest of it run off. */
async function said(words: string, log: ReadableStream<Uint8Array>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let text = "";
  const read = async () => {
    for await (const chunk of log) {
      text = (text + Buffer.from(chunk).toString()).slice(-20_000);
      if (text.includes(words)) resolve();
    }
    reject(new Error(`the server ended: ${text}`));
  };
  void read();
  await promise;
}
