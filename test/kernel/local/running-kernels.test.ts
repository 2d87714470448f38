import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isResponding, runningKernels, stopKernel } from "../../../src/kernel/local/running-kernels.ts";
import { temporaryDirectory } from "../../support/home.ts";
import { localKernels, runCell } from "../../support/kernels.ts";
import { stop } from "../../support/processes.ts";
import { describeWithPython, testPython } from "../../support/python.ts";

describeWithPython(testPython, "the running kernels of this machine", () => {
  test("are found with their owner, answer, and are gone from the list with their end", async () => {
    const { kernels, base, home } = localKernels();
    const kernel = await kernels.start({ cwd: home });
    const [found] = runningKernels([base, base]);
    expect(found).toEqual({
      id: `k${kernel.facts.pid}`,
      pid: kernel.facts.pid,
      owner: process.pid,
      python: testPython.path,
      cwd: home,
      startedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      connectionFile: expect.stringContaining("kernel.json"),
      directory: dirname(found?.connectionFile ?? ""),
    });
    const file = found?.connectionFile ?? "";
    expect(JSON.parse(readFileSync(file, "utf8")).key).toBe(kernel.connectionInfo?.key);
    expect(statSync(join(dirname(file), "owner.json")).mode & 0o777).toBe(0o600);
    if (found) expect(await isResponding(found)).toBe(true);
    await kernel.shutdown();
    expect(runningKernels([base])).toEqual([]);
    if (found) expect(await isResponding(found)).toBe(false);
  });

  test("one of them is asked to end, and ends in its own way", async () => {
    const { kernels, base, home } = localKernels();
    const kernel = await kernels.start({ cwd: home });
    const farewell = join(home, "farewell");
    await runCell(
      kernel,
      `import atexit, pathlib; atexit.register(pathlib.Path(${JSON.stringify(farewell)}).touch)`,
    );
    const [found] = runningKernels([base]);
    if (!found) throw new Error("no kernel was found");
    await stopKernel(found);
    expect(await kernel.exited).toMatchObject({
      expected: false,
      endedBy: "user",
      reason: "omp kernel stop",
    });
    expect(statSync(farewell).size).toBe(0);
    expect(runningKernels([base])).toEqual([]);
  });

  test("one that does not listen is killed", async () => {
    const { kernels, base, home } = localKernels();
    const kernel = await kernels.start({ cwd: home });
    await stop(kernel.facts.pid);
    const [found] = runningKernels([base]);
    if (!found) throw new Error("no kernel was found");
    expect(await isResponding(found)).toBe(false);
    await stopKernel(found);
    expect(await kernel.exited).toMatchObject({ endedBy: "user", reason: "omp kernel stop" });
  });
});

test("a record that somebody else could have written counts for nothing", () => {
  const base = temporaryDirectory();
  const directory = join(base, `omp-${process.getuid?.()}`, `${process.pid}-abcdef`, "k1");
  mkdirSync(directory, { recursive: true, mode: 0o777 });
  const record = { pid: process.pid, owner: process.pid, python: "/p", cwd: "/", startedAt: "2026-01-01" };
  writeFileSync(join(directory, "owner.json"), JSON.stringify(record));
  expect(runningKernels([base])).toEqual([]);
});
