import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ConfigAction, runConfig } from "../../src/commands/config.ts";
import { temporaryPlace } from "../support/home.ts";

function newPlace(texts: { global?: string; project?: string } = {}) {
  const { home, project } = temporaryPlace();
  const globalFile = join(home, ".omp", "agent", "omp.jsonc");
  const projectFile = join(project, ".omp", "omp.jsonc");
  mkdirSync(join(project, ".git"));
  mkdirSync(join(project, "src"));
  mkdirSync(join(home, ".omp", "agent"), { recursive: true });
  if (texts.global !== undefined) writeFileSync(globalFile, texts.global);
  if (texts.project !== undefined) {
    mkdirSync(join(project, ".omp"));
    writeFileSync(projectFile, texts.project);
  }
  const run = async (action: ConfigAction, { isTrusted = true } = {}) => {
    let stdout = "";
    let stderr = "";
    const exitCode = await runConfig(
      action,
      {
        stdout: (text) => {
          stdout += text;
        },
        stderr: (text) => {
          stderr += text;
        },
      },
      { env: { HOME: home }, cwd: join(project, "src"), isTrusted },
    );
    return { exitCode, stdout, stderr };
  };
  return { globalFile, projectFile, run };
}

const quiet = { exitCode: 0, stderr: "" };

test("list shows every key, its value and where that comes from", async () => {
  const { run } = newPlace({
    global: `{ "python": { "toolMode": "bash-only", "startTimeout": 5 } }`,
    project: `{ "python": { "toolMode": "ipy-only" }, "tools": { "enable": ["exec"] } }`,
  });
  expect(await run({ name: "list" })).toEqual({
    ...quiet,
    stdout: [
      "python.interpreter         not set     default",
      'python.toolMode            "ipy-only"  project',
      'python.kernelMode          "session"   default',
      "python.sharedGateway       false       default",
      "python.gateway             not set     default",
      "python.kernelSpec          not set     default",
      "python.startTimeout        5           global",
      "python.idleTimeout         300         default",
      "python.scriptTimeout       60          default",
      'python.transport           "auto"      default',
      "python.forkServer          true        default",
      "python.keepState           false       default",
      "python.keepStateMb         2000        default",
      "python.keepStateValueMb    1000        default",
      "python.keepStateTimeout    5           default",
      "python.checkpoints         20          default",
      "python.checkpointMemoryMb  2048        default",
      "environment.pass           []          default",
      "artifacts.maxTotalMb       5120        default",
      "artifacts.maxAgeDays       14          default",
      "files.checkpoints          true        default",
      "files.maxFileMb            10          default",
      "files.maxTotalMb           2048        default",
      "files.maxAgeDays           30          default",
      'tools.enable               ["exec"]    project',
      "bridge.existingKernels     false       default",
      "bridge.maxCalls            10000       default",
      "bridge.maxConcurrency      32          default",
      "bridge.maxCostUsd          5           default",
      "bridge.maxDepth            2           default",
      "bash.allow                 []          default",
      "bash.deny                  []          default",
      'bash.workingDirectory      "any"       default',
      "model                      not set     default",
      "endpoints                  []          default",
      "gateways                   []          default",
      "mcp.servers                {}          default",
      'mcp.expose                 "auto"      default',
      "mcp.sandbox                false       default",
      "mcp.startTimeout           30          default",
      "mcp.timeout                60          default",
      'approval                   "auto"      default',
      'sandbox                    "off"       default',
      "sandboxAllow.paths         []          default",
      "sandboxAllow.hosts         []          default",
      'ui.theme                   "auto"      default',
      "ui.ascii                   false       default",
      "ui.screenReader            false       default",
      'ui.images                  "auto"      default',
      'ui.notify                  "auto"      default',
      "ui.notifyAfter             10          default",
      "",
    ].join("\n"),
  });
});

