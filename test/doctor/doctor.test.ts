import { beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Check } from "../../src/doctor/check.ts";
import { runDoctor } from "../../src/doctor/doctor.ts";
import type { TerminalFacts } from "../../src/doctor/terminal.ts";
import { bareEnvironment } from "../support/environments.ts";
import { type TestPlace, temporaryDirectory, temporaryPlace } from "../support/home.ts";
import { describeWithPython, testPython } from "../support/python.ts";

/** A real environment; the doctor looks for packages without importing them, so their outlines are enough. */
const shared = temporaryDirectory({ lasts: "file" });
const whole = join(shared, "whole");
const bare = join(shared, "bare");
const noTerminal: TerminalFacts = {
  isTerminal: false,
  columns: undefined,
  rows: undefined,
  colorDepth: undefined,
};

beforeAll(async () => {
  await Bun.$`python3 -m venv --without-pip ${whole}`.quiet();
  bareEnvironment(bare);
  const [library = ""] = new Bun.Glob("lib/python3*/site-packages").scanSync({
    cwd: whole,
    onlyFiles: false,
  });
  mkdirSync(join(whole, library, "ipykernel-7.4.0.dist-info"), { recursive: true });
  mkdirSync(join(whole, library, "ipykernel"));
  writeFileSync(join(whole, library, "ipykernel/__init__.py"), "raise RuntimeError\n");
  writeFileSync(
    join(whole, library, "ipykernel-7.4.0.dist-info/METADATA"),
    "Name: ipykernel\nVersion: 7.4.0\n",
  );
});

interface Diagnosis {
  readonly exitCode: number;
  readonly ok: boolean;
  readonly text: string;
  check(name: string): Check | undefined;
}

interface Options {
  readonly env?: Record<string, string>;
  readonly json?: boolean;
  readonly terminal?: TerminalFacts;
  readonly isTrusted?: boolean;
}

async function doctor(place: TestPlace, options: Options = {}): Promise<Diagnosis> {
  const { env = {}, json = true, terminal = noTerminal, isTrusted = true } = options;
  let text = "";
  const io = {
    stdout: (piece: string) => {
      text += piece;
    },
    stderr: (piece: string) => expect(piece).toBe(""),
  };
  const exitCode = await runDoctor({ json }, io, {
    env: { PATH: "/nowhere", HOME: place.home, LANG: "C.UTF-8", ...env },
    cwd: place.project,
    isTrusted,
    terminal,
  });
  const { ok, checks }: { ok: boolean; checks: Check[] } = json ? JSON.parse(text) : { ok: true, checks: [] };
  return { exitCode, ok, text, check: (name) => checks.find((candidate) => candidate.name === name) };
}

