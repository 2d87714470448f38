import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defaultSettings } from "../../src/config/defaults.ts";
import { ConfigError } from "../../src/config/errors.ts";
import { settingsSchema } from "../../src/config/schema.ts";
import { loadSettings, loadSettingsWithOrigins } from "../../src/config/settings.ts";
import { temporaryDirectory, temporaryPlace } from "../support/home.ts";
import { checkout } from "../support/omp.ts";

function filesWith(texts: { global?: string | Uint8Array; project?: string }) {
  const directory = temporaryDirectory();
  const files = { globalFile: join(directory, "global.json"), projectFile: join(directory, "project.json") };
  if (texts.global !== undefined) writeFileSync(files.globalFile, texts.global);
  if (texts.project !== undefined) writeFileSync(files.projectFile, texts.project);
  return files;
}

/** The error of a global file with that text, its path written as `FILE`. */
async function problemOf(text: string | Uint8Array) {
  const files = filesWith({ global: text });
  const error = await loadSettings(files).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ConfigError)) throw new Error("expected a ConfigError", { cause: error });
  return { kind: error.kind, key: error.key, message: error.message.replaceAll(files.globalFile, "FILE") };
}

test("without any file the defaults are used", async () => {
  expect(await loadSettings(filesWith({}))).toBe(defaultSettings);
  expect(await loadSettings({ globalFile: "/nowhere/settings.json", projectFile: undefined })).toBe(
    defaultSettings,
  );
});

test("the schema fills in the same defaults", () => {
  expect(settingsSchema.parse({})).toEqual({ ...defaultSettings, python: { ...defaultSettings.python } });
  expect(Object.keys(settingsSchema.parse({}))).toEqual(Object.keys(defaultSettings));
});

test("without any file neither zod nor the JSON parser is loaded", async () => {
  const program = `
    const { loadSettings } = await import(${JSON.stringify(join(checkout, "src/config/settings.ts"))});
    await import(${JSON.stringify(join(checkout, "src/config/paths.ts"))});
    await import(${JSON.stringify(join(checkout, "src/config/environment.ts"))});
    await loadSettings({ globalFile: "/nowhere/a", projectFile: "/nowhere/b" });
    console.log(JSON.stringify(Object.keys(require.cache).filter((path) => path.includes("node_modules"))));`;
  const child = Bun.spawn([process.execPath, "-e", program], {
    cwd: checkout,
    stdout: "pipe",
    stderr: "inherit",
  });
  expect(JSON.parse(await new Response(child.stdout).text())).toEqual([]);
  expect(await child.exited).toBe(0);
});

test("the project's file overrides the user's, key by key", async () => {
  const loaded = await loadSettingsWithOrigins(
    filesWith({
      global: `{
        // mine
        "$schema": "somewhere",
        "python": { "toolMode": "bash-only", "startTimeout": 5, },
        "tools": { "enable": ["exec", "python_run"] },
      }`,
      project: `{ "python": { "toolMode": "ipy-only" /* here */, "interpreter": "py" }, "tools": { "enable": ["exec"] } }`,
    }),
  );
  expect(loaded.settings).toEqual({
    ...defaultSettings,
    python: { ...defaultSettings.python, toolMode: "ipy-only", startTimeout: 5, interpreter: "py" },
    tools: { enable: ["exec"] },
  });
  expect(
    ["python.toolMode", "python.startTimeout", "python.interpreter", "tools.enable", "python.transport"].map(
      loaded.origin,
    ),
  ).toEqual(["project", "global", "project", "project", "default"]);
});

test("the value is frozen all the way down", async () => {
  for (const text of [undefined, `{ "tools": { "enable": ["exec"] } }`]) {
    const settings = await loadSettings(filesWith(text === undefined ? {} : { project: text }));
    expect([
      settings,
      settings.python,
      settings.tools,
      settings.tools.enable,
      settings.environment.pass,
    ]).toSatisfy((parts) => parts.every(Object.isFrozen));
  }
});

test.each(["", " \n", "// nothing yet\n", "{}", "\uFEFF{}", "{\r\n}\r\n"])(
  "%p sets nothing, and is fine",
  async (text) => {
    expect(await loadSettings(filesWith({ global: text }))).toEqual(defaultSettings);
  },
);

test("an unknown key is reported with its position and the nearest key", async () => {
  expect(await problemOf(`{\n  "python": {\n    "toolmod": "both"\n  }\n}`)).toEqual({
    kind: "unknown-key",
    key: "python.toolmod",
    message:
      "settings: unknown key 'python.toolmod' at FILE:3:5, did you mean 'python.toolMode'? (UNKNOWN_KEY)",
  });
});

