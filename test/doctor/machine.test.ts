import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ompPaths } from "../../src/config/paths.ts";
import { checkCommand } from "../../src/doctor/command.ts";
import { checkMachine } from "../../src/doctor/machine.ts";
import { temporaryDirectory } from "../support/home.ts";

/** An npm package with a command `omp`, linked into a directory for PATH. */
function installed(name: string): { bin: string; command: string } {
  const root = temporaryDirectory();
  const program = join(root, "lib/node_modules", name, "bin/omp");
  mkdirSync(dirname(program), { recursive: true });
  writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
  writeFileSync(join(root, "lib/node_modules", name, "package.json"), JSON.stringify({ name }));
  mkdirSync(join(root, "bin"));
  symlinkSync(program, join(root, "bin/omp"));
  return { bin: join(root, "bin"), command: join(root, "bin/omp") };
}

const own = { name: "ompy", program: "/nowhere/bun" };

test("one omp on PATH is named; none is no problem", () => {
  const ours = installed("ompy");
  const PATH = `${ours.bin}:/nowhere:${ours.bin}`;
  expect(checkCommand({ env: { PATH } }, own)).toEqual({
    name: "command",
    status: "ok",
    value: `omp is ${ours.command} (this program)`,
    notes: [],
    details: { found: [{ path: ours.command, package: "ompy", isOurs: true }] },
  });
  expect(checkCommand({ env: { PATH: "/nowhere" } }, own)).toMatchObject({
    status: "ok",
    value: "omp is not on PATH",
  });
});

test("of two, it is said which one is which, and how to get this one", () => {
  const [ours, theirs] = [installed("ompy"), installed("@oh-my-pi/pi-coding-agent")];
  const behind = checkCommand({ env: { PATH: `${theirs.bin}:${ours.bin}` } }, own);
  expect(behind).toMatchObject({
    status: "warn",
    value: `omp is ${theirs.command} (@oh-my-pi/pi-coding-agent)`,
    notes: [`also on PATH: ${ours.command} (this program)`],
    fix: `run this one as ompy, or put ${ours.bin} first on PATH`,
  });
  const before = checkCommand({ env: { PATH: `${ours.bin}:${theirs.bin}` } }, own);
  expect(before).toMatchObject({
    status: "warn",
    value: `omp is ${ours.command} (this program)`,
    notes: [`also on PATH: ${theirs.command} (@oh-my-pi/pi-coding-agent)`],
  });
  // A single file has no package: it is known by being what runs.
  const single = temporaryDirectory();
  writeFileSync(join(single, "omp"), "", { mode: 0o755 });
  const program = { name: "ompy", program: join(single, "omp") };
  expect(checkCommand({ env: { PATH: single } }, program).value).toBe(`omp is ${single}/omp (this program)`);
});

test("bash, ripgrep and the temporary directory are tried, not only looked for", async () => {
  const tmp = temporaryDirectory();
  const env = { PATH: "/usr/bin:/bin", HOME: tmp, TMPDIR: tmp };
  const [bash, ripgrep, temporary, runtime] = await checkMachine({ env }, ompPaths({ env }));
  expect(bash).toMatchObject({
    status: "ok",
    value: expect.stringMatching(/^\d+\.\d+\.\d+\S* \(\/.*bash\)$/),
  });
  expect(ripgrep).toMatchObject({ status: "ok", value: expect.stringMatching(/^\d+\.\d+\S* \(\/.*rg\)$/) });
  expect(temporary).toMatchObject({
    status: "ok",
    value: expect.stringMatching(new RegExp(`^${tmp}, .* free$`)),
  });
  expect(runtime).toMatchObject({
    status: "ok",
    value: expect.stringMatching(/^not set: sockets are in \//),
  });
});

test("a bash that fails, and directories that are not there, are worth a look", async () => {
  const tmp = temporaryDirectory();
  writeFileSync(join(tmp, "bash"), "#!/bin/sh\nexit 3\n");
  chmodSync(join(tmp, "bash"), 0o755);
  const env = { PATH: tmp, HOME: tmp, TMPDIR: join(tmp, "gone"), XDG_RUNTIME_DIR: join(tmp, "none") };
  const [bash, , temporary, runtime] = await checkMachine({ env }, ompPaths({ env }));
  expect(bash).toEqual({
    name: "bash",
    status: "warn",
    value: `${tmp}/bash failed with exit code 3`,
    fix: "fix PATH, or install bash",
  });
  expect(temporary).toMatchObject({
    status: "warn",
    value: `${tmp}/gone cannot be written (ENOENT)`,
    fix: "set TMPDIR to a directory of your own",
  });
  expect(runtime).toMatchObject({
    status: "warn",
    value: expect.stringContaining(`${tmp}/none does not exist: sockets are in /`) as string,
    fix: "unset XDG_RUNTIME_DIR, or make the directory",
  });
});
