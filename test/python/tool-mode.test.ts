import { expect, test } from "bun:test";
import type { Preflight } from "../../src/python/preflight.ts";
import { effectiveToolMode } from "../../src/python/tool-mode.ts";

const failed: Preflight = {
  ok: false,
  reason: "python: no (PYTHON_NOT_FOUND)",
  code: "PYTHON_NOT_FOUND",
  issue: "no",
  fix: "omp setup",
};

test("PI_PY goes before the setting", () => {
  expect(effectiveToolMode({ override: "ipy-only", setting: "both", preflight: { ok: true } })).toEqual({
    mode: "ipy-only",
    why: "PI_PY asks for ipy-only",
    degraded: false,
  });
  expect(effectiveToolMode({ override: undefined, setting: "both", preflight: { ok: true } })).toEqual({
    mode: "both",
    why: "python.toolMode is both",
    degraded: false,
  });
});

test("only bash is left when the preflight failed, and the reason is told", () => {
  const degraded = { mode: "bash-only", why: failed.reason, degraded: true } as const;
  expect(effectiveToolMode({ override: undefined, setting: "both", preflight: failed })).toEqual(degraded);
  expect(effectiveToolMode({ override: "ipy-only", setting: "both", preflight: failed })).toEqual(degraded);
});

test("who asked for bash alone gets it without a complaint, and who skips the check gets python", () => {
  expect(effectiveToolMode({ override: "bash-only", setting: "both", preflight: failed })).toEqual({
    mode: "bash-only",
    why: "PI_PY asks for bash-only",
    degraded: false,
  });
  expect(effectiveToolMode({ override: undefined, setting: "both", preflight: undefined }).mode).toBe("both");
});
