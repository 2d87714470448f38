import { beforeEach, expect, test } from "bun:test";
import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ompPaths } from "../../src/config/paths.ts";
import { loadSettingsWithOrigins, settingsFiles } from "../../src/config/settings.ts";
import { openProject, readTrust, revokeTrust, trustProject } from "../../src/config/trust.ts";
import { temporaryPlace } from "../support/home.ts";

let project: string;
let paths: ReturnType<typeof ompPaths>;
beforeEach(() => {
  const place = temporaryPlace();
  ({ project } = place);
  paths = ompPaths({ env: { HOME: place.home } });
});

const subject = (cwd = project) => ({ root: project, cwd, trustFile: paths.trustFile });
function put(file: string, text: string): void {
  mkdirSync(join(project, file, ".."), { recursive: true });
  writeFileSync(join(project, file), text);
}

test("a project without anything to run or obey needs no trust", () => {
  put("AGENTS.md", "Use tabs.");
  put(".omp/SYSTEM.md", "Be brief.");
  put("src/main.py", "print(1)");
  expect(readTrust(subject())).toEqual({ state: "nothing", wants: [], changes: [] });
  expect(openProject({ cwd: project }, paths).isTrusted).toBe(true);
});

test("settings, modules and an interpreter have to be trusted, once", () => {
  put(".omp/omp.jsonc", "{}");
  put(".omp/modules/x.py", "X = 1");
  put(".venv/bin/python", "#!/bin/sh\n");
  const wants = [".omp/modules/x.py", ".omp/omp.jsonc", ".venv/bin/python"];
  expect(readTrust(subject())).toEqual({ state: "untrusted", wants, changes: [] });
  expect(openProject({ cwd: project }, paths).isTrusted).toBe(false);
  expect(openProject({ cwd: project, isTrusted: true }, paths).isTrusted).toBe(true);
  expect(trustProject(subject())).toEqual({ state: "trusted", wants, changes: [] });
  expect(openProject({ cwd: project }, paths).isTrusted).toBe(true);
  expect(statSync(paths.trustFile).mode & 0o777).toBe(0o600);
});

test("an environment that the user has activated needs no question; what else there is does", () => {
  put(".venv/bin/python", "#!/bin/sh\n");
  const env = { VIRTUAL_ENV: join(project, ".venv") };
  expect(openProject({ cwd: project, env }, paths).trust).toEqual({
    state: "nothing",
    wants: [],
    changes: [],
  });
  expect(openProject({ cwd: project, env: { VIRTUAL_ENV: "/nowhere" } }, paths).isTrusted).toBe(false);
  put(".omp/omp.jsonc", "{}");
  const { trust, isTrusted } = openProject({ cwd: project, env }, paths);
  expect([trust.wants, isTrusted]).toEqual([[".omp/omp.jsonc"], false]);
});

test("what changes or is added is named, and has to be trusted again", () => {
  put(".omp/omp.jsonc", "{}");
  put(".venv/bin/python", "#!/bin/sh\n");
  trustProject(subject());
  put(".omp/omp.jsonc", '{ "approval": "ask" }');
  put(".omp/modules/new.py", "X = 1");
  put(".venv/bin/python", "#!/bin/sh\ntouch evil\n");
  const changes = [".omp/modules/new.py", ".omp/omp.jsonc", ".venv/bin/python"];
  expect(readTrust(subject())).toMatchObject({ state: "changed", changes });
  expect(openProject({ cwd: project }, paths).isTrusted).toBe(false);
  trustProject(subject());
  rmSync(join(project, ".omp/modules/new.py"));
  expect(readTrust(subject()).state).toBe("trusted");
});

test.each([
  ["a directory", "./tools", ["tools/bin/python", "tools/pyvenv.cfg"]],
  ["a program", "tools/python.sh", ["tools/python.sh"]],
])("a Python that the project's settings name as %s is part of what is trusted", (_, interpreter, files) => {
  put(".omp/omp.jsonc", JSON.stringify({ python: { interpreter } }));
  for (const file of files) put(file, "#!/bin/sh\n");
  expect(readTrust(subject()).wants).toEqual([".omp/omp.jsonc", ...files]);
  expect(trustProject(subject()).state).toBe("trusted");
  for (const file of files) {
    put(file, "#!/bin/sh\ntouch evil\n");
    expect(readTrust(subject())).toMatchObject({ state: "changed", changes: [file] });
    trustProject(subject());
  }
});

test("a name that would look like something else in a list is quoted", () => {
  const names = ["x\n  (nothing else).py", "\u202eyp.x.py", "\u009b2K.py"];
  for (const name of names) put(`.omp/modules/${name}`, "");
  const shown = [
    "'.omp/modules/x\\n  (nothing else).py'",
    "'.omp/modules/\\u{202e}yp.x.py'",
    "'.omp/modules/\\u{9b}2K.py'",
  ];
  expect([...readTrust(subject()).wants].sort()).toEqual(shown.sort());
  trustProject(subject());
  for (const name of names) put(`.omp/modules/${name}`, "1");
  const { state, changes } = readTrust(subject());
  expect([state, [...changes].sort()]).toEqual(["changed", shown]);
});

test("a link is known by where it leads, and by what it leads to inside the project", () => {
  mkdirSync(join(project, ".venv/bin"), { recursive: true });
  symlinkSync("/usr/bin/python3", join(project, ".venv/bin/python"));
  put("tools/script", "one");
  mkdirSync(join(project, "venv/bin"), { recursive: true });
  symlinkSync("../../tools/script", join(project, "venv/bin/python"));
  trustProject(subject());
  put("tools/script", "two");
  expect(readTrust(subject()).changes).toEqual(["venv/bin/python"]);
  trustProject(subject());
  rmSync(join(project, ".venv/bin/python"));
  symlinkSync("../../tools/script", join(project, ".venv/bin/python"));
  expect(readTrust(subject()).changes).toEqual([".venv/bin/python"]);
});

