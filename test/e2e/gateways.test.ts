/** Kernels elsewhere as a user has them: `omp tool python` and `omp -p` with real gateways, and every way in which one can fail. */

import { beforeAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { gatewayNeeds, startGateway, type TestGateway } from "../support/gateways.ts";
import { type TestPlace, temporaryPlace } from "../support/home.ts";
import { omp } from "../support/omp.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { AgentPlace, linesOf } from "./agent-place.ts";

const cell = (code: string) => JSON.stringify({ cells: [{ code }] });

function writeSettings(place: TestPlace, settings: object): void {
  const agent = join(place.home, ".omp/agent");
  mkdirSync(agent, { recursive: true, mode: 0o700 });
  writeFileSync(join(agent, "omp.jsonc"), JSON.stringify(settings));
}

/** A PATH on which there is no Python: what a kernel elsewhere needs of this machine. */
function pathWithoutPython(place: TestPlace): string {
  const directory = join(place.home, "bin");
  mkdirSync(directory);
  for (const name of [
    "sh",
    "bash",
    "cat",
    "rm",
    "mkdir",
    "dirname",
    "readlink",
    "uname",
    "env",
    "find",
    "stat",
    "test",
    "ls",
    "id",
  ]) {
    const found = Bun.which(name);
    if (found) Bun.spawnSync(["ln", "-s", found, join(directory, name)]);
  }
  return directory;
}

/** Every file below a directory that holds the text. */
function filesWith(text: string, directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file, "utf8").includes(text));
}

function variables({ url, token }: TestGateway): Record<string, string> {
  return { PI_PYTHON_GATEWAY_URL: url, PI_PYTHON_GATEWAY_TOKEN: token };
}

test("a gateway that cannot be reached leaves a session without the python tool, and says so", async () => {
  const place = temporaryPlace();
  const env = { PI_PYTHON_GATEWAY_URL: "http://127.0.0.1:9/" };
  const { stdout, stderr } = await omp(["tool", "--json"], { place, env });
  expect(JSON.parse(stdout).map(({ name }: { name: string }) => name)).not.toContain("python");
  expect(stderr).toMatch(
    /^python: gateway .* cannot be reached .*; fix that, or unset PI_PYTHON_GATEWAY_URL or the setting python\.gateway \(GATEWAY_UNREACHABLE\)\n$/,
  );
  const agent = new AgentPlace(place);
  const asked = ["-m", agent.script({ text: "Hello." }), "hi", "--output-format", "stream-json"];
  const run = await agent.run(asked, { env });
  expect(linesOf(run.stdout)[0]?.["tools"]).not.toContain("python");
  expect(run.stderr).toStartWith("omp: continuing without the python tool: python: gateway ");
});

