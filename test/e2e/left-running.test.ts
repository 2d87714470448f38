/** What commands and cells have started ends with the session, whatever session it has moved to and however omp ends. */

import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestPlace, temporaryPlace } from "../support/home.ts";
import { launcher, omp, userEnvironment } from "../support/omp.ts";
import { childrenOf, processesWith } from "../support/processes.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { until } from "../support/until.ts";

/** Started so that no shell knows of it. */
const daemon = (name: string) =>
  `setsid sh -c 'echo $$ >${name}; exec sleep 1000' </dev/null >/dev/null 2>&1 & until ps -o comm= -p "$(cat ${name})" 2>/dev/null | grep -q sleep; do :; done`;

const marker = (place: TestPlace) => `HOME=${place.home}`;

/** An omp that is in the middle of a command, with a job of an earlier one, a background shell and a daemon. */
async function busyOmp(place: TestPlace) {
  const child = Bun.spawn([launcher, "tool", "--batch"], {
    cwd: place.project,
    env: userEnvironment(place, { PI_PY: "bash" }),
    stdin: "pipe",
    stdout: "ignore",
    stderr: "inherit",
  });
  const inputs = [
    { command: `${daemon("daemon")}; sleep 1000 &` },
    { command: "echo $$ >background; exec sleep 1000", run_in_background: true },
    { command: "echo $$ >foreground; sleep 1000" },
  ];
  for (const [id, input] of inputs.entries())
    child.stdin.write(`${JSON.stringify({ id, name: "bash", input })}\n`);
  await child.stdin.flush();
  await until("everything runs", () =>
    ["daemon", "background", "foreground"].every((name) => existsSync(join(place.project, name))),
  );
  return child;
}

const nothingRuns = (place: TestPlace) =>
  until("nothing runs", () => processesWith(marker(place)).length === 0, {
    instead: () => processesWith(marker(place)),
  });

test("a daemon that a command has started is ended with the session, and named", async () => {
  const place = temporaryPlace();
  const { exitCode, stderr } = await omp(["tool", "bash", JSON.stringify({ command: daemon("daemon") })], {
    place,
    env: { PI_PY: "bash" },
  });
  expect([exitCode, stderr]).toEqual([0, "omp: sleep, left running in its own session, was stopped\n"]);
  expect(processesWith(marker(place))).toEqual([]);
  expect(existsSync(join(place.home, ".omp/agent/running"))).toBe(false);
});

test("an omp that is killed leaves nothing: its watchdog finds the daemon, too", async () => {
  const place = temporaryPlace();
  const child = await busyOmp(place);
  child.kill("SIGKILL");
  await nothingRuns(place);
});

test("an omp that is killed with its watchdog leaves nothing once the next one has started", async () => {
  const place = temporaryPlace();
  const child = await busyOmp(place);
  const records = join(place.home, ".omp/agent/running");
  const [record = ""] = readdirSync(records);
  const directories = readFileSync(join(records, record), "utf8")
    .split("\n")
    .flatMap((line) => / d (.*)/.exec(line)?.[1] ?? []);
  const watchdog = childrenOf(child.pid).find((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("omp-watchdog"),
  );
  // The watchdog first: it would do its work. omp starts another only for the next thing to guard.
  process.kill(watchdog ?? 0, "SIGKILL");
  child.kill("SIGKILL");
  await child.exited;
  expect(processesWith(marker(place)).length).toBeGreaterThan(2);
  expect(directories.filter((path) => existsSync(path)).length).toBeGreaterThan(0);
  const next = await omp(["tool", "bash", '{"command":"echo next"}'], { place, env: { PI_PY: "bash" } });
  expect(next).toEqual({ exitCode: 0, stdout: "next\n", stderr: "" });
  await nothingRuns(place);
  expect(directories.filter((path) => existsSync(path))).toEqual([]);
  expect(existsSync(records)).toBe(false);
});

describeWithPython(testPython, "a kernel", () => {
  test("takes what its cells have detached along", async () => {
    const place = temporaryPlace();
    const code = `import subprocess; subprocess.Popen(["sleep", "1000"], start_new_session=True)`;
    const { exitCode, stderr } = await omp(["tool", "python", JSON.stringify({ cells: [{ code }] })], {
      place,
      env: { VIRTUAL_ENV: testPython.venv },
    });
    expect([exitCode, stderr]).toEqual([0, "omp: sleep, left running in its own session, was stopped\n"]);
    expect(processesWith(marker(place))).toEqual([]);
  });
});
