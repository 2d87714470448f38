import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ownFileInUse, projectFileInUse } from "../../src/config/earlier.ts";
import { ompPaths, projectPathsIn } from "../../src/config/paths.ts";
import { settingsSchema } from "../../src/config/schema.ts";
import { loadSettingsWithOrigins, settingsFiles } from "../../src/config/settings.ts";
import { temporaryPlace, trustPlace } from "../support/home.ts";

function placeWith(files: Readonly<Record<string, unknown>>) {
  const place = temporaryPlace();
  const paths = ompPaths({ env: { HOME: place.home } });
  for (const [name, content] of Object.entries(files)) {
    const directory = name.startsWith("project/") ? dirname(place.project) : dirname(paths.settingsFile);
    const file = join(directory, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  }
  const agent = dirname(paths.settingsFile);
  const plain = (text: string) => text.replaceAll(agent, "AGENT").replaceAll(place.project, "PROJECT");
  return { place, paths, plain, invocation: { env: { HOME: place.home }, cwd: place.project } };
}

function ownWith(files: Readonly<Record<string, unknown>>) {
  const { paths, plain } = placeWith(files);
  const { file, held, warnings } = ownFileInUse(paths);
  return { file: plain(file), held, warnings: warnings.map(plain) };
}

const readOnly = { approval: "read-only" };

test("without any file, the file of our own name is the one", () => {
  expect(ownWith({})).toEqual({ file: "AGENT/omp.jsonc", held: {}, warnings: [] });
});

test.each([
  [
    "all keys are ours",
    { approval: "ask", ui: { theme: "dark" }, model: "a/b", python: { kernelSpec: "x" } },
  ],
  ["it has comments", '{ // mine\n "approval": "ask", }'],
  ["a value is bad, which is reported as before", { approval: "never" }],
  ["it is broken, which is reported as before", '{ "approval": '],
])("the earlier file is used when %s", (_why, content) => {
  expect(ownWith({ "settings.json": content })).toEqual({
    file: "AGENT/settings.json",
    held: {},
    warnings: [],
  });
});

test.each([
  ["oh-my-pi's", { theme: "dark", python: { kernelMode: "session" }, tools: { approvalMode: "yolo" } }],
  ["empty", "{}"],
  ["a list", "[1]"],
])("an earlier file that is %s is none", (_what, content) => {
  expect(ownWith({ "settings.json": content })).toEqual({ file: "AGENT/omp.jsonc", held: {}, warnings: [] });
});

test("the file of our own name counts alone, even when it cannot be read as settings", () => {
  const others = { "settings.json": readOnly, "settings.json.bak": readOnly };
  for (const content of ["", "{", "{}"]) {
    expect(ownWith({ "omp.jsonc": content, ...others })).toEqual({
      file: "AGENT/omp.jsonc",
      held: {},
      warnings: [],
    });
  }
});

test("what oh-my-pi renamed is named, and holds as far as it is strict", () => {
  const content = { ...readOnly, model: "a/b", bash: { allow: ["x"], deny: ["git push"] } };
  expect(ownWith({ "settings.json.bak": content })).toEqual({
    file: "AGENT/omp.jsonc",
    held: { approval: "read-only", bash: { deny: ["git push"] } },
    warnings: [
      "settings: AGENT/settings.json.bak has your settings of omp, renamed by another program (oh-my-pi does this); " +
        'until you decide, omp uses only approval = "read-only", bash.deny = ["git push"] from it; ' +
        "to use them: cp AGENT/settings.json.bak AGENT/omp.jsonc, to start over: omp config set approval auto|ask|read-only (RENAMED)",
    ],
  });
});

test("a renamed file that is broken still holds its approval", () => {
  expect(ownWith({ "settings.json.bak": '{ "approval": "ask", ' }).held).toEqual({ approval: "ask" });
});

test("a renamed file without anything strict is named as long as no other is used", () => {
  const renamed = { "settings.json.bak": { model: "a/b" } };
  expect(ownWith(renamed).warnings).toEqual([
    "settings: AGENT/settings.json.bak has your settings of omp, renamed by another program (oh-my-pi does this); " +
      "omp uses none of them; to use them: cp AGENT/settings.json.bak AGENT/omp.jsonc, to start over: delete AGENT/settings.json.bak (RENAMED)",
  ]);
  expect(ownWith({ ...renamed, "settings.json": { ui: { theme: "dark" } } }).warnings).toEqual([]);
  expect(ownWith({ "settings.json.bak": { theme: "dark" } }).warnings).toEqual([]);
});

test("what an earlier file of ours sets is decided; the rest of the renamed one holds", () => {
  const { file, held, warnings } = ownWith({
    "settings.json": { approval: "auto" },
    "settings.json.bak": { ...readOnly, bash: { workingDirectory: "project" } },
  });
  expect({ file, held, count: warnings.length }).toEqual({
    file: "AGENT/settings.json",
    held: { bash: { workingDirectory: "project" } },
    count: 1,
  });
});

test("a file with keys of ours among others makes omp only stricter, and is named", () => {
  expect(ownWith({ "settings.json": { ...readOnly, theme: "dark", model: "a/b" } })).toEqual({
    file: "AGENT/omp.jsonc",
    held: readOnly,
    warnings: [
      "settings: AGENT/settings.json has settings of omp among others that omp does not know; " +
        'omp uses only approval = "read-only" from it; copy yours to AGENT/omp.jsonc (MIXED)',
    ],
  });
});

test("every setting of the schema is known to be ours", () => {
  const groups = Object.entries(settingsSchema.shape);
  const content = Object.fromEntries(
    groups.map(([name, schema]) => {
      const inner = "unwrap" in schema ? schema.unwrap() : schema;
      const keys = "shape" in inner ? Object.keys(inner.shape as object) : undefined;
      return [name, keys === undefined ? "x" : Object.fromEntries(keys.map((key) => [key, 1]))];
    }),
  );
  expect(Object.keys(content)).toContain("python");
  expect(ownWith({ "settings.json": content }).file).toBe("AGENT/settings.json");
});

test("a project's earlier file is used if it is ours; oh-my-pi's is no error, and can only be strict", async () => {
  const inUse = (content: unknown) => {
    const { place, plain } = placeWith({ "project/.omp/settings.json": content });
    const { file, held } = projectFileInUse(projectPathsIn(place.project));
    return { file: plain(file), held };
  };
  const ours = "PROJECT/.omp/omp.jsonc";
  expect(inUse({ python: { toolMode: "both" } })).toEqual({ file: "PROJECT/.omp/settings.json", held: {} });
  expect(inUse({ theme: "dark", bash: { enabled: true } })).toEqual({ file: ours, held: {} });
  expect(inUse({ theme: "dark", ...readOnly })).toEqual({ file: ours, held: readOnly });
  // oh-my-pi's may name a model; ours may not.
  expect(inUse({ model: "a/b", approval: "ask" })).toEqual({ file: ours, held: { approval: "ask" } });
  expect(inUse("{ nonsense")).toEqual({ file: ours, held: {} });
});

test("what holds is in force, from both, and the project's only ever stricter", async () => {
  const { place, invocation, plain } = placeWith({
    "settings.json.bak": { approval: "ask", bash: { deny: ["a"] } },
    "project/.omp/settings.json": { theme: "x", approval: "read-only", bash: { deny: ["b"] } },
  });
  trustPlace(place);
  const { settings, origin, warnings } = await loadSettingsWithOrigins(settingsFiles(invocation));
  expect({
    approval: settings.approval,
    deny: settings.bash.deny,
    origin: origin("approval"),
    warnings: warnings.map((line) => plain(line).slice(0, 34)),
  }).toEqual({
    approval: "read-only",
    deny: ["a", "b"],
    origin: "project",
    warnings: ["settings: AGENT/settings.json.bak "],
  });
});