describeWithPython(
  testPython,
  "kernels in a gateway that somebody else runs",
  () => {
    let gateway: TestGateway;
    beforeAll(async () => {
      gateway = await startGateway("kernel gateway", { lasts: "file" });
    });

    test("run cells with no Python on this machine, say where they are, and tell nobody the token", async () => {
      const place = temporaryPlace();
      const env = { ...variables(gateway), PATH: pathWithoutPython(place), PI_PYTHON_IPC_TRACE: "1" };
      const run = await omp(["tool", "python", cell("6 * 7")], { place, env });
      expect(run.exitCode).toBe(0);
      expect(run.stdout).toContain("42\n");
      expect(run.stderr).toContain("-> shell execute_request");
      const doctor = await omp(["doctor", "--json"], { place, env });
      const list = await omp(["kernel", "list", "--json"], { place, env });
      const tools = await omp(["tool", "--json"], { place, env });
      expect(tools.stdout).toContain("The kernel is not on this machine: it runs in the Jupyter gateway");
      for (const { stdout, stderr } of [run, doctor, list, tools])
        expect(stdout + stderr).not.toContain(gateway.token);
      expect(filesWith(gateway.token, place.home)).toEqual([]);
    });

    test("a session with a model leaves the token nowhere either", async () => {
      const place = temporaryPlace();
      const turns = [
        { toolCalls: [{ name: "python", input: { cells: [{ code: "print('from afar')" }] } }] },
        { text: "done" },
      ];
      const script = join(place.project, "script.json");
      writeFileSync(script, JSON.stringify({ turns }));
      writeSettings(place, {
        gateways: [{ name: "lab", url: gateway.url, tokenEnv: "LAB_TOKEN" }],
        python: { gateway: "lab" },
      });
      const run = await omp(["-p", "go", "-m", `script:${script}`, "--output-format", "stream-json"], {
        place,
        env: { LAB_TOKEN: gateway.token },
      });
      expect(run.exitCode).toBe(0);
      expect(run.stdout).toContain("from afar");
      expect(run.stdout + run.stderr).not.toContain(gateway.token);
      expect(filesWith("from afar", place.home)).not.toEqual([]);
      expect(filesWith(gateway.token, place.home)).toEqual([]);
    });

    test("a kernelspec is the gateway's to know", async () => {
      const place = temporaryPlace();
      const env = variables(gateway);
      writeSettings(place, { python: { kernelSpec: "python3" } });
      expect((await omp(["tool", "python", cell("1 + 1")], { place, env })).stdout).toContain("2\n");
      writeSettings(place, { python: { kernelSpec: "no-such-spec" } });
      const unknown = await omp(["tool", "python", cell("1 + 1")], { place, env });
      expect(unknown.exitCode).toBe(1);
      expect(unknown.stdout).toContain("no-such-spec");
      expect(unknown.stdout).toContain("python3");
      expect(unknown.stdout.trimEnd().split("\n")).toHaveLength(1);
    });

    test("a wrong token, a web page, a silent port and a name that is nobody's: a line each, with what to do", async () => {
      const place = temporaryPlace();
      using page = Bun.serve({
        port: 0,
        hostname: "127.0.0.1",
        fetch: () =>
          new Response("<!DOCTYPE html><title>Sign in</title>", { headers: { "Content-Type": "text/html" } }),
      });
      const lineOf = async (env: Record<string, string>) => {
        const { exitCode, stdout, stderr } = await omp(["tool", "python", cell("1")], { place, env });
        expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: "" });
        return stdout;
      };
      const wrong = await lineOf({ ...variables(gateway), PI_PYTHON_GATEWAY_TOKEN: "n0t-the-token" });
      expect(wrong).toMatch(
        /^python: .*the gateway rejected the token.* \(GATEWAY_(UNAUTHORIZED|FORBIDDEN)\)\n$/,
      );
      expect(wrong).not.toContain("n0t-the-token");
      const html = await lineOf({ PI_PYTHON_GATEWAY_URL: `http://127.0.0.1:${page.port}/` });
      expect(html).toMatch(/^python: .*a web page.* \(GATEWAY_NOT_JSON\)\n$/);
      const silent = await lineOf({ PI_PYTHON_GATEWAY_URL: "http://127.0.0.1:9/" });
      expect(silent).toMatch(/^python: .*cannot be reached.* \(GATEWAY_UNREACHABLE\)\n$/);
      writeSettings(place, { python: { gateway: "lab" } });
      expect(await lineOf({})).toBe(
        "python: python.gateway is 'lab', but no gateway has that name; to fix it: add it to the setting gateways (GATEWAY_UNKNOWN)\n",
      );
    });

    test("a project that brings its own gateway cannot have the user's token", async () => {
      const place = temporaryPlace();
      mkdirSync(join(place.project, ".omp"));
      const gateways = [{ name: "theirs", url: "http://127.0.0.1:9/", tokenEnv: "ANTHROPIC_API_KEY" }];
      writeFileSync(join(place.project, ".omp/omp.jsonc"), JSON.stringify({ gateways }));
      const env = { ANTHROPIC_API_KEY: "s3cret-key" };
      const run = await omp(["tool", "--trust", "python", cell("1")], { place, env });
      expect(run.exitCode).toBe(2);
      expect(run.stderr).toContain("may not set 'gateways'");
    });
  },
  gatewayNeeds("kernel gateway").packages,
);

