import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { childEnvironment, explainEnvironment } from "../../src/python/environment.ts";
import type { Interpreter } from "../../src/python/interpreter.ts";
import { temporaryDirectory } from "../support/home.ts";

const venv: Interpreter = { path: "/p/.venv/bin/python", source: ".venv", venv: "/p/.venv" };
const system: Interpreter = { path: "/usr/bin/python3", source: "setting", venv: undefined };

describe("the filter", () => {
  test("passes what programs need, by name and by prefix, and nothing else", () => {
    const env = {
      PATH: "/usr/bin",
      HOME: "/home/u",
      LC_TIME: "de_DE",
      XDG_CACHE_HOME: "/c",
      PI_PY: "both",
      PYTHONPATH: "/lib",
      CONDA_PREFIX: "/conda",
      https_proxy: "http://user:password@proxy:8080",
      SSH_AUTH_SOCK: "/run/agent",
      TOKENIZERS_PARALLELISM: "false",
    };
    expect(
      childEnvironment({ env: { ...env, MY_COMPANY: "x", LD_PRELOAD: "y", UNSET: undefined }, pass: [] }),
    ).toEqual(env);
  });

  test("withholds everything that looks like a secret, whatever prefix would allow it", () => {
    const names = [
      ...["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENROUTER_API_KEY"],
      ...["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "GITHUB_TOKEN", "GITHUB_PAT"],
      ...[
        "GOOGLE_APPLICATION_CREDENTIALS",
        "PGPASSWORD",
        "MYSQL_PWD",
        "DB_PASS",
        "NPM_AUTHTOKEN",
        "SSH_PASSPHRASE",
      ],
      ...["PI_PYTHON_GATEWAY_TOKEN", "PI_API_KEY", "XDG_SESSION_COOKIE", "CONDA_TOKEN", "UV_PUBLISH_TOKEN"],
      ...["UV_INDEX_HOME_PASSWORD", "JUPYTER_TOKEN", "PIP_SECRET", "openai_api_key", "OPENAI_APIKEY"],
    ];
    const env = Object.fromEntries(names.map((name) => [name, "value"]));
    expect(childEnvironment({ env, pass: [] })).toEqual({});
    expect(explainEnvironment({ env, pass: [] })).toEqual({
      variables: names
        .sort()
        .map((name) => ({ name, verdict: "secret", why: "its name looks like a secret's" })),
      unmatched: [],
    });
  });

  test("passes where files are, though not what is no path", () => {
    const paths = {
      GOOGLE_APPLICATION_CREDENTIALS: "/home/u/key.json",
      AWS_SHARED_CREDENTIALS_FILE: "/home/u/.aws/credentials",
      MY_TOOL_CONFIG_FILE: "/etc/tool.toml",
    };
    const env = { ...paths, TOKEN_FILE: "ghp_123", OTHER_FILE: "https://me:pw@host/x" };
    expect(childEnvironment({ env, pass: [] })).toEqual(paths);
  });

  test("passes what builds, clusters and databases are told by", () => {
    const env = {
      GIT_SSH_COMMAND: "ssh -i key",
      DOCKER_BUILDKIT: "1",
      GOPRIVATE: "example.com",
      CGO_ENABLED: "0",
      RUSTUP_TOOLCHAIN: "nightly",
      CMAKE_BUILD_TYPE: "Debug",
      SLURM_JOB_ID: "7",
      DJANGO_SETTINGS_MODULE: "app.settings",
      PYTEST_ADDOPTS: "-q",
      PGHOST: "db",
      PGPASSFILE: "/home/u/.pgpass",
    };
    const secrets = { PGPASSWORD: "x", DOCKER_AUTH_TOKEN: "y", SLURM_SECRET: "z" };
    expect(childEnvironment({ env: { ...env, ...secrets }, pass: [] })).toEqual(env);
  });

  test("passes what direnv has set, but its secrets and its record of all values", () => {
    const record = { p: {}, n: { APP_MODE: "dev", APP_API_KEY: "k" } };
    const DIRENV_DIFF = deflateSync(JSON.stringify(record)).toString("base64url");
    const env = { APP_MODE: "dev", APP_API_KEY: "k", ELSEWHERE: "x" };
    expect(childEnvironment({ env: { ...env, DIRENV_DIFF }, pass: [] })).toEqual({ APP_MODE: "dev" });
    expect(childEnvironment({ env: { ...env, DIRENV_DIFF: "not today's format" }, pass: [] })).toEqual({});
  });

  test("withholds an allowed name whose value is an address with a password", () => {
    const env = {
      PIP_INDEX_URL: "https://me:hunter2@packages.example/simple",
      PI_PYTHON_GATEWAY_URL: "http://127.0.0.1:8888/a@b",
      UV_INDEX: "https://packages.example/simple",
      UV_EXTRA_INDEX_URL: "https://glpat-123@packages.example/simple",
      DOCKER_HOST: "ssh://me@builder",
    };
    expect(childEnvironment({ env, pass: [] })).toEqual({
      PI_PYTHON_GATEWAY_URL: env.PI_PYTHON_GATEWAY_URL,
      UV_INDEX: env.UV_INDEX,
      DOCKER_HOST: env.DOCKER_HOST,
    });
  });

  test("passes what the user names, exactly or by a trailing star, even a secret", () => {
    const env = { GITHUB_TOKEN: "t", AWS_ACCESS_KEY_ID: "i", AWS_X: "x", MY_VAR: "v", MY_VAR2: "w" };
    expect(childEnvironment({ env, pass: ["GITHUB_TOKEN", "AWS_*", "MY_VAR"] })).toEqual({
      GITHUB_TOKEN: "t",
      AWS_ACCESS_KEY_ID: "i",
      AWS_X: "x",
      MY_VAR: "v",
    });
  });

  test("does not care for case on Windows", () => {
    const env = { Path: "C:\\bin", SystemRoot: "C:\\Windows", My_Var: "1", OpenAI_Api_Key: "s" };
    expect(childEnvironment({ env, pass: ["MY_*"], platform: "win32" })).toEqual({
      Path: "C:\\bin",
      SystemRoot: "C:\\Windows",
      My_Var: "1",
    });
  });
});

describe("the interpreter's environment", () => {
  test("is entered as its activate script would: first on PATH once, named, PYTHONHOME gone", () => {
    const env = {
      PATH: "/usr/bin:/p/.venv/bin::/bin",
      VIRTUAL_ENV: "/other",
      PYTHONHOME: "/usr",
      LANG: "C",
    };
    expect(childEnvironment({ env, pass: [], interpreter: venv })).toEqual({
      PATH: "/p/.venv/bin:/usr/bin:/bin",
      VIRTUAL_ENV: "/p/.venv",
      LANG: "C",
    });
  });

  test("without pip is lent one, before any other", () => {
    const venv = join(temporaryDirectory(), "venv");
    mkdirSync(join(venv, "bin"), { recursive: true });
    const interpreter = { path: `${venv}/bin/python`, source: ".venv", venv } as const;
    const path = () =>
      childEnvironment({ env: { PATH: "/usr/bin" }, pass: [], interpreter, lentPrograms: "/lent" })["PATH"];
    expect(path()).toBe(`${venv}/bin:/lent:/usr/bin`);
    writeFileSync(join(venv, "bin/pip"), "");
    expect(path()).toBe(`${venv}/bin:/usr/bin`);
  });

  test("of conda's is entered in the same way, and another one is left", () => {
    const env = { PATH: "/conda/base/bin:/usr/bin", CONDA_PREFIX: "/conda/base", CONDA_DEFAULT_ENV: "base" };
    const pixi = "/p/.pixi/envs/default";
    const inside = { path: `${pixi}/bin/python`, source: ".pixi", venv: undefined, conda: pixi } as const;
    expect(childEnvironment({ env: { ...env, VIRTUAL_ENV: "/v" }, pass: [], interpreter: inside })).toEqual({
      PATH: `${pixi}/bin:/usr/bin`,
      CONDA_PREFIX: pixi,
      CONDA_DEFAULT_ENV: pixi,
    });
    const base = {
      path: "/conda/base/bin/python",
      source: "CONDA_PREFIX",
      venv: undefined,
      conda: "/conda/base",
    } as const;
    expect(childEnvironment({ env, pass: [], interpreter: base })).toEqual(env);
    const system = { path: "/usr/bin/python3", source: "setting", venv: undefined } as const;
    expect(childEnvironment({ env, pass: [], interpreter: system })).toEqual({ PATH: "/usr/bin" });
    // It may have been made from conda's Python, and share its libraries.
    const venv = { path: "/p/.venv/bin/python", source: ".venv", venv: "/p/.venv" } as const;
    expect(childEnvironment({ env, pass: [], interpreter: venv })).toEqual({
      ...env,
      PATH: "/p/.venv/bin:/conda/base/bin:/usr/bin",
      VIRTUAL_ENV: "/p/.venv",
    });
  });

  test("leaves the system's programs to be found where there was no PATH", () => {
    expect(childEnvironment({ env: {}, pass: [], interpreter: venv })["PATH"]).toBe(
      "/p/.venv/bin:/usr/local/bin:/usr/bin:/bin",
    );
  });

  test("is left when the chosen Python is outside of it, or in another one", () => {
    const env = { PATH: "/other/bin:/usr/bin", VIRTUAL_ENV: "/other" };
    expect(childEnvironment({ env, pass: [], interpreter: system })).toEqual({ PATH: "/usr/bin" });
    expect(childEnvironment({ env, pass: [], interpreter: venv })["PATH"]).toBe("/p/.venv/bin:/usr/bin");
  });

  test("is none for a Python that a setting names: its programs are first all the same, where PATH finds another", () => {
    const conda: Interpreter = { path: "/conda/envs/x/bin/python", source: "setting", venv: undefined };
    const env = { PATH: "/usr/bin:/bin" };
    expect(childEnvironment({ env, pass: [], interpreter: conda })).toEqual({
      PATH: "/conda/envs/x/bin:/usr/bin:/bin",
    });
    const bin = temporaryDirectory();
    writeFileSync(join(bin, "python3"), "", { mode: 0o755 });
    const found: Interpreter = { path: join(bin, "python3"), source: "PATH", venv: undefined };
    const path = `/nowhere:${bin}:/usr/bin`;
    expect(childEnvironment({ env: { PATH: path }, pass: [], interpreter: found })["PATH"]).toBe(path);
  });
});

test("the explanation names what is passed and what is not, and never a value", () => {
  const env = {
    PATH: "/bin",
    HOME: "/h",
    OPENAI_API_KEY: "sk-1",
    FOO: "bar",
    GH_TOKEN: "x",
    NONE: undefined,
  };
  expect(explainEnvironment({ env, pass: ["GH_*", "NOT_SET", "NONE"] })).toEqual({
    variables: [
      { name: "FOO", verdict: "unlisted", why: "not on the list" },
      { name: "GH_TOKEN", verdict: "passed", why: "environment.pass" },
      { name: "HOME", verdict: "passed", why: "user and system" },
      { name: "OPENAI_API_KEY", verdict: "secret", why: "its name looks like a secret's" },
      { name: "PATH", verdict: "passed", why: "user and system" },
    ],
    unmatched: ["NOT_SET", "NONE"],
  });
});