function settings(directory: string, text: string): string {
  const file = join(directory, "omp.jsonc");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

describeWithPython(testPython, "the Python side", () => {
  test("is well with an environment that has ipykernel, in which a kernel starts", async () => {
    const place = temporaryPlace();
    symlinkSync(testPython.venv, join(place.project, ".venv"));
    const { exitCode, ok, check } = await doctor(place);
    expect([exitCode, ok]).toEqual([0, true]);
    const venv = join(place.project, ".venv");
    expect(check("interpreter")).toEqual({
      name: "interpreter",
      status: "ok",
      value: `${venv}/bin/python (from ${venv})`,
      notes: [],
      details: { path: `${venv}/bin/python`, source: ".venv", venv, tried: [] },
    });
    expect(check("Python")).toMatchObject({
      status: "ok",
      value: expect.stringMatching(/^3\.\d+/) as string,
    });
    const version = testPython.packages["ipykernel"] ?? "";
    expect(check("ipykernel")).toEqual({ name: "ipykernel", status: "ok", value: version });
    expect(check("kernel")).toEqual({
      name: "kernel",
      status: "ok",
      value: expect.stringMatching(/^starts and answers in [\d.]+ m?s \(Python 3\.\d+\.\d+\)$/) as string,
      details: { milliseconds: expect.any(Number) as number },
    });
    expect(check("checkpoints")).toMatchObject({
      status: "ok",
      value: expect.stringMatching(
        /^work \([\d.]+ m?s\): \/rewind brings variables back, python has branches$/,
      ) as string,
      details: { variables: true },
    });
    expect(check("snapshots")?.value).toBe("none: git is not installed; /rewind leaves files as they are");
    expect(readdirSync(place.home)).not.toContain(".omp");
    expect(check("gateway")?.value).toStartWith("not used; kernels are local, over ZeroMQ");
    expect(check("tools")).toMatchObject({
      status: "ok",
      value: "python and bash (python.toolMode is both)",
    });
  });

  test("fails where everything is there and no kernel starts, with what Python said", async () => {
    const place = temporaryPlace();
    const { exitCode, check } = await doctor(place, { env: { VIRTUAL_ENV: whole } });
    expect(exitCode).toBe(1);
    expect(check("ipykernel")).toEqual({ name: "ipykernel", status: "ok", value: "7.4.0" });
    expect(check("kernel")).toMatchObject({
      status: "fail",
      value: expect.stringContaining("No module named ipykernel_launcher") as string,
    });
    expect(check("tools")?.value).toBe("the python tool will not work; see kernel");
  });

  test("says that ipykernel will be lent, or from where it is", async () => {
    const place = temporaryPlace();
    const first = await doctor(place, { env: { VIRTUAL_ENV: bare } });
    expect([first.exitCode, first.check("ipykernel")]).toEqual([
      0,
      {
        name: "ipykernel",
        status: "ok",
        value: "not installed: the first kernel will make one that is lent to it",
      },
    ]);
    mkdirSync(join(place.home, ".omp"), { mode: 0o700 });
    symlinkSync(testPython.venv, join(place.home, ".omp/python-env"));
    const { check } = await doctor(place, { env: { VIRTUAL_ENV: bare } });
    const version = testPython.packages["ipykernel"];
    expect(check("ipykernel")).toMatchObject({
      status: "ok",
      value: expect.stringContaining(
        `not installed: lent ${version} from ${place.home}/.omp/python-env/lib/`,
      ) as string,
    });
    expect([first.check("kernel"), check("kernel")?.status]).toEqual([undefined, "ok"]);
    expect(check("tools")).toMatchObject({ status: "ok", details: { mode: "both" } });
    expect(readdirSync(join(place.home, ".omp"))).toEqual(["python-env"]);
  });

  test("fails without any Python, and says where it was looked for", async () => {
    const place = temporaryPlace();
    const { exitCode, check } = await doctor(place);
    expect(exitCode).toBe(1);
    expect(check("interpreter")).toMatchObject({
      status: "fail",
      value: expect.stringContaining("PATH: python3 is not on PATH") as string,
      fix: "install Python 3, then run: omp setup",
    });
    expect(check("Python")).toBeUndefined();
  });

  test("does not look further than a setting that cannot be used", async () => {
    const place = temporaryPlace();
    settings(join(place.project, ".omp"), '{"python": {"interpreter": "./gone/python"}}');
    const { exitCode, check } = await doctor(place, { env: { VIRTUAL_ENV: whole } });
    expect(exitCode).toBe(1);
    expect(check("interpreter")).toMatchObject({
      status: "fail",
      value: `the setting python.interpreter names ${place.project}/gone/python, which does not exist`,
    });
  });

  test("warns of an active environment that is gone", async () => {
    const place = temporaryPlace();
    symlinkSync(whole, join(place.project, "venv"));
    const { check } = await doctor(place, { env: { VIRTUAL_ENV: "/gone" } });
    expect(check("interpreter")).toMatchObject({
      status: "warn",
      notes: ["passed over VIRTUAL_ENV: /gone does not exist"],
    });
  });

  test("takes a program that is no Python for what it is", async () => {
    const place = temporaryPlace();
    settings(join(place.home, ".omp/agent"), '{"python": {"interpreter": "/bin/false"}}');
    const { exitCode, check } = await doctor(place);
    expect(exitCode).toBe(1);
    expect(check("Python")).toEqual({
      name: "Python",
      status: "fail",
      value: "/bin/false failed with exit code 1",
      fix: "fix or remove the setting python.interpreter",
    });
  });

  test("says that PI_PY decides, and warns when it decides nothing", async () => {
    const place = temporaryPlace();
    const env = { VIRTUAL_ENV: whole };
    const bash = await doctor(place, { env: { ...env, PI_PY: "bash" } });
    expect(bash.check("tools")).toMatchObject({
      status: "ok",
      value: "bash only (PI_PY asks for bash-only)",
    });
    expect([bash.exitCode, bash.check("kernel")]).toEqual([0, undefined]);
    const odd = await doctor(place, { env: { VIRTUAL_ENV: testPython.venv, PI_PY: "perl" } });
    expect(odd.exitCode).toBe(0);
    expect(odd.check("PI_ variables")).toMatchObject({
      status: "warn",
      value: expect.stringContaining("perl") as string,
    });
    expect(odd.check("tools")?.value).toBe("python and bash (python.toolMode is both)");
  });
});

/** Answers as a gateway does when it is asked what it has. */
function gatewayServer({ token, specs }: { token: string; specs: Record<string, string> }) {
  const kernelspecs = Object.fromEntries(
    Object.entries(specs).map(([name, language]) => [name, { name, spec: { language } }]),
  );
  return Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url, headers }) =>
      url.endsWith("/base/api/kernelspecs") && headers.get("authorization") === `token ${token}`
        ? Response.json({ kernelspecs })
        : new Response("no", { status: 403 }),
  });
}