describeWithPython(
  testPython,
  "kernels in the shared gateway",
  () => {
    test("see the project's files, run in this interpreter, and end with omp", async () => {
      const place = temporaryPlace();
      writeSettings(place, { python: { sharedGateway: true } });
      writeFileSync(join(place.project, "here.txt"), "seen");
      const env = { VIRTUAL_ENV: testPython.venv };
      try {
        const code =
          "import os, socket, sys; print(open('here.txt').read(), socket.gethostname(), sys.executable)";
        const run = await omp(["tool", "python", cell(code)], { place, env });
        expect(run).toEqual({
          exitCode: 0,
          stdout: `seen ${hostname()} ${testPython.path}\n`,
          stderr: "",
        });
        const list = JSON.parse((await omp(["kernel", "list", "--json"], { place, env })).stdout);
        expect(list.find((each: { place: string }) => each.place === "shared")).toMatchObject({
          problem: null,
          kernels: [],
        });
        const { token } = JSON.parse(
          readFileSync(join(place.home, ".omp/agent/python-gateway/gateway.json"), "utf8"),
        );
        // Whatever a cell can see of its own process, the key to everybody's kernels is not in it.
        const traced = await omp(["tool", "python", cell("import os; print(dict(os.environ))")], {
          place,
          env: { ...env, PI_PYTHON_IPC_TRACE: "1" },
        });
        expect(traced.exitCode).toBe(0);
        expect(traced.stdout + traced.stderr).not.toContain(token);
      } finally {
        await omp(["gateway", "stop", "--force"], { place, env });
      }
    });

    test("are there again after the gateway was killed, and the call that met it says that their state is gone", async () => {
      const place = temporaryPlace();
      writeSettings(place, { python: { sharedGateway: true } });
      const env = { VIRTUAL_ENV: testPython.venv };
      const record = join(place.home, ".omp/agent/python-gateway/gateway.json");
      const calls = [
        { id: 1, name: "python", input: { cells: [{ code: "kept = 1; print(kept)" }] } },
        {
          id: 2,
          name: "exec",
          input: {
            language: "bash",
            code: `kill -KILL $(sed 's/.*"pid": *\\([0-9]*\\).*/\\1/' '${record}')`,
          },
        },
        { id: 3, name: "python", input: { cells: [{ code: "pass" }] } },
        { id: 4, name: "python", input: { cells: [{ code: "print('kept' in globals())" }] } },
      ];
      const stdin = calls.map((call) => `${JSON.stringify(call)}\n`).join("");
      try {
        const { stdout } = await omp(["tool", "--batch"], { place, env, stdin });
        const [first, killed, told, last] = stdout
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line));
        expect(first).toMatchObject({ is_error: false, output: "1" });
        expect(killed).toMatchObject({ is_error: false });
        expect(told.output).toContain("state are gone.]");
        expect(last).toMatchObject({ is_error: false, output: "False" });
      } finally {
        await omp(["gateway", "stop", "--force"], { place, env });
      }
    });
  },
  gatewayNeeds("kernel gateway").packages,
);

describeWithPython(testPython, "a kernelspec of this machine", () => {
  test("starts the kernel as it says, with its own line and variables", async () => {
    const place = temporaryPlace();
    const kernels = join(place.home, ".local/share/jupyter/kernels");
    const write = (name: string, spec: object) => {
      mkdirSync(join(kernels, name), { recursive: true });
      writeFileSync(join(kernels, name, "kernel.json"), JSON.stringify(spec));
    };
    const argv = [testPython.path, "-X", "utf8", "-m", "ipykernel_launcher", "-f", "{connection_file}"];
    write("mine", { argv, language: "python", display_name: "Mine", env: { FROM_SPEC: "yes" } });
    write("ir", { argv: ["R"], language: "R", display_name: "R" });
    const run = async (kernelSpec: string) => {
      writeSettings(place, { python: { kernelSpec } });
      const code = "import os, sys; print(os.environ['FROM_SPEC'], sys.executable, sys._xoptions)";
      return await omp(["tool", "python", cell(code)], { place, env: { VIRTUAL_ENV: testPython.venv } });
    };
    expect(await run("mine")).toEqual({
      exitCode: 0,
      stdout: `yes ${testPython.path} {'utf8': True}\n`,
      stderr: "",
    });
    const other = await run("ir");
    expect(other.exitCode).toBe(1);
    expect(other.stdout).toMatch(
      /^python: the kernelspec 'ir' is for r, and the python tool needs a Python kernel; .* \(KERNELSPEC_LANGUAGE\)\n$/,
    );
    const unknown = await run("yours");
    expect(unknown.stdout).toMatch(
      /^python: no kernelspec 'yours' on this machine; available: .*mine.* \(KERNELSPEC_NOT_FOUND\)\n$/,
    );
  });
});
