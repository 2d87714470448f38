/** A directory for one test, with an empty home and an empty project; removed when the test ends. */

import { afterAll, afterEach } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ompPaths } from "../../src/config/paths.ts";
import { trustProject } from "../../src/config/trust.ts";

const eachTest: string[] = [];
const eachFile: string[] = [];

function removeAll(directories: string[]): void {
  for (const directory of directories.splice(0)) {
    try {
      rmSync(directory, { recursive: true, force: true });
    } catch {
      // Only root can remove what a test has locked.
      Bun.spawnSync(["chmod", "-R", "u+rwX", directory]);
      rmSync(directory, { recursive: true, force: true });
    }
  }
}

afterEach(() => removeAll(eachTest));
afterAll(() => removeAll(eachFile));

/** A new directory that lasts until the end of the test (or of the file, for set-up shared by its tests). */
export function temporaryDirectory({ lasts = "test" }: { lasts?: "test" | "file" } = {}): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "omp-test-")));
  (lasts === "test" ? eachTest : eachFile).push(directory);
  return directory;
}

export interface TestPlace {
  /** The user's home; `OMP_HOME` is `<home>/.omp`. */
  readonly home: string;
  readonly project: string;
}

export function temporaryPlace(options?: { lasts?: "test" | "file" }): TestPlace {
  const root = temporaryDirectory(options);
  const place = { home: join(root, "home"), project: join(root, "project") };
  mkdirSync(place.home);
  mkdirSync(place.project);
  return place;
}

/** As the user would with `omp trust`, after the project has all that it is to have. */
export function trustPlace({ home, project }: TestPlace): void {
  const { trustFile } = ompPaths({ env: { HOME: home } });
  trustProject({ root: project, cwd: project, trustFile });
}