test("list --json is an object by key", async () => {
  const { run } = newPlace({ project: `{ "python": { "toolMode": "ipy-only" } }` });
  const { stdout, ...rest } = await run({ name: "list", json: true });
  expect(rest).toEqual(quiet);
  expect(JSON.parse(stdout)).toMatchObject({
    "python.interpreter": { value: null, origin: "default" },
    "python.toolMode": { value: "ipy-only", origin: "project" },
    "environment.pass": { value: [], origin: "default" },
  });
});

test.each([
  ["python.toolMode", "both\n", '"both"\n'],
  ["python.startTimeout", "30\n", "30\n"],
  ["tools.enable", '["exec"]\n', '[\n  "exec"\n]\n'],
  ["python.interpreter", "\n", "null\n"],
])("get %s", async (key, text, json) => {
  const { run } = newPlace({ global: `{ "tools": { "enable": ["exec"] } }` });
  expect(await run({ name: "get", key })).toEqual({ ...quiet, stdout: text });
  expect(await run({ name: "get", key, json: true })).toEqual({ ...quiet, stdout: json });
});

test("path prints both files", async () => {
  const { globalFile, projectFile, run } = newPlace();
  expect(await run({ name: "path" })).toEqual({
    ...quiet,
    stdout: `global   ${globalFile}\nproject  ${projectFile}\n`,
  });
  expect(JSON.parse((await run({ name: "path", json: true })).stdout)).toEqual({
    global: globalFile,
    project: projectFile,
  });
});

test("path answers even when a file is broken", async () => {
  expect((await newPlace({ global: "{" }).run({ name: "path" })).exitCode).toBe(0);
});

test("set writes the user's file, keeps its comments, and get sees it", async () => {
  const { globalFile, projectFile, run } = newPlace({
    global: `{\n  // why\n  "python": {\n    "startTimeout": 5, // slow\n  },\n}\n`,
  });
  expect(await run({ name: "set", key: "python.toolMode", value: "bash-only" })).toEqual({
    ...quiet,
    stdout: `python.toolMode = "bash-only" in ${globalFile}\n`,
  });
  expect(readFileSync(globalFile, "utf8")).toBe(
    `{\n  // why\n  "python": {\n    "startTimeout": 5, // slow\n    "toolMode": "bash-only",\n  },\n}\n`,
  );
  expect((await run({ name: "get", key: "python.toolMode" })).stdout).toBe("bash-only\n");
  expect(existsSync(projectFile)).toBe(false);
});

test("set --project makes the project's file", async () => {
  const { globalFile, projectFile, run } = newPlace();
  expect(await run({ name: "set", key: "tools.enable", value: '["exec"]', project: true })).toEqual({
    ...quiet,
    stdout: `tools.enable = ["exec"] in ${projectFile}\n`,
  });
  expect(JSON.parse(readFileSync(projectFile, "utf8"))).toEqual({ tools: { enable: ["exec"] } });
  expect(existsSync(globalFile)).toBe(false);
});

test.each([
  ["python.sharedGateway", "true", true],
  ["python.startTimeout", "12.5", 12.5],
  ["python.interpreter", "/usr/bin/python3", "/usr/bin/python3"],
  ["python.interpreter", '"/usr/bin/python3"', "/usr/bin/python3"],
  ["python.interpreter", "3.13", "3.13"],
  ["python.interpreter", "~/my env/bin/python", "~/my env/bin/python"],
])("set %s %s", async (key, value, stored) => {
  const { run } = newPlace();
  await run({ name: "set", key, value });
  expect(JSON.parse((await run({ name: "get", key, json: true })).stdout)).toEqual(stored);
});

test("set null takes the key out again", async () => {
  const { globalFile, run } = newPlace({
    global: `{ "python": { "interpreter": "x" /* old */ } }`,
  });
  expect(await run({ name: "set", key: "python.interpreter", value: "null" })).toEqual({
    ...quiet,
    stdout: `python.interpreter = not set in ${globalFile}\n`,
  });
  expect(readFileSync(globalFile, "utf8")).toBe(`{ "python": {  /* old */ } }`);
});

