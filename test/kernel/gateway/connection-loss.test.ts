import { beforeAll, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { GatewayKernels } from "../../../src/kernel/gateway/gateway-kernels.ts";
import type { Kernel, KernelMessage } from "../../../src/kernel/kernel.ts";
import { OUTPUT_CUT } from "../../../src/kernel/message.ts";
import { type CuttableProxy, cuttableProxy } from "../../support/cuttable-proxy.ts";
import { gatewayKernels, gatewayNeeds, startGateway, type TestGateway } from "../../support/gateways.ts";
import { temporaryDirectory } from "../../support/home.ts";
import { cellResult, kernelErrorOf, runCell } from "../../support/kernels.ts";
import { describeWithPython } from "../../support/python.ts";
import { until } from "../../support/until.ts";

const { python, packages } = gatewayNeeds("kernel gateway");

interface Connected {
  readonly kernels: GatewayKernels;
  readonly kernel: Kernel;
  readonly proxy: CuttableProxy;
  readonly cwd: string;
}

/** Prints a line every hundredth of a second, and says in a file how far it is. */
function counting(lines: number): string {
  return [
    "import os, time",
    `for i in range(${lines}):`,
    "  print('line', i, flush=True)",
    "  with open('progress.tmp', 'w') as file: file.write(str(i))",
    "  os.replace('progress.tmp', 'progress')",
    "  time.sleep(0.01)",
    "'all printed'",
  ].join("\n");
}

function linesUpTo(count: number): string {
  return Array.from({ length: count }, (_, index) => `line ${index}\n`).join("");
}

function progress(cwd: string): number {
  const file = join(cwd, "progress");
  return existsSync(file) ? Number(readFileSync(file, "utf8")) : -1;
}

async function untilProgress(cwd: string, line: number): Promise<void> {
  await until(`line ${line} is printed`, () => progress(cwd) >= line);
}

describeWithPython(
  python,
  "a connection to a gateway that breaks",
  () => {
    let gateway: TestGateway;
    beforeAll(async () => {
      gateway = await startGateway("kernel gateway", { lasts: "file" });
    });

    async function connected(options: Parameters<typeof gatewayKernels>[1] = {}): Promise<Connected> {
      const proxy = await cuttableProxy(gateway.url);
      const cwd = temporaryDirectory();
      const kernels = gatewayKernels({ ...gateway, url: proxy.url }, options);
      return { proxy, cwd, kernels, kernel: await kernels.start({ cwd }) };
    }

    /** Runs code, and once it has begun to print does something to the connection. */
    async function whileRunning({ kernel }: Connected, code: string, act: () => Promise<void>) {
      const messages: KernelMessage[] = [];
      let acting: Promise<void> | undefined;
      for await (const message of kernel.execute(code)) {
        messages.push(message);
        if (message.header.msg_type === "stream") acting ??= act();
      }
      await acting;
      return messages;
    }

    test("for five seconds while output flows loses none of it, and the kernel keeps its state", async () => {
      const place = await connected();
      const messages = await whileRunning(place, counting(600), async () => {
        await untilProgress(place.cwd, 20);
        place.proxy.cut();
        await untilProgress(place.cwd, 520);
        place.proxy.restore();
      });
      const cell = cellResult(messages);
      expect(cell.stdout).toBe(linesUpTo(600));
      expect(cell.value).toBe("'all printed'");
      expect(messages.map(({ header }) => header.msg_type)).not.toContain(OUTPUT_CUT);
      expect(place.kernel.state).toBe("ready");
      expect((await runCell(place.kernel, "i")).value).toBe("599");
    });

    test("again and again loses nothing either", async () => {
      const place = await connected();
      const messages = await whileRunning(place, counting(300), async () => {
        for (const line of [20, 80, 140, 200]) {
          await untilProgress(place.cwd, line);
          place.proxy.cut();
          place.proxy.restore();
        }
      });
      expect(cellResult(messages)).toMatchObject({ stdout: linesUpTo(300), value: "'all printed'" });
    });

    test("without a word is noticed by its silence, and what was sent into it comes again", async () => {
      const place = await connected({ silenceMs: 600 });
      const messages = await whileRunning(place, counting(300), async () => {
        await untilProgress(place.cwd, 20);
        const before = place.proxy.count;
        place.proxy.freeze();
        await until("there is another connection", () => place.proxy.count > before);
      });
      expect(cellResult(messages)).toMatchObject({ stdout: linesUpTo(300), value: "'all printed'" });
    });

    test("that swallows more than the kernel remembers is told in the output", async () => {
      const place = await connected();
      const code = [
        "import os, time",
        "def wait_for(name):",
        "  while not os.path.exists(name): time.sleep(0.01)",
        "print('begun', flush=True)",
        "wait_for('frozen')",
        "for i in range(100): print('x' * 300_000)",
        "print('end', flush=True)",
        "open('printed', 'w').close()",
        "wait_for('cut')",
      ].join("\n");
      const messages = await whileRunning(place, code, async () => {
        place.proxy.freeze();
        writeFileSync(join(place.cwd, "frozen"), "");
        await until("all is printed", () => existsSync(join(place.cwd, "printed")));
        place.proxy.cut();
        place.proxy.restore();
        writeFileSync(join(place.cwd, "cut"), "");
      });
      expect(cellResult(messages).stdout).toEndWith("x\nend\n");
      const cuts = messages.filter(({ header }) => header.msg_type === OUTPUT_CUT);
      expect(cuts.map(({ content }) => content["reason"])).toEqual([
        "the connection broke, and more was printed than the kernel keeps",
      ]);
    });

    test("and comes back after the cell has ended brings its end", async () => {
      const place = await connected();
      const messages = await whileRunning(place, counting(100), async () => {
        place.proxy.cut();
        await untilProgress(place.cwd, 99);
        place.proxy.restore();
      });
      const cell = cellResult(messages);
      expect(cell).toMatchObject({ stdout: linesUpTo(100), value: "'all printed'", error: undefined });
      expect(cell.reply).toMatchObject({ status: "ok", execution_count: 1 });
      expect((await runCell(place.kernel, "1 + 1")).value).toBe("2");
    });

    test("between two cells is not noticed by the next", async () => {
      const { proxy, kernel } = await connected();
      await runCell(kernel, "kept = 5");
      proxy.cut();
      const next = runCell(kernel, "print('printed'); kept");
      proxy.restore();
      expect(await next).toMatchObject({ stdout: "printed\n", value: "5" });
    });

    test("and does not come back in time ends the kernel, with the reason", async () => {
      const place = await connected({ reconnectLimitMs: 500 });
      const error = await kernelErrorOf(
        whileRunning(place, counting(1000), async () => {
          place.proxy.cut();
        }),
      );
      expect(error.kind).toBe("died");
      expect(error.issue).toContain(
        "the connection to gateway kernel-gateway broke and did not come back in 0.5 seconds",
      );
      place.proxy.restore();
      const another = await place.kernels.start({ cwd: place.cwd });
      expect((await runCell(another, "1 + 1")).value).toBe("2");
    });

    test("is no reason to wait for it after an abort", async () => {
      const { proxy, kernel } = await connected();
      const abort = new AbortController();
      const reading = async () => {
        const code = "import time\nprint('begun', flush=True)\ntime.sleep(1e6)";
        for await (const { header } of kernel.execute(code, { signal: abort.signal })) {
          if (header.msg_type !== "stream") continue;
          proxy.cut();
          abort.abort();
        }
      };
      const error = await kernelErrorOf(reading());
      expect(error.issue).toContain("the connection to its gateway is broken");
    });

    test("while the gateway starts the kernel anew ends it: its state is gone", async () => {
      const place = await connected();
      const restart = `${gateway.url}api/kernels/${place.kernel.id}/restart`;
      await runCell(place.kernel, "kept = 5");
      place.proxy.cut();
      await fetch(restart, { method: "POST", headers: { Authorization: `token ${gateway.token}` } });
      place.proxy.restore();
      expect((await place.kernel.exited).reason).toContain("started an empty one in its place");
    });
  },
  packages,
);
