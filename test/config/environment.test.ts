import { expect, test } from "bun:test";
import { readEnvironment } from "../../src/config/environment.ts";
import { ConfigError } from "../../src/config/errors.ts";

const nothingSet = {
  toolMode: undefined,
  gateway: undefined,
  skipPythonCheck: false,
  traceKernel: false,
  debugStartup: false,
  warnings: [],
};

test("unset and empty variables change nothing", () => {
  expect(readEnvironment({})).toEqual(nothingSet);
  expect(
    readEnvironment({
      PI_PY: "",
      PI_PYTHON_GATEWAY_URL: "",
      PI_PYTHON_SKIP_CHECK: "",
      PI_DEBUG_STARTUP: "0",
    }),
  ).toEqual(nothingSet);
});

test.each([
  ["0", "bash-only"],
  ["bash", "bash-only"],
  ["1", "ipy-only"],
  ["py", "ipy-only"],
  ["mix", "both"],
  ["both", "both"],
  ["BOTH", "both"],
] as const)("PI_PY=%s means %s", (value, toolMode) => {
  expect(readEnvironment({ PI_PY: value })).toEqual({ ...nothingSet, toolMode });
});

test("any other PI_PY is a warning, and the setting is used", () => {
  expect(readEnvironment({ PI_PY: "python\u001b[2J" })).toEqual({
    ...nothingSet,
    warnings: [
      "environment: PI_PY must be 0 or bash, 1 or py, mix or both, not 'python\\u001b[2J'; using the setting 'python.toolMode' (INVALID_VALUE)",
    ],
  });
});

test("the gateway has an address and optionally a token", () => {
  const url = "http://127.0.0.1:8888";
  expect(readEnvironment({ PI_PYTHON_GATEWAY_URL: url }).gateway).toEqual({ url, token: undefined });
  expect(readEnvironment({ PI_PYTHON_GATEWAY_URL: url, PI_PYTHON_GATEWAY_TOKEN: "t" }).gateway).toEqual({
    url,
    token: "t",
  });
  expect(readEnvironment({ PI_PYTHON_GATEWAY_TOKEN: "t" }).gateway).toBeUndefined();
});

test.each(["127.0.0.1:8888", "localhost:8888", "ftp://host", "nonsense"])(
  "a gateway address has to be one: %s",
  (url) => {
    const read = () => readEnvironment({ PI_PYTHON_GATEWAY_URL: url });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(
      "environment: PI_PYTHON_GATEWAY_URL must be an http:// or https:// address (INVALID_VALUE)",
    );
  },
);

test("a switch is on if it is 1; any other value is a warning", () => {
  expect(
    readEnvironment({ PI_PYTHON_SKIP_CHECK: "1", PI_PYTHON_IPC_TRACE: "1", PI_DEBUG_STARTUP: "1" }),
  ).toEqual({ ...nothingSet, skipPythonCheck: true, traceKernel: true, debugStartup: true });
  expect(readEnvironment({ PI_PYTHON_IPC_TRACE: "true" })).toEqual({
    ...nothingSet,
    warnings: [
      "environment: PI_PYTHON_IPC_TRACE must be 1 to take effect, not 'true'; it is ignored (INVALID_VALUE)",
    ],
  });
});
