import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { ompPaths } from "../../../src/config/paths.ts";
import { ipythonVariables } from "../../../src/kernel/hosts/ipython-directory.ts";
import { temporaryPlace } from "../../support/home.ts";

test("IPython's directory is omp's own unless the user has one or names one", () => {
  const { home } = temporaryPlace();
  const paths = ompPaths({ env: { HOME: home } });
  expect(ipythonVariables({}, paths)).toEqual({ IPYTHONDIR: join(home, ".omp", "agent", "ipython") });
  expect(ipythonVariables({ IPYTHONDIR: "/elsewhere" }, paths)).toEqual({});
  mkdirSync(join(home, ".ipython"));
  expect(ipythonVariables({}, paths)).toEqual({});
});
