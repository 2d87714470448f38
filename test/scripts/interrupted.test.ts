/** The set-up is interrupted while npm works: nothing is left running, and the next one starts anew. A stand-in for npm waits for ever. */

import { beforeEach, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { environmentOfUser, giveToOwner } from "../../scripts/lib/root-user.mjs";
import { temporaryDirectory } from "../support/home.ts";
import { checkout as realCheckout } from "../support/omp.ts";
import { isRunning, pidIn } from "../support/processes.ts";
import { until } from "../support/until.ts";

const node = Bun.which("node") ?? "node";
let checkout: string;

beforeEach(() => {
  checkout = join(temporaryDirectory(), "a checkout");
  cpSync(join(realCheckout, "scripts"), join(checkout, "scripts"), { recursive: true });
  writeFileSync(join(checkout, "package.json"), "{}");
  writeFileSync(join(checkout, "package-lock.json"), '{"packages":{}}');
  mkdirSync(join(checkout, "path"));
});

function npmThat(script: string): void {
  const file = join(checkout, "path", "npm");
  writeFileSync(file, `#!/bin/bash\n[ "$1" = --version ] && { echo 11.0.0; exit; }\n${script}\n`);
  chmodSync(file, 0o755);
}

function start() {
  const env = { PATH: `${join(checkout, "path")}:/usr/bin:/bin`, HOME: checkout };
  const argv = [node, join(checkout, "scripts", "refresh.mjs")];
  return Bun.spawn(argv, { cwd: checkout, env, stdin: "ignore", stdout: "ignore", stderr: "pipe" });
}

const waiting = () => npmThat("exec -a 'npm ci' sleep 1000");
const npmWorks = () => until("npm works", () => pidIn(join(checkout, ".omp-setup.lock", "npm")));
const setUpFiles = () => readdirSync(checkout).filter((name) => name.startsWith(".omp-setup"));

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)("%s ends npm as well, and gives the lock back", async (signal, exitCode) => {
  waiting();
  const child = start();
  const npm = await npmWorks();
  child.kill(signal);
  expect(await child.exited).toBe(exitCode);
  expect(await new Response(child.stderr).text()).toBe(
    "omp set-up: installing npm packages (once; about 190 MB)\nomp set-up: interrupted\n",
  );
  expect([isRunning(npm), setUpFiles()]).toEqual([false, []]);
});

test("an npm that a killed set-up has left behind is ended by the next one", async () => {
  waiting();
  const killed = start();
  const npm = await npmWorks();
  killed.kill("SIGKILL");
  await killed.exited;
  expect([isRunning(npm), setUpFiles()]).toEqual([true, [".omp-setup.lock"]]);
  npmThat("echo 'npm error code EUSAGE' >&2; exit 1");
  const next = start();
  expect(await next.exited).toBe(1);
  expect(await new Response(next.stderr).text()).toBe(
    "omp set-up: installing npm packages (once; about 190 MB)\n" +
      `omp set-up: npm packages: 'npm ci' failed in ${checkout}; see npm's messages, then try again (EUSAGE)\n` +
      "npm error code EUSAGE\n",
  );
  expect([isRunning(npm), setUpFiles()]).toEqual([false, []]);
});

test("root uses root's own home, and leaves nothing of root's in another user's directories", () => {
  const isRoot = process.getuid?.() === 0;
  const other = 12_345;
  const files = [".npm/_logs/a.log", "node_modules/a/b.js"].map((file) => join(checkout, file));
  for (const file of files) {
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, "");
  }
  const before = { HOME: checkout, PATH: "/bin" };
  expect(environmentOfUser(before)).toEqual(before);
  if (isRoot) chownSync(checkout, other, other);
  // Not os.userInfo(): Bun's has the HOME that is set.
  const homedir = Bun.spawnSync(["sh", "-c", "echo ~root"]).stdout.toString().trim();
  expect(environmentOfUser(before)).toEqual(
    isRoot ? { ...before, HOME: homedir, npm_config_cache: join(homedir, ".npm") } : before,
  );
  giveToOwner(checkout, [join(checkout, "node_modules"), join(checkout, "absent")]);
  const expected = isRoot ? other : process.getuid?.();
  expect(files.map((file) => statSync(file).uid)).toEqual([expected, expected] as number[]);
  expect(existsSync(join(checkout, "absent"))).toBe(false);
});
