/** poetry and uv are programs on PATH that answer as the real ones do. */

import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ToolEnvironments } from "../../src/python/tool-environments.ts";
import { temporaryPlace } from "../support/home.ts";

function project({ poetry, uv }: { poetry?: string; uv?: string }) {
  const place = temporaryPlace();
  const bin = join(place.home, "bin");
  const cwd = join(place.project, "src");
  const environment = join(place.home, "environment");
  const calls = join(place.home, "calls");
  for (const directory of [bin, cwd, join(environment, "bin")]) mkdirSync(directory, { recursive: true });
  writeFileSync(join(environment, "bin/python"), "#!/bin/sh\n", { mode: 0o755 });
  const write = (name: string, script: string) => {
    writeFileSync(join(bin, name), `#!/bin/sh\necho "$PWD $0 $*" >> ${calls}\n${script}\n`, { mode: 0o755 });
    writeFileSync(join(place.project, `${name}.lock`), "");
  };
  if (poetry !== undefined) write("poetry", poetry.replaceAll("ENV", environment));
  if (uv !== undefined) write("uv", uv.replaceAll("ENV", environment));
  const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: place.home };
  const search = {
    cwd,
    projectRoot: place.project,
    env,
    childEnv: env,
    cacheFile: join(place.home, "cache/tools.json"),
  };
  return {
    ...place,
    bin,
    environment,
    ask: (extra = {}) => new ToolEnvironments({ ...search, ...extra }).find(),
    calls: () => (existsSync(calls) ? readFileSync(calls, "utf8").trim().split("\n") : []),
  };
}

test("poetry names its environment, in the directory of its lock file and without the project's plugins", async () => {
  const { ask, calls, environment, bin, project: root } = project({ poetry: "echo ENV" });
  expect(await ask()).toEqual([{ source: "poetry", path: environment }]);
  expect(calls()).toEqual([`${root} ${bin}/poetry --no-plugins --no-interaction --no-ansi env info --path`]);
});

test("uv names its environment without changing anything", async () => {
  const {
    ask,
    calls,
    environment,
    bin,
    project: root,
  } = project({
    uv: `echo '{"sync": {"environment": {"path": "ENV"}, "action": "check"}}'`,
  });
  expect(await ask()).toEqual([{ source: "uv", path: environment }]);
  expect(calls()).toEqual([
    `${root} ${bin}/uv sync --frozen --dry-run --offline --no-python-downloads --quiet --output-format json`,
  ]);
});

test("an answer is remembered until the lock file changes or the environment is gone", async () => {
  const { ask, calls, environment, project: root } = project({ poetry: "echo ENV" });
  await ask();
  await ask();
  expect(calls()).toHaveLength(1);
  utimesSync(join(root, "poetry.lock"), 1, 1);
  await ask();
  expect(calls()).toHaveLength(2);
  rmSync(environment, { recursive: true });
  await ask();
  expect(calls()).toHaveLength(3);
});

test("a tool without an answer, too slow, or that names a place in the project is passed over", async () => {
  const none = project({ poetry: "exit 1" });
  const lock = join(none.project, "poetry.lock");
  expect(await none.ask()).toEqual([{ source: "poetry", path: lock, problem: "names no environment" }]);
  const slow = project({ poetry: "exec sleep 60" });
  expect(await slow.ask({ timeoutMs: 100 })).toEqual([
    {
      source: "poetry",
      path: join(slow.project, "poetry.lock"),
      problem: "names no environment: poetry did not answer within 0.1 seconds",
    },
  ]);
  const inside = project({ poetry: "echo $PWD/environments/demo" });
  expect(await inside.ask()).toEqual([
    {
      source: "poetry",
      path: join(inside.project, "environments/demo"),
      problem: "is in the project: name it with the setting python.interpreter to use it",
    },
  ]);
});

test("nothing is asked where there is no lock file, or the tool is not there", async () => {
  const { ask, calls, project: root, bin } = project({ poetry: "echo ENV" });
  rmSync(join(root, "poetry.lock"));
  expect(await ask()).toEqual([]);
  writeFileSync(join(root, "poetry.lock"), "");
  rmSync(join(bin, "poetry"));
  expect(await ask()).toEqual([]);
  expect(calls()).toEqual([]);
});
