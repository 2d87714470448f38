/** The parts of a session, opened for real: settings from files, a real bash, a real kernel. */

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openServices, type Services, type ServicesChoice } from "../../src/app/services.ts";
import { openWorkspace } from "../../src/app/workspace.ts";
import { type TestPlace, temporaryPlace } from "../support/home.ts";
import { userEnvironment } from "../support/omp.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { until } from "../support/until.ts";

let place: TestPlace;
let stderr = "";
const opened: Services[] = [];
const io = {
  stderr: (text: string) => {
    stderr += text;
  },
};

beforeEach(() => {
  place = temporaryPlace();
  stderr = "";
});
afterEach(async () => {
  for (const services of opened.splice(0)) await services.close();
});

function invocation(env: Record<string, string> = {}) {
  return { env: userEnvironment(place, env), cwd: place.project };
}

async function open(env: Record<string, string> = {}, choice: ServicesChoice = {}): Promise<Services> {
  const services = await openServices(invocation(env), io, choice);
  opened.push(services);
  return services;
}

function saveSettings(settings: object): void {
  mkdirSync(join(place.home, ".omp", "agent"), { recursive: true });
  writeFileSync(join(place.home, ".omp", "agent", "omp.jsonc"), JSON.stringify(settings));
}

function run({ tools, context }: Services, name: string, input: unknown) {
  const { signal } = new AbortController();
  return tools.run(name, input, { ...context, signal, onUpdate: () => undefined });
}

describe("the workspace", () => {
  test("has the settings, the project's root and the mode that PI_PY asks for", async () => {
    mkdirSync(join(place.project, ".git"));
    const cwd = join(place.project, "deep");
    mkdirSync(cwd);
    saveSettings({ python: { toolMode: "both" }, approval: "ask" });
    const workspace = await openWorkspace({ ...invocation({ PI_PY: "bash" }), cwd }, io);
    expect(workspace).toMatchObject({ cwd, toolMode: "bash-only", settings: { approval: "ask" } });
    expect(workspace.project.root).toBe(place.project);
    expect([workspace.origin("approval"), workspace.origin("python.idleTimeout")]).toEqual([
      "global",
      "default",
    ]);
  });

  test("gives child processes no keys, except those that a setting passes", async () => {
    saveSettings({ environment: { pass: ["MY_API_KEY"] } });
    const env = { MY_API_KEY: "1", OTHER_API_KEY: "2" };
    const { childEnv } = await openWorkspace(invocation(env), io);
    expect(childEnv(undefined)).toMatchObject({ HOME: place.home, MY_API_KEY: "1" });
    expect(childEnv(undefined)).not.toHaveProperty("OTHER_API_KEY");
  });

  test("writes the stages of the start only when PI_DEBUG_STARTUP asks for them", async () => {
    await openWorkspace(invocation(), io);
    expect(stderr).toBe("");
    await openWorkspace(invocation({ PI_DEBUG_STARTUP: "1" }), io);
    expect(stderr).toMatch(/^\[startup\] [\d.]+ ms settings loaded\n$/);
  });

  test("is not opened with a bad settings file", async () => {
    saveSettings({ approval: "maybe" });
    await expect(openWorkspace(invocation(), io)).rejects.toThrow("approval");
  });
});

describe("opening", () => {
  test("starts nothing and writes nothing", async () => {
    const services = await open();
    expect([services.shells.background(), services.shells.directory]).toEqual([[], undefined]);
    expect(services.shells.takeAnnouncements()).toEqual([]);
    expect(await services.shells.kill("bg-1")).toBeUndefined();
    expect(existsSync(join(place.home, ".omp"))).toBe(false);
    expect(await services.close()).toEqual([]);
  });

  test("refuses --kernel when there is no python tool to use it", async () => {
    await expect(open({ PI_PY: "bash" }, { kernel: "k1" })).rejects.toMatchObject({ code: "PYTHON_OFF" });
  });
});

describe("tools", () => {
  const names = (services: Services) => services.tools.list().map(({ name }) => name);

  test("are those of the mode, and another mode's can still be had", async () => {
    const services = await open({ PI_PY: "bash" });
    expect(names(services)).not.toContain("python");
    expect(services.toolsIn("both").map(({ name }) => name)).toContain("python");
    const shells = ["bash", "bash_output", "kill_shell"];
    expect(services.toolsIn("ipy-only").filter(({ name }) => shells.includes(name))).toEqual([]);
  });

  test("ask before they run what the approval mode asks about, and a no is the call's result", async () => {
    const asked: string[] = [];
    const services = await open(
      {},
      {
        approval: "ask",
        ask: async ({ subject }) => {
          asked.push(subject.command ?? "");
          return "no";
        },
      },
    );
    const result = await run(services, "bash", { command: "touch made" });
    expect(asked).toEqual(["touch made"]);
    expect(result).toMatchObject({ isError: true, details: { approval: "denied" } });
    expect(existsSync(join(place.project, "made"))).toBe(false);
  });
});

