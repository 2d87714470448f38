/**
 * The value of every setting that is not set. Plain data, apart from the schema that uses it: without a settings file, which is
 * how most people start, neither zod nor the JSON parser is loaded.
 */

const noNames: readonly string[] = [];
const noEndpoints: readonly never[] = [];
const noGateways: readonly never[] = [];

export const defaultSettings = deepFreeze({
  python: {
    toolMode: "both",
    kernelMode: "session",
    sharedGateway: false,
    startTimeout: 30,
    idleTimeout: 300,
    scriptTimeout: 60,
    transport: "auto",
    forkServer: true,
    keepState: false,
    keepStateMb: 2000,
    keepStateValueMb: 1000,
    keepStateTimeout: 5,
    checkpoints: 20,
    checkpointMemoryMb: 2048,
  },
  environment: { pass: noNames },
  artifacts: { maxTotalMb: 5120, maxAgeDays: 14 },
  files: { checkpoints: true, maxFileMb: 10, maxTotalMb: 2048, maxAgeDays: 30 },
  tools: { enable: noNames },
  bridge: { existingKernels: false, maxCalls: 10_000, maxConcurrency: 32, maxCostUsd: 5, maxDepth: 2 },
  bash: { allow: noNames, deny: noNames, workingDirectory: "any" },
  endpoints: noEndpoints,
  gateways: noGateways,
  mcp: { servers: {}, expose: "auto", sandbox: false, startTimeout: 30, timeout: 60 },
  approval: "auto",
  sandbox: "off",
  sandboxAllow: { paths: noNames, hosts: noNames },
  ui: { theme: "auto", ascii: false, screenReader: false, images: "auto", notify: "auto", notifyAfter: 10 },
} as const);

/** Makes a plain value immutable all the way down, so that it can be shared. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