test.each([
  [`{ "pyton": {} }`, "settings: unknown key 'pyton' at FILE:1:3, did you mean 'python'? (UNKNOWN_KEY)"],
  [
    `{ "toolMode": "both" }`,
    "settings: unknown key 'toolMode' at FILE:1:3, did you mean 'python.toolMode'? (UNKNOWN_KEY)",
  ],
  [
    `{ "python.toolMode": "both" }`,
    `settings: unknown key 'python.toolMode' at FILE:1:3; write it as {"python": {"toolMode": …}} (UNKNOWN_KEY)`,
  ],
  [
    `{ "zzzzzz": 1 }`,
    "settings: unknown key 'zzzzzz' at FILE:1:3; 'omp config list' shows every key (UNKNOWN_KEY)",
  ],
  [
    `{ "__proto__": { "python": { "interpreter": "x" } } }`,
    "settings: unknown key '__proto__' at FILE:1:3; 'omp config list' shows every key (UNKNOWN_KEY)",
  ],
  [
    `{ "python": { "toString": 1 } }`,
    "settings: unknown key 'python.toString' at FILE:1:15; 'omp config list' shows every key (UNKNOWN_KEY)",
  ],
  [
    `{ "a\\u001b[2J\\nb": 1 }`,
    "settings: unknown key 'a\\u001b[2J\\nb' at FILE:1:3; 'omp config list' shows every key (UNKNOWN_KEY)",
  ],
])("unknown key in %p", async (text, message) => {
  expect((await problemOf(text)).message).toBe(message);
});

test.each([
  [
    `{ "python": { "toolMode": "bot" } }`,
    `'python.toolMode' must be "both", "ipy-only" or "bash-only", not "bot" at FILE:1:27`,
  ],
  [
    `{ "python": { "forkServer": "yes" } }`,
    `'python.forkServer' must be true or false, not "yes" at FILE:1:29`,
  ],
  [
    `{ "python": { "forkServer": null } }`,
    `'python.forkServer' must be true or false, not null at FILE:1:29`,
  ],
  [
    `{ "python": { "startTimeout": 0 } }`,
    `'python.startTimeout' must be a number from 1 to 600, not 0 at FILE:1:31`,
  ],
  [
    `{ "python": { "startTimeout": 1e999 } }`,
    `'python.startTimeout' must be a number from 1 to 600, not null at FILE:1:31`,
  ],
  [
    `{ "artifacts": { "maxAgeDays": 1.5 } }`,
    `'artifacts.maxAgeDays' must be a whole number from 1 to 3650, not 1.5 at FILE:1:32`,
  ],
  [
    `{ "python": { "interpreter": "" } }`,
    `'python.interpreter' must be a non-empty string, not "" at FILE:1:30`,
  ],
  [`{ "tools": { "enable": "exec" } }`, `'tools.enable' must be a list of strings, not "exec" at FILE:1:24`],
  [
    `{ "environment": { "pass": ["A",\n "B=C"] } }`,
    `each item of 'environment.pass' must be the name of a variable, or a prefix followed by *, not "B=C" at FILE:2:2`,
  ],
  [`{\n "python": 3 }`, `'python' must be an object, not 3 at FILE:2:12`],
  [`[1]`, `the file must contain an object, not [1] at FILE:1:1`],
  [
    `{ "python": { "toolMode": "${"x".repeat(99)}" } }`,
    `'python.toolMode' must be "both", "ipy-only" or "bash-only", not "${"x".repeat(38)}… at FILE:1:27`,
  ],
])("wrong value in %p", async (text, issue) => {
  expect(await problemOf(text)).toMatchObject({
    kind: "invalid-value",
    message: `settings: ${issue} (INVALID_VALUE)`,
  });
});

test("a duplicate key is reported, wherever it is", async () => {
  expect(await problemOf(`{\n "python": { "toolMode": "both",\n "toolMode": "bash-only" } }`)).toEqual({
    kind: "duplicate-key",
    key: "python.toolMode",
    message: "settings: duplicate key 'python.toolMode' at FILE:3:2 (DUPLICATE_KEY)",
  });
});

test("of several problems the first in the file is reported", async () => {
  const text = `{\n "python": { "toolMode": 1, "toolMode": 2 },\n "nonsense": 1 }`;
  expect((await problemOf(text)).message).toBe(
    "settings: duplicate key 'python.toolMode' at FILE:2:29 (DUPLICATE_KEY)",
  );
});

test.each([
  [`{\n  "python": {\n  "toolMode": "both"\n  "forkServer": true } }`, "comma expected at FILE:4:3"],
  [`{`, "close brace expected at FILE:1:2"],
  [`{} {}`, "end of file expected at FILE:1:4"],
  [`{ "python": tru }`, "invalid symbol at FILE:1:13"],
  [`{ "python": {} /* never closed`, "unexpected end of comment at FILE:1:16"],
])("not JSON: %p", async (text, issue) => {
  expect(await problemOf(text)).toEqual({
    kind: "syntax-error",
    key: undefined,
    message: `settings: ${issue} (SYNTAX_ERROR)`,
  });
});

