import { expect, test } from "bun:test";
import { join } from "node:path";
import { filesLeft } from "../kernel/local/left-behind.ts";
import { temporaryDirectory } from "../support/home.ts";
import { slow } from "../support/limits.ts";
import { processesWith } from "../support/processes.ts";
import { describeWithPython, pythonsUnderTest, testPython } from "../support/python.ts";
import { until } from "../support/until.ts";

/** Runs a fixture with these arguments; a limit of descriptors that is quick to reach. */
async function fixture(name: string, python: string, ...args: string[]) {
  const [base, home] = [temporaryDirectory(), temporaryDirectory()];
  const child = Bun.spawn(
    [
      "/bin/sh",
      "-c",
      'ulimit -n 512; exec "$@"',
      "sh",
      process.execPath,
      join(import.meta.dir, "fixtures", name),
      python,
      base,
      home,
      ...args,
    ],
    {
      stdin: "ignore",
      stdout: "pipe",
      stderr: "inherit",
    },
  );
  const answer = JSON.parse(await new Response(child.stdout).text());
  expect(await child.exited).toBe(0);
  return { answer, base, home };
}

for (const python of pythonsUnderTest) {
  describeWithPython(python, `under pressure, ${python.name}`, () => {
    test(
      "20,000 flushed lines arrive whole when nobody reads for six seconds",
      async () => {
        const { answer } = await fixture("blocked-consumer.ts", python.path, "20000", "6000");
        expect(answer).toEqual({ status: "ok", received: 20_000, inOrder: true });
      },
      slow(30, "nothing is read for six seconds"),
    );
  });
}

describeWithPython(testPython, "without descriptors", () => {
  test("a start says at once that there is no room, and works again when there is", async () => {
    for (const free of [20, 30, 37, 41]) {
      const { answer } = await fixture("few-descriptors.ts", testPython.path, String(free));
      const refusal = { kind: "exhausted", code: "EMFILE" };
      expect(answer).toEqual({ refusal, count: expect.any(Number), answers: true });
      expect(answer.count).toBeLessThan(10);
    }
  });
});

describeWithPython(testPython, "over a long time", () => {
  test(
    "200 kernels, started and stopped, leave no descriptor, process or file",
    async () => {
      const { answer, base, home } = await fixture("many-kernels.ts", testPython.path, "200");
      expect(answer.after - answer.before).toBeLessThanOrEqual(0);
      expect(answer.filesWhileOpen).toEqual([]);
      expect(filesLeft(base)).toEqual([]);
      await until("every process is gone", () => processesWith(`HOME=${home}`).length === 0);
    },
    slow(60, "starts and stops 200 kernels"),
  );
});