test("an environment further down is asked for from there, and keeps the rest trusted", () => {
  put(".omp/omp.jsonc", "{}");
  put("api/.venv/bin/python", "#!/bin/sh\n");
  trustProject(subject());
  const below = subject(join(project, "api"));
  expect(readTrust(below)).toMatchObject({ state: "changed", changes: ["api/.venv/bin/python"] });
  trustProject(below);
  expect([readTrust(below).state, readTrust(subject()).state]).toEqual(["trusted", "trusted"]);
});

test("pixi's environment is asked for, and a lock file where its tool is there and no environment goes before it", () => {
  put("poetry.lock", "one");
  const bin = join(project, "../bin");
  mkdirSync(bin);
  const here = { ...subject(), searchPath: bin };
  expect(readTrust(here).state).toBe("nothing");
  writeFileSync(join(bin, "poetry"), "#!/bin/sh\n", { mode: 0o755 });
  expect(readTrust(here)).toEqual({ state: "untrusted", wants: ["poetry.lock"], changes: [] });
  expect(readTrust(subject()).state).toBe("nothing");
  trustProject(subject());
  put("poetry.lock", "two");
  expect(readTrust(here).state).toBe("trusted");
  put(".pixi/envs/default/bin/python", "#!/bin/sh\n");
  const changes = [".pixi/envs/default/bin/python"];
  expect(readTrust(here)).toEqual({ state: "changed", wants: changes, changes });
});

test("trust can be taken back", () => {
  put(".omp/omp.jsonc", "{}");
  expect(revokeTrust(subject())).toBe(false);
  trustProject(subject());
  expect(revokeTrust(subject())).toBe(true);
  expect(readTrust(subject()).state).toBe("untrusted");
});

test("a damaged list trusts nothing, and is left as it is", () => {
  put(".omp/omp.jsonc", "{}");
  mkdirSync(join(paths.trustFile, ".."), { recursive: true });
  writeFileSync(paths.trustFile, "{");
  const message = `trust: the list of trusted projects cannot be read: ${paths.trustFile}; fix or remove it (SYNTAX_ERROR)`;
  expect(() => readTrust(subject())).toThrow(message);
  expect(() => trustProject(subject())).toThrow(message);
  expect(readFileSync(paths.trustFile, "utf8")).toBe("{");
});

test("of a project that is not trusted only what makes omp stricter is used, and nothing of it stops omp", async () => {
  const load = async () => {
    const { settings, origin } = await loadSettingsWithOrigins(
      settingsFiles({ env: { HOME: paths.userHome }, cwd: project }),
    );
    return { settings, origin };
  };
  put(
    ".omp/omp.jsonc",
    JSON.stringify({
      approval: "ask",
      bash: { deny: ["curl"], workingDirectory: "project" },
      python: { interpreter: "./evil" },
    }),
  );
  const { settings, origin } = await load();
  expect(settings.approval).toBe("ask");
  expect(settings.bash).toEqual({ allow: [], deny: ["curl"], workingDirectory: "project" });
  expect(settings.python.interpreter).toBeUndefined();
  expect(origin("approval")).toBe("project");
  put(".omp/omp.jsonc", '{ "nonsense": ');
  expect((await load()).settings.approval).toBe("auto");
  put(".omp/omp.jsonc", '{ "model": "evil/m" }');
  expect((await load()).settings.model).toBeUndefined();
});

test("started in the home, omp does not take its own files for the project's", () => {
  const packages = join(paths.pythonEnvironment, "lib");
  mkdirSync(join(paths.home, "modules"), { recursive: true });
  mkdirSync(packages, { recursive: true });
  for (let file = 0; file <= 1_000; file += 1) writeFileSync(join(packages, `${file}.py`), "");
  const atHome = openProject({ cwd: paths.userHome }, paths);
  expect([atHome.root, atHome.trust.state, atHome.isTrusted]).toEqual([paths.userHome, "nothing", true]);
});

test("what is behind a link counts only inside the project, and a link to a directory above does not end in a loop", () => {
  put("tools/omp-modules/x.py", "");
  mkdirSync(join(project, ".omp"), { recursive: true });
  symlinkSync("../tools/omp-modules", join(project, ".omp/modules"));
  symlinkSync("/", join(project, ".omp/all"));
  symlinkSync("..", join(project, ".omp/up"));
  expect(readTrust(subject()).wants).toEqual([".omp/modules/x.py"]);
  trustProject(subject());
  expect(readTrust(subject()).state).toBe("trusted");
  put("tools/omp-modules/x.py", "1");
  expect(readTrust(subject())).toMatchObject({
    state: "changed",
    changes: [".omp/modules/x.py"],
  });
});

test("an environment that has only a python3 is one", () => {
  put(".venv/bin/python3", "");
  expect(readTrust(subject())).toMatchObject({ state: "untrusted", wants: [".venv/bin/python3"] });
  put(".venv/bin/python", "");
  expect(readTrust(subject()).wants).toEqual([".venv/bin/python"]);
});

test("a project with more files than anybody would look at is never trusted, and is no error before", () => {
  put(".omp/omp.jsonc", "{}");
  for (let file = 0; file < 1_001; file += 1) writeFileSync(join(project, ".omp", String(file)), "");
  expect(readTrust(subject())).toEqual({ state: "untrusted", wants: [".omp"], changes: [] });
  expect(() => trustProject(subject())).toThrow(
    `trust: ${join(project, ".omp")} has more than 1000 files (TOO_MANY_FILES)`,
  );
});
