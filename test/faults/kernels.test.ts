import { expect, test } from "bun:test";
import { join } from "node:path";
import { filesLeft } from "../kernel/local/left-behind.ts";
import { temporaryDirectory } from "../support/home.ts";
import { processesWith } from "../support/processes.ts";
import { describeWithPython, pythonsUnderTest, testPython } from "../support/python.ts";
import { until } from "../support/until.ts";

async function fixture(name: string, python: string, ...args: string[]) {
  const [base, home] = [temporaryDirectory(), temporaryDirectory()];
  const child = Bun.spawn(
    [process.execPath, join(import.meta.dir, "fixtures", name), python, base, home, ...args],
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
    test("20,000 flushed lines arrive whole when nobody reads for six seconds", async () => {
      const { answer } = await fixture("blocked-consumer.ts", python.path, "20000", "6000");
      expect(answer).toEqual({ status: "ok", received: 20_000, inOrder: true });
    });
  });
}

describeWithPython(testPython, "over a long time", () => {
  test("200 kernels, started and stopped, leave no descriptor, process or file", async () => {
    const { answer, base, home } = await fixture("many-kernels.ts", testPython.path, "200");
    expect(answer.after - answer.before).toBeLessThanOrEqual(0);
    expect(answer.filesWhileOpen).toEqual([]);
    expect(filesLeft(base)).toEqual([]);
    await until("every process is gone", () => processesWith(`HOME=${home}`).length === 0);
  }, 180_000);
});
