/** `gateways` and `endpoints`: valid values, whose file may hold them, and that no error repeats a possible secret. */

import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { settingKey } from "../../src/config/keys.ts";
import { valueProblem } from "../../src/config/save.ts";
import { loadSettings } from "../../src/config/settings.ts";
import { temporaryDirectory } from "../support/home.ts";

function filesWith(contents: { global?: unknown; project?: unknown }) {
  const directory = temporaryDirectory();
  const files = { globalFile: join(directory, "global.json"), projectFile: join(directory, "project.json") };
  if (contents.global !== undefined) writeFileSync(files.globalFile, JSON.stringify(contents.global));
  if (contents.project !== undefined) writeFileSync(files.projectFile, JSON.stringify(contents.project));
  return files;
}

async function errorOf(contents: { global?: unknown; project?: unknown }): Promise<string> {
  const files = filesWith(contents);
  const error = await loadSettings(files).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Error)) throw new Error("expected an error", { cause: error });
  return error.message.replaceAll(files.globalFile, "GLOBAL").replaceAll(files.projectFile, "PROJECT");
}

const lab = { name: "lab", url: "https://lab.example:8888/user/ann/", tokenEnv: "LAB_TOKEN" };

test("several named gateways, with everything that one may have", async () => {
  const whole = {
    ...lab,
    caFile: "~/ca.pem",
    kernelSpec: "spark_python",
    env: { KERNEL_NAMESPACE: "ann" },
  };
  const gateways = [whole, { name: "plain", url: "http://127.0.0.1:8888", token: "abc" }];
  const settings = await loadSettings(filesWith({ global: { gateways } }));
  expect(settings.gateways).toEqual(gateways);
});

test.each([
  [
    { url: "https://h/" },
    "'gateways[0]' needs 'name': a unique name of lower-case letters, digits, - and _, other than `local` at GLOBAL:1:14",
  ],
  [
    { name: "local", url: "https://h/" },
    "'gateways[0].name' must be a unique name of lower-case letters, digits, - and _, other than `local` at GLOBAL:1:22",
  ],
  [
    { name: "a", url: "https://ann:secret@h/" },
    "'gateways[0].url' must be an http:// or https:// address without a password, query string or token at GLOBAL:1:32",
  ],
  [
    { name: "a", url: "https://h/?token=secret" },
    "'gateways[0].url' must be an http:// or https:// address without a password, query string or token at GLOBAL:1:32",
  ],
  [
    { name: "a", url: "https://h/", token: 12345 },
    "'gateways[0].token' must be a non-empty string at GLOBAL:1:53",
  ],
  [
    { name: "a", url: "https://h/", env: { SECRET: "x" } },
    "'gateways[0].env' must be an object of strings whose names start with KERNEL_ at GLOBAL:1:61",
  ],
])("%j", async (gateway, message) => {
  expect(await errorOf({ global: { gateways: [gateway] } })).toBe(`settings: ${message} (INVALID_VALUE)`);
});

test("an unknown field names the nearest one", async () => {
  expect(await errorOf({ global: { gateways: [{ name: "a", url: "https://h/", tokenenv: "X" }] } })).toBe(
    "settings: unknown key 'tokenenv' in 'gateways[0]' at GLOBAL:1:45, did you mean 'tokenEnv'? (UNKNOWN_KEY)",
  );
});

test("a name may be used only once", async () => {
  expect(await errorOf({ global: { gateways: [lab, lab] } })).toContain(
    "'gateways[1].name' must be a unique name of lower-case letters, digits, - and _, other than `local` at GLOBAL:",
  );
});

test("a value in the wrong place is not repeated", async () => {
  expect(await errorOf({ global: { gateways: "secret" } })).toBe(
    "settings: 'gateways' must be a list at GLOBAL:1:13 (INVALID_VALUE)",
  );
  expect(await errorOf({ global: { gateways: ["secret"] } })).toBe(
    "settings: each item of 'gateways' must be an object at GLOBAL:1:14 (INVALID_VALUE)",
  );
});

test("omp config set says the same", () => {
  const problem = (value: unknown) => valueProblem(settingKey("gateways"), value)?.message;
  expect(problem([lab])).toBeUndefined();
  expect(problem([{ name: "a" }])).toBe(
    "config: 'gateways[0]' needs 'url': an http:// or https:// address without a password, query string or token (INVALID_VALUE)",
  );
  expect(problem([{ ...lab, tokens: "secret" }])).toBe(
    "config: unknown key 'tokens' in 'gateways[0]', did you mean 'token'? (INVALID_VALUE)",
  );
});

test("a project may choose one of the user's gateways", async () => {
  const files = filesWith({ global: { gateways: [lab] }, project: { python: { gateway: "lab" } } });
  const { python, gateways } = await loadSettings(files);
  expect(python.gateway).toBe("lab");
  expect(gateways).toEqual([lab]);
});

test.each([
  ["gateways", { gateways: [lab] }, "it could send your code and tokens elsewhere"],
  ["endpoints", { endpoints: [] }, "it could send your conversation and keys elsewhere"],
  ["model", { model: "theirs/m" }, "it could send your conversation elsewhere"],
  ["environment.pass", { environment: { pass: ["KEY"] } }, "it could show your secrets to programs"],
  ["bash.allow", { bash: { allow: ["rm *"] } }, "it could allow commands that you have not"],
  ["python.transport", { python: { transport: "tcp" } }, "it could show what cells print to others"],
])("a project cannot set %s", async (key, project, why) => {
  expect(await errorOf({ project })).toBe(
    `settings: the project's PROJECT may not set '${key}': ${why}; move it to your own settings (INVALID_VALUE)`,
  );
});

test("an endpoint's model may have a price", async () => {
  const price = { input: 0.5, output: 1.5, cacheRead: 0.05 };
  const endpoint = { name: "mine", baseUrl: "http://127.0.0.1:9/v1", models: [{ id: "m", price }] };
  const files = filesWith({ global: { endpoints: [endpoint] } });
  expect((await loadSettings(files)).endpoints).toEqual([endpoint]);
});
