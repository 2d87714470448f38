/** A project's environment without ipykernel is lent it inside the sandbox as well: nothing is written into it, and it stays inside. */

import { expect, test } from "bun:test";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { openServices } from "../../src/app/services.ts";
import { bareEnvironment, contentsOf } from "../support/environments.ts";
import { temporaryPlace } from "../support/home.ts";
import { userEnvironment } from "../support/omp.ts";
import { describeWithPython, testPython } from "../support/python.ts";

describeWithPython(testPython, "a lent kernel", () => {
  test.each(["workspace", "read-only"] as const)("runs in the sandbox %s", async (sandbox) => {
    const place = temporaryPlace();
    mkdirSync(join(place.home, ".omp"), { mode: 0o700 });
    symlinkSync(testPython.venv, join(place.home, ".omp/python-env"));
    const { directory } = bareEnvironment(join(place.project, ".venv"));
    const before = contentsOf(directory);
    const invocation = { env: userEnvironment(place), cwd: place.project, isTrusted: true };
    const services = await openServices(invocation, { stderr: () => undefined }, { sandbox });
    const cell = async (code: string) => {
      const call = { ...services.context, signal: new AbortController().signal, onUpdate: () => undefined };
      return (await services.tools.run("python", { cells: [{ code }] }, call)).output.trim();
    };
    try {
      expect(await cell("import sys, ipykernel; print(sys.prefix); kept = 1")).toBe(directory);
      const outside = join(place.home, "outside");
      expect(await cell(`open(${JSON.stringify(outside)}, "w")`)).toContain("Read-only file system");
      const inside = `open(${JSON.stringify(join(place.project, "inside"))}, "w").close(); print(kept)`;
      expect(await cell(inside)).toContain(sandbox === "workspace" ? "1" : "Read-only file system");
      expect([existsSync(outside), contentsOf(directory)]).toEqual([false, before]);
    } finally {
      await services.close();
    }
  });
});
