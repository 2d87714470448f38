/**
 * The value of every setting that nobody set. Plain data, apart from the schema that uses it: with no settings file,
 * which is how most people start, neither zod nor the JSON parser is loaded.
 */

import { deepFreeze } from "./freeze.ts";

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
  },
  environment: { pass: noNames },
  artifacts: { maxTotalMb: 5120, maxAgeDays: 14 },
  tools: { enable: noNames },
  bash: { allow: noNames, deny: noNames, workingDirectory: "any" },
  endpoints: noEndpoints,
  gateways: noGateways,
  approval: "auto",
  ui: { theme: "auto", ascii: false, screenReader: false, images: "auto", notify: "auto", notifyAfter: 10 },
} as const);