test("a kernelspec of this machine is told with what it starts, an unknown one with those that there are", async () => {
  const place = temporaryPlace();
  settings(join(place.project, ".omp"), '{"python": {"kernelSpec": "python3"}}');
  const good = await doctor(place, { env: { VIRTUAL_ENV: whole } });
  expect(good.check("kernelspec")).toMatchObject({
    status: "ok",
    value: `python3: ${whole}/bin/python -m ipykernel_launcher`,
  });
  settings(join(place.project, ".omp"), '{"python": {"kernelSpec": "no-such-one"}}');
  const { exitCode, check } = await doctor(place, { env: { VIRTUAL_ENV: whole } });
  expect(exitCode).toBe(1);
  expect(check("kernelspec")).toMatchObject({
    status: "fail",
    value: expect.stringMatching(/^no kernelspec 'no-such-one' .*; available: .*python3/) as string,
  });
});

describeWithPython(
  testPython,
  "the gateway",
  () => {
    test("that is shared is told as it stands", async () => {
      const place = temporaryPlace();
      settings(join(place.project, ".omp"), '{"python": {"sharedGateway": true}}');
      const { exitCode, check } = await doctor(place, { env: { VIRTUAL_ENV: testPython.venv } });
      expect(exitCode).toBe(0);
      expect(check("gateway")).toMatchObject({
        status: "ok",
        value: expect.stringMatching(/^shared, jupyter_kernel_gateway \d/) as string,
        notes: ["not running; starts with the first kernel"],
      });
    });
  },
  ["jupyter_kernel_gateway"],
);

