import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryDirectory } from "../../support/home.ts";
import { kernelErrorOf, localKernels, runCell } from "../../support/kernels.ts";
import { groupMembers, isRunning } from "../../support/processes.ts";
import { describeWithPython, testPython } from "../../support/python.ts";
import { until } from "../../support/until.ts";
import { filesLeft, processesLeft } from "./left-behind.ts";

/** Leaves children behind that do not go by themselves: one as it is, one that ignores polite signals. */
const CHILDREN = [
  "import subprocess",
  "children = [subprocess.Popen(['sleep', '1000']), subprocess.Popen(['sh', '-c', \"trap '' TERM INT HUP; sleep 1000; sleep 1000\"])]",
].join("\n");

describeWithPython(testPython, "what a kernel leaves behind", () => {
  for (const useForkServer of [false, true]) {
    const kind = useForkServer ? "a forked kernel" : "a kernel";

    async function withChildren() {
      const left = localKernels({ useForkServer });
      if (useForkServer) await left.kernels.warmUp();
      const before = processesLeft(left);
      const kernel = await left.kernels.start({ cwd: left.home });
      const { error } = await runCell(kernel, CHILDREN);
      expect(error).toBeUndefined();
      const own = () => processesLeft(left).filter((pid) => !before.includes(pid));
      const kernelFiles = () => [...new Bun.Glob("**/kernel.json").scanSync({ cwd: left.base })];
      await until("kernel, children and grandchild run", () => own().length === 4);
      expect(kernelFiles()).toHaveLength(1);
      return { ...left, kernel, own, kernelFiles };
    }

    test(`nothing of ${kind} that was shut down`, async () => {
      const { kernel, own, kernelFiles } = await withChildren();
      await kernel.shutdown();
      await until("its group is gone", () => own().length === 0);
      expect(kernelFiles()).toEqual([]);
    });

    test(`nothing of ${kind} that crashed`, async () => {
      const { kernel, own, kernelFiles } = await withChildren();
      const error = await kernelErrorOf(
        runCell(kernel, "import ctypes\nprint('crashing', flush=True)\nctypes.string_at(0)"),
      );
      expect(error.message).toBe(
        "python: the kernel died: crashed with a segmentation fault (SIGSEGV) (KERNEL_DIED)",
      );
      expect(await kernel.exited).toMatchObject({
        reason: "crashed with a segmentation fault (SIGSEGV)",
        expected: false,
      });
      await until("its group is gone", () => own().length === 0);
      expect(kernelFiles()).toEqual([]);
    });

    test(`nothing of ${kind} that was killed from outside while it did nothing`, async () => {
      const { kernel, own, kernelFiles } = await withChildren();
      process.kill(kernel.facts.pid, "SIGKILL");
      expect(await kernel.exited).toMatchObject({ reason: "killed by SIGKILL", expected: false });
      expect(kernel.state).toBe("dead");
      await until("its group is gone", () => own().length === 0);
      expect(kernelFiles()).toEqual([]);
    });

    test(`nothing at all when everything closes, ${kind} and its children included`, async () => {
      const left = await withChildren();
      await left.kernels.start({ cwd: left.home });
      await left.kernels.close();
      expect(filesLeft(left.base)).toEqual([]);
      await until("every process is gone", () => processesLeft(left).length === 0);
      await left.kernels.close();
    });
  }

  test("nothing when omp itself is killed with SIGKILL while its kernels are busy", async () => {
    const left = { base: temporaryDirectory(), home: temporaryDirectory() };
    const omp = Bun.spawn(
      [
        process.execPath,
        join(import.meta.dir, "fixtures/owning-omp.ts"),
        testPython.path,
        left.base,
        left.home,
      ],
      { stdin: "ignore", stdout: "pipe", stderr: "inherit" },
    );
    const reader = omp.stdout.getReader();
    const { value } = await reader.read();
    const { plain, forked } = JSON.parse(Buffer.from(value ?? []).toString());
    for (const pid of [plain, forked]) expect(groupMembers(pid).length).toBeGreaterThan(1);
    expect(filesLeft(left.base)).toHaveLength(1);
    omp.kill("SIGKILL");
    await omp.exited;
    await until("the groups are gone", () => groupMembers(plain).length + groupMembers(forked).length === 0);
    await until("every process is gone", () => processesLeft(left).length === 0);
    await until("the directory is gone", () => filesLeft(left.base).length === 0);
  });

  test("nothing when omp, its watchdog and the fork server are all killed: kernels watch their parent", async () => {
    const left = { base: temporaryDirectory(), home: temporaryDirectory() };
    const omp = Bun.spawn(
      [
        process.execPath,
        join(import.meta.dir, "fixtures/owning-omp.ts"),
        testPython.path,
        left.base,
        left.home,
      ],
      { stdin: "ignore", stdout: "pipe", stderr: "inherit" },
    );
    const reader = omp.stdout.getReader();
    const { plain, forked } = JSON.parse(Buffer.from((await reader.read()).value ?? []).toString());
    const watchdogs = childrenOf(omp.pid).filter((pid) => pid !== plain && pid !== forked);
    omp.kill("SIGSTOP");
    for (const pid of watchdogs) process.kill(pid, "SIGKILL");
    omp.kill("SIGKILL");
    await omp.exited;
    await until("both kernels are gone", () => !isRunning(plain) && !isRunning(forked));
    // Their children are out of anybody's reach now; the test ends them itself.
    for (const pid of processesLeft(left)) process.kill(pid, "SIGKILL");
    // The next omp sweeps the directory that nobody was left to remove.
    const { kernels } = localKernels({ runtimeBases: [left.base] });
    expect(filesLeft(left.base)).toHaveLength(1);
    await (await kernels.start({ cwd: left.home })).shutdown();
    expect(filesLeft(left.base).map((name) => name.split("/")[1]?.split("-")[0])).toEqual([
      String(process.pid),
    ]);
  });
});

function childrenOf(parent: number): number[] {
  const listed = Bun.spawnSync(["ps", "-o", "pid=", "--ppid", String(parent)]).stdout.toString();
  return listed.trim().split(/\s+/).map(Number);
}
