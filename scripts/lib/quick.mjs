/**
 * What `npm test -- --quick` leaves out. Folders whose tests start kernels, servers or the whole program are left out as a whole;
 * elsewhere a file that takes long is named `*.slow.test.ts`. What remains runs with one version of ipykernel (OMP_TEST_QUICK).
 */

/** Below `test`. */
const slowFolders = [
  "conformance",
  "contract",
  "e2e",
  "faults",
  "kernel/existing",
  "kernel/gateway",
  "kernel/local",
  "kernel/python",
  "mcp",
  "real-model",
  "scripts",
  "tools/python",
];

export const quickFlags = [...slowFolders.map((folder) => `test/${folder}/**`), "**/*.slow.test.ts"].map(
  (pattern) => `--path-ignore-patterns=${pattern}`,
);
