import { expect, test } from "bun:test";
import { join } from "node:path";
import { within } from "../../src/async/within.ts";
import { checkout } from "../support/omp.ts";

const never = new Promise<void>(() => undefined);

test("a promise that resolves in time is within it", async () => {
  expect(await within(Promise.resolve(false), 2 ** 30)).toBe(true);
});

test("a promise that does not resolve in time is not", async () => {
  expect(await within(never, 1)).toBe(false);
});

test("what the promise throws is thrown", () => {
  expect(within(Promise.reject(new Error("failed")), 2 ** 30)).rejects.toThrow("failed");
});

test("a wait that does not keep the process lets it end", async () => {
  const module = JSON.stringify(join(checkout, "src/async/within.ts"));
  const wait = "within(new Promise(() => {}), 2 ** 30, { keepsProcess: false })";
  const program = `import { within } from ${module}; void ${wait}; console.log("waiting");`;
  const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe", stderr: "inherit" });
  expect(await new Response(child.stdout).text()).toBe("waiting\n");
  expect(await child.exited).toBe(0);
});