describe("the gateway", () => {
  test("that is shared needs its package", async () => {
    const place = temporaryPlace();
    settings(join(place.project, ".omp"), '{"python": {"sharedGateway": true}}');
    const { exitCode, check } = await doctor(place, { env: { VIRTUAL_ENV: whole } });
    expect(exitCode).toBe(1);
    expect(check("gateway")).toMatchObject({
      status: "fail",
      fix: expect.stringContaining("jupyter_kernel_gateway") as string,
    });
  });

  test("that is external is asked, and needs no local Python", async () => {
    using server = gatewayServer({ token: "s3cret", specs: { python3: "python", ir: "R" } });
    const place = temporaryPlace();
    const url = `http://127.0.0.1:${server.port}/base/`;
    const env = { PI_PYTHON_GATEWAY_URL: url, PI_PYTHON_GATEWAY_TOKEN: "s3cret" };
    const good = await doctor(place, { env });
    expect(good.exitCode).toBe(0);
    expect(good.check("gateway")).toEqual({
      name: "gateway",
      status: "ok",
      value: `external, ${url}, answers; kernelspecs: python3`,
      details: {
        kind: "external",
        gateway: `127.0.0.1:${server.port}`,
        url,
        token: true,
        kernelSpecs: ["python3"],
      },
    });
    expect(good.check("interpreter")?.status).toBe("warn");
    expect(good.text).not.toContain("s3cret");

    const refused = await doctor(place, { env: { ...env, PI_PYTHON_GATEWAY_TOKEN: "wr0ng" } });
    expect(refused.exitCode).toBe(1);
    expect(refused.check("gateway")).toMatchObject({
      status: "fail",
      value: expect.stringContaining("not allowed (403)") as string,
      fix: expect.stringContaining("fix PI_PYTHON_GATEWAY_TOKEN") as string,
    });
    expect(refused.text).not.toContain("wr0ng");

    await server.stop(true);
    const gone = await doctor(place, { env });
    expect(gone.check("gateway")).toMatchObject({
      status: "fail",
      value: expect.stringContaining("cannot be reached") as string,
    });
  });

  test("of the settings is the one that is used, and the others are looked at without harm", async () => {
    using server = gatewayServer({ token: "s3cret", specs: { python3: "python" } });
    const place = temporaryPlace();
    const url = `http://127.0.0.1:${server.port}/base/`;
    const gateways = [
      { name: "lab", url, tokenEnv: "LAB_TOKEN", kernelSpec: "spark" },
      { name: "down", url: "http://127.0.0.1:9/" },
      { name: "locked", url, tokenEnv: "NOBODYS_TOKEN" },
    ];
    const file = (python: object) => JSON.stringify({ python, gateways });
    settings(join(place.home, ".omp/agent"), file({ gateway: "lab", kernelSpec: "python3" }));
    const { check, text } = await doctor(place, { env: { LAB_TOKEN: "s3cret" } });
    expect(check("gateway")).toMatchObject({
      status: "fail",
      value: `external, ${url}, has no Python kernelspec 'spark'`,
      fix: "set the kernelSpec to one of python3",
    });
    expect(check("gateway down")).toMatchObject({ status: "warn" });
    expect(check("gateway locked")).toMatchObject({
      status: "warn",
      value: "the token of the gateway 'locked' is in NOBODYS_TOKEN, which is not set",
    });
    expect(check("tools")?.value).toBe("the python tool will not work; see gateway");
    expect(text).not.toContain("s3cret");
  });

  test("that the settings name and that is not there keeps the python tool from working", async () => {
    const place = temporaryPlace();
    settings(join(place.home, ".omp/agent"), '{"python": {"gateway": "lab"}}');
    const { exitCode, check } = await doctor(place, { env: { VIRTUAL_ENV: whole } });
    expect(exitCode).toBe(1);
    expect(check("gateway")).toMatchObject({
      status: "fail",
      value: "python.gateway is 'lab', but no gateway has that name",
      fix: "add it to the setting gateways",
    });
  });

  test("address that is none is reported, not fatal", async () => {
    const { exitCode, check } = await doctor(temporaryPlace(), {
      env: { VIRTUAL_ENV: whole, PI_PYTHON_GATEWAY_URL: "ftp://x" },
    });
    expect(exitCode).toBe(1);
    expect(check("PI_ variables")).toMatchObject({ status: "fail" });
    expect(check("ipykernel")?.status).toBe("ok");
  });
});