test("set says when the project's file overrides it", async () => {
  const { globalFile, projectFile, run } = newPlace({ project: `{ "python": { "toolMode": "both" } }` });
  expect(await run({ name: "set", key: "python.toolMode", value: "bash-only" })).toEqual({
    exitCode: 0,
    stdout: `python.toolMode = "bash-only" in ${globalFile}\n`,
    stderr: `config: the project's settings also set 'python.toolMode' and take precedence here: ${projectFile} (OVERRIDDEN)\n`,
  });
});

test("set in the user's file works beside a broken project file, which is mentioned", async () => {
  const { projectFile, run } = newPlace({ project: "{" });
  expect(await run({ name: "set", key: "python.toolMode", value: "both" })).toMatchObject({
    exitCode: 0,
    stderr: `settings: close brace expected at ${projectFile}:1:2 (SYNTAX_ERROR)\n`,
  });
});

test.each<[ConfigAction, string]>([
  [
    { name: "get", key: "python.toolmod" },
    "config: unknown key 'python.toolmod', did you mean 'python.toolMode'? (UNKNOWN_KEY)\n",
  ],
  [
    { name: "get", key: "artifacts" },
    "config: 'artifacts' is a group; its keys are artifacts.maxTotalMb, artifacts.maxAgeDays (UNKNOWN_KEY)\n",
  ],
  [
    { name: "get", key: "__proto__" },
    "config: unknown key '__proto__'; 'omp config list' shows every key (UNKNOWN_KEY)\n",
  ],
  [
    { name: "set", key: "$schema", value: "x" },
    "config: unknown key '$schema'; 'omp config list' shows every key (UNKNOWN_KEY)\n",
  ],
  [
    { name: "set", key: "python.forkServer", value: "yes" },
    "config: 'python.forkServer' must be true or false, not \"yes\" (INVALID_VALUE)\n",
  ],
  [
    { name: "set", key: "python.startTimeout", value: "601" },
    "config: 'python.startTimeout' must be a number from 1 to 600, not 601 (INVALID_VALUE)\n",
  ],
  [
    { name: "set", key: "tools.enable", value: '["a", "b c"]' },
    "config: each item of 'tools.enable' must be the name of a tool, not \"b c\" (INVALID_VALUE)\n",
  ],
  [
    { name: "set", key: "tools.enable", value: "exec" },
    "config: 'tools.enable' must be a list of strings, not \"exec\" (INVALID_VALUE)\n",
  ],
])("%j is refused with one line, and nothing is written", async (action, stderr) => {
  const { globalFile, run } = newPlace();
  expect(await run(action)).toEqual({ exitCode: 2, stdout: "", stderr });
  expect(existsSync(globalFile)).toBe(false);
});

test.each<ConfigAction>([
  { name: "list" },
  { name: "get", key: "python.toolMode" },
  { name: "set", key: "python.toolMode", value: "both" },
])(
  "$name with a broken settings file is refused with one line, and the file is left alone",
  async (action) => {
    const { globalFile, run } = newPlace({ global: `{ "pythn": {} }` });
    expect(await run(action)).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: `settings: unknown key 'pythn' at ${globalFile}:1:3, did you mean 'python'? (UNKNOWN_KEY)\n`,
    });
    expect(readFileSync(globalFile, "utf8")).toBe(`{ "pythn": {} }`);
  },
);

test("a gateway's token stays in the file", async () => {
  const { globalFile, run } = newPlace();
  const value = JSON.stringify([{ name: "lab", url: "https://lab.example/", token: "s3cret" }]);
  const outputs = [
    await run({ name: "set", key: "gateways", value }),
    await run({ name: "get", key: "gateways" }),
    await run({ name: "get", key: "gateways", json: true }),
    await run({ name: "list" }),
    await run({ name: "list", json: true }),
  ];
  expect(outputs.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0, 0]);
  expect(readFileSync(globalFile, "utf8")).toContain("s3cret");
  expect(outputs[1]?.stdout).toBe('[{"name":"lab","url":"https://lab.example/","token":"(not shown)"}]\n');
  expect(JSON.stringify(outputs)).not.toContain("s3cret");
});
