import { expect, test } from "bun:test";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  endpointOf,
  isComplete,
  readConnectionFile,
  writeConnectionFile,
} from "../../../src/kernel/local/connection-file.ts";
import { temporaryDirectory } from "../../support/home.ts";

test("for ipc everything is known at once", () => {
  const directory = temporaryDirectory();
  const { path, info } = writeConnectionFile(directory, "ipc");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(isComplete(info)).toBe(true);
  expect(endpointOf(info, "shellPort")).toEqual({ transport: "ipc", path: join(directory, "s-1") });
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({
    transport: "ipc",
    ip: join(directory, "s"),
    shell_port: 1,
    key: info.key,
    signature_scheme: "hmac-sha256",
  });
  expect(readConnectionFile(path)).toEqual(info);
});

test("for tcp the kernel fills in its ports", () => {
  const { path, info } = writeConnectionFile(temporaryDirectory(), "tcp");
  expect(isComplete(info)).toBe(false);
  const file = JSON.parse(readFileSync(path, "utf8"));
  const ports = { shell_port: 1001, iopub_port: 1002, stdin_port: 1003, control_port: 1004, hb_port: 1005 };
  writeFileSync(path, JSON.stringify({ ...file, ...ports }));
  const filled = readConnectionFile(path);
  if (!filled) throw new Error("not read");
  expect(isComplete(filled)).toBe(true);
  expect(endpointOf(filled, "hbPort")).toEqual({ transport: "tcp", host: "127.0.0.1", port: 1005 });
});

test("for tcp a kernel that does not choose its ports is given five that are free", () => {
  const { info } = writeConnectionFile(temporaryDirectory(), "tcp", { choosesPorts: false });
  expect(isComplete(info)).toBe(true);
  const { shellPort, iopubPort, stdinPort, controlPort, hbPort } = info;
  const ports = [shellPort, iopubPort, stdinPort, controlPort, hbPort];
  expect(new Set(ports).size).toBe(5);
  for (const port of ports) Bun.listen({ hostname: info.ip, port, socket: { data: () => undefined } }).stop();
});

test("a file that the kernel is just writing is not there yet, wherever it stopped", () => {
  const { path } = writeConnectionFile(temporaryDirectory(), "tcp");
  const text = readFileSync(path, "utf8");
  for (let length = 0; length < text.length; length += 1) {
    writeFileSync(path, text.slice(0, length));
    expect(readConnectionFile(path)).toBeUndefined();
  }
  expect(readConnectionFile(`${path}.gone`)).toBeUndefined();
});

test("no two have the same key, and an existing file is not overwritten", () => {
  const directory = temporaryDirectory();
  const { info } = writeConnectionFile(directory, "ipc");
  expect(writeConnectionFile(temporaryDirectory(), "ipc").info.key).not.toBe(info.key);
  expect(() => writeConnectionFile(directory, "ipc")).toThrow("EEXIST");
});
