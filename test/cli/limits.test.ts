/** Odd limits and inputs: one line each, and nothing that stays broken. */

import { expect, test } from "bun:test";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestPlace, temporaryPlace } from "../support/home.ts";
import { launcher, omp, userEnvironment } from "../support/omp.ts";

const ECHO = JSON.stringify({ command: "echo hi" });

/** omp started by a bash that has done something else first. */
async function ompAfter(place: TestPlace, first: string, { as = [] as readonly string[] } = {}) {
  const script = `${first}; exec "$0" tool bash '${ECHO}'`;
  const child = Bun.spawn([...as, "bash", "-c", script, launcher], {
    cwd: "/",
    env: userEnvironment(place, { PI_PY: "bash" }),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { stdout, stderr, exitCode: await child.exited };
}

test("too few open files", async () => {
  const { stdout, stderr, exitCode } = await ompAfter(temporaryPlace(), "ulimit -n 20");
  expect([stdout, exitCode]).toEqual(["", 2]);
  expect(stderr).toBe(
    "omp: the limit on open files is 20, and omp needs 32; raise the limit: ulimit -n 1024 (EMFILE)\n",
  );
});

test("too few processes: an ordinary user is told; the super-user is not bound by it", async () => {
  const place = temporaryPlace();
  if (process.getuid?.() === 0)
    expect(await ompAfter(place, "ulimit -u 8")).toEqual({ stdout: "hi\n", stderr: "", exitCode: 0 });
  // There everybody is nobody, and only what is started in it counts against the limit: other tests run beside this one.
  const asNobody = ["unshare", "--user"];
  if (Bun.which("unshare") === null || Bun.spawnSync([...asNobody, "true"]).exitCode !== 0) return;
  const { stdout, stderr, exitCode } = await ompAfter(place, "ulimit -u 30", { as: asNobody });
  expect([stdout, exitCode]).toEqual(["", 2]);
  expect(stderr).toMatch(
    /^omp: your limit is 30 processes and threads, and \d+ are running; omp needs 12 more; raise the limit: ulimit -u 1024 \(EAGAIN\)\n$/,
  );
});

test("a umask that takes the owner's own rights", async () => {
  const place = temporaryPlace();
  expect(await ompAfter(place, "umask 777")).toEqual({ stdout: "hi\n", stderr: "", exitCode: 0 });
  const modes = [".omp", ".omp/agent"].map((name) => statSync(join(place.home, name)).mode & 0o777);
  expect(modes).toEqual([0o700, 0o700]);
});

test("JSON that is nested without end", async () => {
  const place = temporaryPlace();
  const depth = 200_000;
  const nested = (before: string) => `${before}${"[".repeat(depth)}${"]".repeat(depth)}}`;
  const script = join(place.project, "deep.json");
  writeFileSync(script, nested('{"turns":'));
  const env = { PI_PY: "bash" };
  expect(await omp(["-p", "hi", "-m", `script:${script}`], { place, env })).toEqual({
    stdout: "",
    stderr: `model: ${script}: nested too deeply (BAD_SCRIPT)\n`,
    exitCode: 2,
  });
  expect(await omp(["tool", "bash", "-"], { place, env, stdin: nested('{"command":') })).toEqual({
    stdout: "bash: field 'command' must be a string, not an array (INVALID_INPUT)\n",
    stderr: "",
    exitCode: 1,
  });
  const settings = join(place.home, ".omp/agent/omp.jsonc");
  mkdirSync(dirname(settings), { recursive: true });
  writeFileSync(settings, nested('{"model":'));
  expect(await omp(["tool", "bash", ECHO], { place, env })).toEqual({
    stdout: "",
    stderr: `settings: ${settings} is nested too deeply (SYNTAX_ERROR)\n`,
    exitCode: 2,
  });
});