test("text that is not UTF-8 is refused", async () => {
  expect((await problemOf(Uint8Array.of(0xff, 0xfe, 0x7b, 0x00))).message).toBe(
    "settings: FILE is not UTF-8 text (SYNTAX_ERROR)",
  );
});

test("a problem in the project's file names that file", async () => {
  const files = filesWith({ global: "{}", project: "{" });
  expect(loadSettings(files)).rejects.toThrow(
    `settings: close brace expected at ${files.projectFile}:1:2 (SYNTAX_ERROR)`,
  );
});

test("a file that cannot be read is reported with the system's code", async () => {
  const globalFile = join(temporaryDirectory(), "omp.jsonc");
  mkdirSync(globalFile);
  expect(loadSettings({ globalFile, projectFile: undefined })).rejects.toThrow(
    `settings: ${globalFile} is not a regular file (NOT_A_FILE)`,
  );
});

test("a file called .omp is not a settings directory", async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, ".omp"), "something else");
  expect(
    await loadSettings({ globalFile: "/nowhere/a", projectFile: join(directory, ".omp", "omp.jsonc") }),
  ).toBe(defaultSettings);
});

test.each([
  [`{ "approval": "ask" }`, `{ "approval": "auto" }`, "ask", "global", "auto"],
  [`{ "approval": "ask" }`, `{ "approval": "read-only" }`, "read-only", "project", "read-only"],
  [`{ "approval": "read-only" }`, `{ "approval": "ask" }`, "read-only", "global", "ask"],
  [`{ "approval": "auto" }`, `{ "approval": "ask" }`, "ask", "project", "ask"],
  [`{ "approval": "ask" }`, `{ "approval": "ask" }`, "ask", "project", "ask"],
  [`{}`, `{ "approval": "ask" }`, "ask", "project", "ask"],
  [`{ "approval": "ask" }`, `{}`, "ask", "global", "auto"],
] as const)("approval %s with a project's %s is %s", async (global, project, approval, origin, limit) => {
  const loaded = await loadSettingsWithOrigins(filesWith({ global, project }));
  expect(loaded.settings.approval).toBe(approval);
  expect(loaded.origin("approval")).toBe(origin);
  expect(loaded.projectApproval).toBe(limit);
});

test.each([
  [`{ "sandbox": "workspace" }`, `{ "sandbox": "off" }`, "workspace"],
  [`{ "sandbox": "workspace" }`, `{ "sandbox": "read-only" }`, "read-only"],
  [`{}`, `{ "sandbox": "workspace" }`, "workspace"],
] as const)("sandbox %s with a project's %s is %s, trusted or not", async (global, project, sandbox) => {
  for (const isProjectTrusted of [true, false]) {
    const loaded = await loadSettingsWithOrigins({ ...filesWith({ global, project }), isProjectTrusted });
    expect(loaded.settings.sandbox).toBe(sandbox);
  }
});

test("what a sandbox allows is only for the user to set", async () => {
  for (const key of ["paths", "hosts"]) {
    const project = `{ "sandboxAllow": { "${key}": ["x"] } }`;
    await expect(loadSettings(filesWith({ project }))).rejects.toThrow(
      `may not set 'sandboxAllow.${key}': it could leave the sandbox; move it to your own settings`,
    );
  }
});

test("a project adds to the denied commands, but cannot loosen the user's limits", async () => {
  const { settings, origin } = await loadSettingsWithOrigins(
    filesWith({
      global: `{ "bash": { "deny": ["git push", "sudo *"], "workingDirectory": "project" } }`,
      project: `{ "bash": { "deny": ["sudo *", "terraform *"], "workingDirectory": "any" } }`,
    }),
  );
  expect(settings.bash).toEqual({
    deny: ["git push", "sudo *", "terraform *"],
    workingDirectory: "project",
    allow: [],
  });
  expect(["bash.deny", "bash.workingDirectory"].map(origin)).toEqual(["project", "global"]);
});

test("a project's file that is a link out of it is ignored, with a warning", async () => {
  const { home, project } = temporaryPlace();
  mkdirSync(join(project, ".omp"));
  writeFileSync(join(home, "other.json"), '{ "approval": "ask" }');
  const projectFile = join(project, ".omp", "omp.jsonc");
  symlinkSync(join(home, "other.json"), projectFile);
  const { settings, warnings } = await loadSettingsWithOrigins({ globalFile: undefined, projectFile });
  expect(settings.approval).toBe("auto");
  expect(warnings).toEqual([
    `settings: ${projectFile} is a link to a file outside the project, so it is not used (LINK_OUTSIDE)`,
  ]);
});

test("a file that is nested too deeply is one line", async () => {
  expect(await problemOf("[".repeat(200_000))).toMatchObject({
    kind: "syntax-error",
    message: "settings: FILE is nested too deeply (SYNTAX_ERROR)",
  });
});
