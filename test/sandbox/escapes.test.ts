import { beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { confined } from "../../src/process/confinement.ts";
import { listStats } from "../../src/process/proc.ts";
import { temporaryDirectory } from "../support/home.ts";
import { testSandbox } from "../support/sandbox.ts";
import { until } from "../support/until.ts";
import { type Outcome, SECRET, type Targets } from "./escapes/attempt.ts";

const TEXT = "as it was\n";
const isRoot = process.getuid?.() === 0;
/** An ordinary user of every system. */
const NOBODY = 65534;

interface User {
  readonly name: string;
  readonly uid: number;
  /** Put before a command to run it as that user. */
  readonly become: readonly string[];
}

const self: User = { name: isRoot ? "root" : "the user", uid: process.getuid?.() ?? 0, become: [] };
const nobody: User = {
  name: "an ordinary user",
  uid: NOBODY,
  become: ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", "--"],
};

/** Everything that must not be reached, belonging to the user who tries it. */
async function prepare({ uid, become }: User) {
  const base = temporaryDirectory();
  const temporary = temporaryDirectory();
  writeFileSync(join(temporary, "file"), TEXT);
  const [outside, project, home] = ["outside", "project", "home"].map((name) => join(base, name)) as [
    string,
    string,
    string,
  ];
  const files: Readonly<Record<string, string>> = {
    [join(outside, "file")]: TEXT,
    [join(outside, "empty", "..", "other")]: TEXT,
    [join(home, ".bashrc")]: TEXT,
    [join(home, ".ssh/id_ed25519")]: SECRET,
    [join(home, ".omp/agent/trust.json")]: TEXT,
    [join(home, ".omp/agent/omp.jsonc")]: TEXT,
    [join(home, ".omp/agent/omp-sessions/log.jsonl")]: SECRET,
    [join(project, ".omp/omp.jsonc")]: TEXT,
    [join(project, ".git/config")]: TEXT,
    [join(project, ".git/hooks/pre-push")]: TEXT,
    [join(project, ".git/modules/sub/config")]: TEXT,
  };
  mkdirSync(join(outside, "empty"), { recursive: true });
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const sandbox = await testSandbox({
    projectRoot: project,
    home,
    readable: [outside, tools],
    temporaryBase: base,
  });
  own(base, uid);
  own(dirname(sandbox.temporaryDirectory), uid);

  let reached = 0;
  const count = () => {
    reached += 1;
  };
  const tcp = createServer(count).listen(0, "127.0.0.1");
  const paths = ["agent.sock", "docker.sock", "bus", "X0", "tmux"].map((name) => join(outside, name));
  const abstractSocket = `omp-test-${process.pid}-${uid}`;
  const unix = [...paths, `\0${abstractSocket}`].map((path) => createServer(count).listen({ path }));
  const udp = await Bun.udpSocket({ hostname: "127.0.0.1", socket: { data: count } });
  await until("the sockets are there", () => readdirSync(outside).includes("tmux"));
  for (const path of paths) chmodSync(path, 0o777);
  const victim = Bun.spawn([...become, "sleep", "1000"], { env: { ...process.env, SECRET } });
  const address = tcp.address();
  const targets: Targets = {
    ...{ outside, project, home, abstractSocket, sockets: paths },
    file: join(outside, "file"),
    temporary,
    victim: victim.pid,
    tcp: typeof address === "object" && address !== null ? address.port : 0,
    udp: udp.port,
    sharedMemory: 0x6f6d70,
  };
  return {
    sandbox,
    targets,
    files,
    reached: () => reached,
    isVictimAlive: () => victim.exitCode === null && victim.signalCode === null,
    [Symbol.asyncDispose]: async () => {
      for (const server of [tcp, ...unix]) server.close();
      udp.close();
      victim.kill("SIGKILL");
      await victim.exited;
    },
  };
}

function own(path: string, uid: number): void {
  if (!isRoot) return;
  Bun.spawnSync(["chown", "-R", `${uid}:${uid}`, path]);
  chownSync(path, uid, uid);
}

/** Bun and the script, where every user and the sandbox can read them: the checkout may be in a directory that only its user enters. */
const tools = temporaryDirectory({ lasts: "file" });
beforeAll(async () => {
  chmodSync(tools, 0o755);
  copyFileSync(process.execPath, join(tools, "bun"));
  await Bun.build({
    entrypoints: [join(import.meta.dir, "escapes", "inside.ts")],
    outdir: tools,
    target: "bun",
  });
});

async function tryAll(user: User, place: Awaited<ReturnType<typeof prepare>>): Promise<Outcome[]> {
  const { argv, env, cwd } = confined(place.sandbox, {
    argv: [join(tools, "bun"), join(tools, "inside.js"), JSON.stringify(place.targets)],
    env: { PATH: process.env["PATH"] ?? "", HOME: place.targets.home },
    cwd: place.targets.project,
  });
  const inside = Bun.spawn([...user.become, ...argv], {
    env,
    cwd,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    detached: true,
  });
  const [stdout, stderr] = await Promise.all([
    new Response(inside.stdout).text(),
    new Response(inside.stderr).text(),
  ]);
  await inside.exited;
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout) as Outcome[];
}

describe("of many ways out of the sandbox", () => {
  for (const user of isRoot ? [self, nobody] : [self]) {
    test(`none works for ${user.name}`, async () => {
      await using place = await prepare(user);
      const outcomes = await tryAll(user, place);
      expect(outcomes.filter(({ escaped }) => escaped !== undefined)).toEqual([]);
      expect(outcomes.length).toBeGreaterThanOrEqual(60);
      for (const [file, text] of Object.entries(place.files))
        expect([file, readFileSync(file, "utf8")]).toEqual([file, text]);
      expect(readdirSync(place.targets.outside).sort()).toEqual(
        ["X0", "agent.sock", "bus", "docker.sock", "empty", "file", "other", "tmux"].sort(),
      );
      expect(readdirSync(place.targets.home).sort()).toEqual([".bashrc", ".omp", ".ssh"]);
      expect([place.reached(), place.isVictimAlive()]).toEqual([0, true]);
      await until("the process that stayed behind is gone", () => !listStats().some(isLeftBehind));
    });
  }
});

function isLeftBehind({ pid }: { readonly pid: number }): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8") === "sleep\x004242\0";
  } catch {
    return false;
  }
}
