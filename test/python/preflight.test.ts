import { describe, expect, test } from "bun:test";
import type { InterpreterFacts } from "../../src/python/facts.ts";
import type { Interpreter, InterpreterSource } from "../../src/python/interpreter.ts";
import { hasKernel, type Preflight, preflight } from "../../src/python/preflight.ts";

const good: InterpreterFacts = {
  path: "/p/bin/python",
  version: "3.12.1",
  implementation: "cpython",
  prefix: "/p",
  packages: { ipykernel: "7.4.0" },
  installer: "pip",
  tag: "cpython-312-x86_64-linux-gnu-x86_64",
  paths: ["/p/lib/python3.12/site-packages"],
};

function check(
  source: InterpreterSource,
  facts: Partial<InterpreterFacts>,
  { path = "/p/bin/python", sharedGateway = false } = {},
): Preflight {
  const found: Interpreter = { path, source, venv: source === "PATH" ? undefined : "/p" };
  return preflight({ found, tried: [] }, { ...good, path, ...facts }, { sharedGateway });
}

function fixOf(result: Preflight): string {
  return result.ok ? "ok" : result.fix;
}

test("a Python without ipykernel, or with one that is too old, passes: it is lent one", () => {
  expect(check(".venv", { packages: {} })).toEqual({ ok: true });
  expect(check("VIRTUAL_ENV", { packages: { ipykernel: "5.5.6" } })).toEqual({ ok: true });
  const versions = [undefined, "5.5.6", "6.0.0rc1", "7.4.0", "unknown"];
  const has = versions.map((ipykernel) =>
    hasKernel({ packages: ipykernel === undefined ? {} : { ipykernel } }),
  );
  expect(has).toEqual([false, false, true, true, true]);
});

test("a Python with ipykernel passes, also in a pre-release and with ipykernel's version unknown", () => {
  expect(check(".venv", {})).toEqual({ ok: true });
  expect(check(".venv", { version: "3.15.0a1+", packages: { ipykernel: "unknown" } })).toEqual({ ok: true });
  expect(check(".venv", { version: "3.9.0", packages: { ipykernel: "6.0.0rc1" } })).toEqual({ ok: true });
});

describe("a failure is one line with the exact fix", () => {
  test("Python is too old", () => {
    const old = { version: "3.8.20", packages: {} };
    expect(check("venv", old)).toMatchObject({
      reason:
        "python: /p/bin/python is Python 3.8.20, and 3.9 or later is needed; recreate /p with a later Python, or remove it (PYTHON_TOO_OLD)",
    });
    expect(fixOf(check("PATH", old))).toBe("omp setup");
    expect(fixOf(check("setting", old))).toBe("fix or remove the setting python.interpreter");
  });

  test("it is no Python", () => {
    const { version, ...rest } = good;
    expect(version).toBeDefined();
    const facts = { ...rest, version: undefined, problem: "crashed with SIGSEGV" };
    expect(check("managed", facts)).toMatchObject({
      reason: "python: /p/bin/python crashed with SIGSEGV; run: omp setup (PYTHON_UNUSABLE)",
    });
  });

  test("there is no Python at all, or not the one that was set", () => {
    const tried = [
      { source: ".venv", path: "/w/.venv", problem: "does not exist" },
      { source: "PATH", path: "python3", problem: "is not on PATH" },
    ] as const;
    expect(preflight({ found: undefined, tried }, undefined)).toMatchObject({
      reason:
        "python: no Python found (.venv: /w/.venv does not exist; PATH: python3 is not on PATH); install Python 3, then run: omp setup (PYTHON_NOT_FOUND)",
    });
    const set = [{ source: "setting", path: "/x/python", problem: "is not executable" }] as const;
    expect(preflight({ found: undefined, tried: set }, undefined)).toMatchObject({
      reason:
        "python: the setting python.interpreter names /x/python, which is not executable; fix or remove the setting python.interpreter (PYTHON_NOT_FOUND)",
    });
  });

  test("the shared gateway's package is missing", () => {
    expect(check("venv", { packages: { ipykernel: "5.5.6" } }, { sharedGateway: true })).toMatchObject({
      reason:
        "python: ipykernel and jupyter_kernel_gateway are not installed in /p/bin/python, and python.sharedGateway needs them; run: /p/bin/python -m pip install ipykernel jupyter_kernel_gateway (KERNEL_GATEWAY_NOT_FOUND)",
    });
    expect(check(".venv", {}, { sharedGateway: true })).toMatchObject({
      code: "KERNEL_GATEWAY_NOT_FOUND",
      fix: "/p/bin/python -m pip install jupyter_kernel_gateway",
    });
    const packages = { ipykernel: "7.4.0", kernel_gateway: "3.0.1" };
    expect(check(".venv", { packages }, { sharedGateway: true })).toEqual({ ok: true });
  });
});

describe("the fix for the missing gateway fits the interpreter", () => {
  const fix = (source: InterpreterSource, facts: Partial<InterpreterFacts>, path = "/p/bin/python") =>
    fixOf(check(source, facts, { path, sharedGateway: true }));

  test("pip first where there is none yet, uv where there cannot be one", () => {
    expect(fix(".venv", { installer: "ensurepip" })).toBe(
      "/p/bin/python -m ensurepip && /p/bin/python -m pip install jupyter_kernel_gateway",
    );
    expect(fix(".venv", { installer: "none" })).toBe(
      "uv pip install --python /p/bin/python jupyter_kernel_gateway",
    );
  });

  test("nothing into the system's own Python", () => {
    expect(fix("setting", { installer: "system" })).toBe(
      "remove the setting python.interpreter, then run: omp setup",
    );
    expect(fix("PATH", { installer: "system" })).toBe(
      "python3 -m venv .venv && .venv/bin/python -m pip install ipykernel jupyter_kernel_gateway",
    );
  });

  test("a path that the shell would take apart is quoted", () => {
    expect(fix(".venv", {}, "/my project's/python")).toBe(
      "'/my project'\\''s/python' -m pip install jupyter_kernel_gateway",
    );
  });
});