test("a broken settings file is reported with its line, and the other one holds", async () => {
  const place = temporaryPlace();
  const broken = settings(join(place.home, ".omp/agent"), '{\n  "pyton": {}\n}');
  settings(join(place.project, ".omp"), '{"python": {"toolMode": "bash-only"}}');
  const { exitCode, check } = await doctor(place, { env: { VIRTUAL_ENV: whole } });
  expect(exitCode).toBe(1);
  expect(check("global settings")).toMatchObject({
    status: "fail",
    value: expect.stringContaining(`'pyton' at ${broken}:2:3`) as string,
    fix: `fix line 2 of ${broken}`,
  });
  expect(check("project settings")?.status).toBe("ok");
  expect(check("tools")?.value).toContain("bash-only");
});

test("a project that is not trusted is named, with what is not used of it", async () => {
  const place = temporaryPlace();
  settings(join(place.project, ".omp"), '{"python": {"sharedGateway": true}}');
  symlinkSync(whole, join(place.project, ".venv"));
  const { check } = await doctor(place, { env: { VIRTUAL_ENV: whole }, isTrusted: false });
  expect(check("trust")).toEqual({
    name: "trust",
    status: "warn",
    value:
      "This project is not trusted, so these were not used: .omp/omp.jsonc, .venv/bin/python. To use them: omp trust, or --trust for one run.",
    fix: "omp trust",
    details: {
      root: place.project,
      state: "untrusted",
      wants: [".omp/omp.jsonc", ".venv/bin/python"],
      changes: [],
    },
  });
  expect(check("gateway")?.value).toBe("not used; kernels are local, over ZeroMQ");
});

test("--env shows each variable with the reason, and no value", async () => {
  const { home, project } = temporaryPlace();
  const env = { HOME: home, PATH: "sk-hidden", OPENAI_API_KEY: "sk-hidden", FOO: "sk-hidden" };
  const written: string[] = [];
  const io = { stdout: (text: string) => void written.push(text), stderr: () => undefined };
  expect(await runDoctor({ env: true }, io, { env, cwd: project })).toBe(0);
  expect(written.splice(0).join("")).toBe(
    [
      "FOO             withheld  not on the list",
      "HOME            passed    user and system",
      "OPENAI_API_KEY  withheld  its name looks like a secret's",
      "PATH            passed    user and system",
      "",
    ].join("\n"),
  );
  await runDoctor({ env: true, json: true }, io, { env: { FOO: "sk-hidden", HOME: home }, cwd: project });
  expect(JSON.parse(written.join(""))).toEqual([
    { name: "FOO", passed: false, why: "not on the list" },
    { name: "HOME", passed: true, why: "user and system" },
  ]);
});

