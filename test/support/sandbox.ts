/** Real sandboxes for tests. */

import { afterAll, afterEach } from "bun:test";
import { dirname } from "node:path";
import { Sandbox, type SandboxOptions } from "../../src/sandbox/sandbox.ts";
import { temporaryDirectory } from "./home.ts";
import { testPython } from "./python.ts";

const eachTest: Sandbox[] = [];
const eachFile: Sandbox[] = [];

afterEach(() => closeAll(eachTest));
afterAll(() => closeAll(eachFile));

function closeAll(sandboxes: Sandbox[]): void {
  for (const sandbox of sandboxes.splice(0)) sandbox.close();
}

/** Around a project; it ends with the test (or the file). */
export async function testSandbox(
  options: Partial<SandboxOptions> = {},
  { lasts = "test" }: { lasts?: "test" | "file" } = {},
): Promise<Sandbox> {
  const home = options.home ?? temporaryDirectory({ lasts });
  const sandbox = await Sandbox.open({
    mode: "workspace",
    projectRoot: temporaryDirectory({ lasts }),
    ompHome: `${home}/.omp`,
    allowedPaths: [],
    allowedHosts: [],
    readable: [dirname(dirname(testPython.path))],
    temporaryBase: temporaryDirectory({ lasts }),
    searchPath: process.env["PATH"],
    ...options,
    home,
  });
  (lasts === "test" ? eachTest : eachFile).push(sandbox);
  return sandbox;
}
