import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readConnection } from "../../src/kernel/existing/connection.ts";
import { ExistingKernels } from "../../src/kernel/existing/existing-kernels.ts";
import type { Kernel, KernelHost, KernelMessage, StartKernelOptions } from "../../src/kernel/kernel.ts";
import type { KernelTransport } from "../../src/kernel/local/connection-file.ts";
import { startForeignKernel } from "../support/foreign-kernels.ts";
import { temporaryDirectory } from "../support/home.ts";
import { cellResult, runCell } from "../support/kernels.ts";
import { slow } from "../support/limits.ts";
import { describeWithPython, pythonsUnderTest, type TestPython } from "../support/python.ts";
import { type KernelsUnderTest, SharedKernel } from "./kernel-contract.ts";
import { deathContract } from "./kernel-death.ts";
import { cellContract } from "./kernel-execution.ts";
import { interruptContract } from "./kernel-interrupts.ts";
import { callContract } from "./kernel-questions.ts";

/** A kernel of somebody else for every start, so that the contract can have more than one. */
class ForeignKernels implements KernelHost {
  readonly #hosts: ExistingKernels[] = [];

  constructor(
    readonly python: TestPython,
    readonly transport: KernelTransport,
    readonly bridge: boolean,
  ) {}

  async start(options: StartKernelOptions): Promise<Kernel> {
    options.signal?.throwIfAborted();
    const { file } = await startForeignKernel({
      python: this.python,
      transport: this.transport,
      lasts: "file",
    });
    const host = new ExistingKernels({ connection: readConnection(file), bridge: this.bridge });
    this.#hosts.push(host);
    return await host.start(options);
  }

  async close(): Promise<void> {
    await Promise.all(this.#hosts.map((host) => host.close()));
  }
}

function make(python: TestPython, transport: KernelTransport, bridge = false): KernelsUnderTest {
  const host = new ForeignKernels(python, transport, bridge);
  const cwd = temporaryDirectory({ lasts: "file" });
  return { host, cwd, close: () => host.close() };
}

/** One transport each: the same sockets carry kernels of our own, and both are tried there. */
const transportFor = ({ ipykernel }: TestPython): KernelTransport => (ipykernel === "7" ? "tcp" : "ipc");

describe("the contract of kernels, in one that runs already", () => {
  for (const python of pythonsUnderTest) {
    const transport = transportFor(python);
    describeWithPython(python, `${python.name}, ${transport}`, () => {
      const kernel = new SharedKernel();
      beforeAll(() => kernel.open(async () => make(python, transport)));
      afterAll(() => kernel.close());
      // How output is made and names are completed is the kernel's own affair: nothing of omp is in it.
      cellContract(kernel);
      interruptContract(kernel);
      deathContract(kernel);
      stuckOutputContract(kernel);
    });
    describeWithPython(python, `${python.name}, ${transport}, with the name omp`, () => {
      const kernel = new SharedKernel();
      beforeAll(() => kernel.open(async () => make(python, transport, true)));
      afterAll(() => kernel.close());
      callContract(kernel);
      bridgeContract(kernel, python, transport);
    });
  }
});

/**
 * An interrupt in the middle of a write can leave ipykernel waiting for its own output, ten seconds long, and its thread for
 * interrupts with it. Seen in one of a hundred floods on a busy machine; here the same locks are taken on purpose.
 */
function stuckOutputContract(kernel: SharedKernel): void {
  test(
    "an interrupt reaches a cell whose output is stuck",
    async () => {
      const code = `
import sys, time
try:
    print('begun', flush=True)
    time.sleep(1e6)
except KeyboardInterrupt:
    with getattr(sys.stdout, '_buffer_lock'):
        sys.stdout.flush()
    time.sleep(1e6)
`;
      const interrupted: Promise<void>[] = [];
      const messages: KernelMessage[] = [];
      for await (const message of kernel.kernel.execute(code)) {
        messages.push(message);
        if (message.header.msg_type === "stream" && interrupted.length === 0)
          interrupted.push(kernel.kernel.interrupt());
      }
      await Promise.all(interrupted);
      expect(cellResult(messages).error).toBe("KeyboardInterrupt");
      expect((await kernel.run("'free'")).value).toBe("'free'");
    },
    slow(15, "ipykernel waits ten seconds"),
  );
}

/** What else the name changes: nothing, and a name of the owner's stays. */
function bridgeContract(kernel: SharedKernel, python: TestPython, transport: KernelTransport): void {
  test("nothing but the name is there", async () => {
    const names = "'bash' in dir(), 'omp' in dir(), type(__import__('sys').stdout).__module__";
    expect((await kernel.run(names)).value).toBe("(False, True, 'ipykernel.iostream')");
    expect(kernel.kernel.facts.bootProblems).toEqual([]);
  });

  test("a name of the owner's stays, and a second omp uses what the first has brought", async () => {
    const { file } = await startForeignKernel({ python, transport });
    const cwd = temporaryDirectory();
    const attach = (bridge: boolean) =>
      new ExistingKernels({ connection: readConnection(file), bridge }).start({ cwd });
    const owner = await attach(false);
    await runCell(owner, "omp = 'mine'");
    const guest = await attach(true);
    expect(guest.facts.bootProblems).toEqual(["the calls of omp: the name omp is taken there"]);
    expect((await runCell(guest, "omp")).value).toBe("'mine'");
    await runCell(owner, "del omp");
    const answer = async ({ name }: Readonly<Record<string, unknown>>) => ({ text: String(name) });
    for (const omp of [await attach(true), await attach(true)]) {
      expect(omp.facts.bootProblems).toEqual([]);
      expect((await runCell(omp, "omp.tools.read().text", { answer })).value).toBe("'read'");
      await omp.shutdown();
    }
    await Promise.all([owner.shutdown(), guest.shutdown()]);
  });
}