describe("shells", () => {
  test("open with the first command, and say where they are", async () => {
    const services = await open();
    mkdirSync(join(place.project, "sub"));
    await run(services, "bash", { command: "cd sub" });
    expect(services.shells.directory).toBe(join(place.project, "sub"));
  });

  test("report what runs and what ended in the background, and end the rest with the session", async () => {
    const changes: (string | undefined)[] = [];
    const events = {
      onKernel: () => undefined,
      onKernelStateLost: () => undefined,
      onKernelProgress: () => undefined,
      onBackgroundShells: (ended?: string) => void changes.push(ended),
      onNotCovered: () => undefined,
    };
    const services = await open({}, { events });
    await run(services, "bash", { command: "true", run_in_background: true });
    await until("the shell ended", () => services.shells.background()[0]?.status !== "running");
    expect(services.shells.takeAnnouncements()).toHaveLength(1);
    expect(services.shells.takeAnnouncements()).toEqual([]);
    expect(changes).toEqual([undefined, expect.any(String)]);
    await run(services, "bash", { command: "sleep 1000", run_in_background: true });
    const [, second] = services.shells.background();
    expect(second).toMatchObject({ command: "sleep 1000", status: "running" });
    expect(await services.close()).toEqual([
      `omp: background shell ${second?.id} was still running and has been stopped: sleep 1000`,
    ]);
  });
});

describe("artifacts", () => {
  test("past their age are removed when the store is first used", async () => {
    const directory = join(place.home, ".omp", "agent", "artifacts");
    mkdirSync(directory, { recursive: true });
    const old = join(directory, "0123456789abcdef.log");
    writeFileSync(old, "old");
    utimesSync(old, 0, 0);
    const services = await open();
    expect(readdirSync(directory)).toEqual(["0123456789abcdef.log"]);
    expect(services.artifacts().find("0123456789abcdef")).toBeUndefined();
    expect(readdirSync(directory)).toEqual([]);
  });
});

describe("Python", () => {
  test("that does not work leaves bash only, with the reason", async () => {
    const services = await open({ PATH: "/nowhere" });
    expect(await services.python.toolMode()).toMatchObject({ mode: "bash-only", degraded: true });
    expect(await services.python.facts()).toBeUndefined();
  });

  test("is not checked when nothing needs it", async () => {
    const env = { PATH: "/nowhere", PI_PYTHON_SKIP_CHECK: "1" };
    expect(await (await open(env)).python.toolMode()).toMatchObject({ mode: "both", degraded: false });
    const without = await open({ PATH: "/nowhere", PI_PY: "bash" });
    expect(await without.python.toolMode()).toMatchObject({ mode: "bash-only", degraded: false });
  });

  test("of a gateway elsewhere is known by its name", async () => {
    const { python } = await open({ PI_PYTHON_GATEWAY_URL: "http://lab.example:8888" });
    expect(python.host).toEqual({
      name: "in the Jupyter gateway lab.example:8888",
      short: "lab.example:8888",
      isElsewhere: true,
      isBorrowed: false,
    });
    expect(await python.facts()).toBeUndefined();
  });

  test("starts no kernel once the session is closed", async () => {
    const services = await open();
    await services.close();
    await expect(services.python.kernels()).rejects.toMatchObject({ code: "KERNEL_CLOSED" });
  });
});

describeWithPython(testPython, "a session's kernel", () => {
  test("is started ahead of the first cell, answers questions, and runs cells", async () => {
    const services = await open({ VIRTUAL_ENV: testPython.venv });
    const { signal } = new AbortController();
    const version = await services.python.warmUp(signal);
    expect(version).toBe((await services.python.facts())?.version);
    const result = await run(services, "python", { cells: [{ code: "answer = 42\nanswer" }] });
    expect(result).toMatchObject({ isError: false, output: "42" });
    const found = await services.python.ask("complete_request", { code: "answ", cursor_pos: 4 }, { signal });
    expect(found).toMatchObject({ kind: "answer", value: { matches: ["answer"] } });
  });
});