test("the filter and the models are told by name, and no value is shown", async () => {
  const env = { VIRTUAL_ENV: whole, OPENAI_API_KEY: "sk-hidden", MY_PASSWORD: "sk-hidden", FOO: "sk-hidden" };
  const place = temporaryPlace();
  const { text, check } = await doctor(place, { env });
  expect(check("environment")).toEqual({
    name: "environment",
    status: "ok",
    value: "4 variables passed to programs, 3 withheld",
    notes: ["withheld, may be secret: MY_PASSWORD, OPENAI_API_KEY", "withheld, not on the list: FOO"],
    details: {
      passed: ["HOME", "LANG", "PATH", "VIRTUAL_ENV"],
      secret: ["MY_PASSWORD", "OPENAI_API_KEY"],
      unlisted: ["FOO"],
      unmatched: [],
    },
  });
  expect(check("models")).toMatchObject({
    status: "ok",
    value: "openai (OPENAI_API_KEY)",
    notes: [expect.stringMatching(/^the default: openai\//)],
  });
  expect(text).not.toContain("sk-hidden");
  expect((await doctor(place, { env: { VIRTUAL_ENV: whole } })).check("models")?.status).toBe("warn");
});

test("endpoints, local servers and the model of the settings count, too", async () => {
  const place = temporaryPlace();
  mkdirSync(join(place.home, ".omp/agent"), { recursive: true });
  const endpoints = [
    { name: "mine", baseUrl: "http://127.0.0.1:9/v1" },
    { name: "locked", baseUrl: "https://llm.example/v1", apiKeyEnv: "LOCKED_KEY" },
  ];
  const settings = { model: "mine/m", endpoints };
  writeFileSync(join(place.home, ".omp/agent/omp.jsonc"), JSON.stringify(settings));
  const { check } = await doctor(place, { env: { VIRTUAL_ENV: whole, OLLAMA_HOST: "127.0.0.1" } });
  expect(check("models")).toEqual({
    name: "models",
    status: "ok",
    value: "ollama (OLLAMA_HOST), mine (settings)",
    notes: ["the default: mine/m"],
    details: {
      providers: [
        { provider: "ollama", variable: "OLLAMA_HOST" },
        { provider: "mine", variable: "settings" },
      ],
      default: "mine/m",
    },
  });
});

test("the home is looked at, and nothing is written to it", async () => {
  const place = temporaryPlace();
  const env = { VIRTUAL_ENV: whole };
  expect((await doctor(place, { env })).check("home")).toMatchObject({
    status: "ok",
    value: `${place.home}/.omp (created when needed)`,
  });
  expect(readdirSync(place.home)).toEqual([]);
  mkdirSync(join(place.home, ".omp/agent/artifacts"), { recursive: true, mode: 0o755 });
  writeFileSync(join(place.home, ".omp/agent/artifacts/a"), new Uint8Array(2048));
  const { check } = await doctor(place, { env });
  expect(check("home")).toMatchObject({ status: "warn", fix: `chmod 700 ${place.home}/.omp` });
  expect(check("disk")?.details).toMatchObject({ artifactBytes: 2048 });
});

describe("the terminal", () => {
  const wide: TerminalFacts = { isTerminal: true, columns: 120, rows: 40, colorDepth: 24 };

  test("is described by size, colour, letters, images and what is around it", async () => {
    const place = temporaryPlace();
    const look = async (env: Record<string, string>, terminal = wide) =>
      (await doctor(place, { env: { VIRTUAL_ENV: whole, ...env }, terminal })).check("terminal");
    expect((await look({ TERM: "xterm-kitty", TMUX: "/t" }))?.value).toBe(
      "120×40, 24-bit colour, Unicode, images by kitty, in tmux",
    );
    expect((await look({ TERM_PROGRAM: "iTerm.app" }))?.value).toBe(
      "120×40, 24-bit colour, Unicode, images by iTerm2",
    );
    expect(await look({ LC_ALL: "C", TERM: "foot" })).toMatchObject({
      status: "warn",
      value: "120×40, 24-bit colour, no Unicode, images by sixel",
      fix: "export LANG=C.UTF-8",
    });
    expect((await look({}, noTerminal))?.value).toBe("stdout is not a terminal");
  });

  test("gets aligned lines, coloured only where it is one and NO_COLOR is not set", async () => {
    const place = temporaryPlace();
    const env = {};
    const plain = await doctor(place, { env, json: false });
    expect(plain.exitCode).toBe(1);
    expect(plain.text).toContain("\n✗ interpreter       no Python found ");
    expect(plain.text).toContain("\n                    fix: install Python 3, then run: omp setup\n");
    expect(plain.text).toEndWith("\nThe python tool will not work until this is fixed.\n");
    expect(plain.text).not.toContain("\u001b[");

    const colored = await doctor(place, { env, json: false, terminal: wide });
    expect(colored.text).toContain("\u001b[31m✗\u001b[39m");
    const without = await doctor(place, { env: { ...env, NO_COLOR: "1" }, json: false, terminal: wide });
    expect(without.text).not.toContain("\u001b[");
    const ascii = await doctor(place, {
      env: { ...env, LC_ALL: "C", NO_COLOR: "1" },
      json: false,
      terminal: wide,
    });
    expect(ascii.text).toContain("x interpreter");
  });
});
