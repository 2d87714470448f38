import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openServices, type Services } from "../../src/app/services.ts";
import { callTool } from "../../src/app/tool-call.ts";
import { temporaryPlace } from "../support/home.ts";
import { testPython } from "../support/python.ts";

let services: Services;
const place = temporaryPlace({ lasts: "file" });
const env = {
  HOME: place.home,
  PATH: `${testPython.venv}/bin:${process.env["PATH"]}`,
  VIRTUAL_ENV: testPython.venv,
};
const invocation = { env, cwd: place.project };
const io = { stderr: () => undefined };

beforeAll(async () => {
  writeFileSync(join(place.home, ".bashrc"), "as it was\n");
  mkdirSync(join(place.home, ".omp/agent"), { recursive: true });
  writeFileSync(join(place.home, ".omp/agent/trust.json"), "{}");
  Bun.spawnSync(["git", "init", "-q", place.project]);
  services = await openServices(invocation, io, { sandbox: "workspace" });
});
afterAll(async () => {
  await services.close();
});

async function call(name: string, input: unknown) {
  return await callTool(services, {
    ...{ name, input, dryRun: false, signal: new AbortController().signal },
    ...{ onUpdate: () => undefined, onBug: (report: string) => expect(report).toBe("") },
  });
}

const NOTE = `[the sandbox is why: programs may write only in ${place.project} and /tmp; only the user can change that]`;

test("every tool that runs something is inside: what it may not write is refused, and the result says why", async () => {
  const outside = join(place.home, "new");
  const python = `open(${JSON.stringify(outside)}, "w")`;
  const results = [
    await call("bash", { command: `echo x >${outside}` }),
    await call("python", { cells: [{ code: python }] }),
    await call("exec", { language: "bash", code: `echo x >${outside}` }),
    await call("exec", { language: "python", code: `${python} # ${"x".repeat(200_000)}` }),
    await call("python_run", { code: python }),
  ];
  for (const { isError, output } of results)
    expect([isError, output.split("\n").at(-1)]).toEqual([true, NOTE]);
  expect(existsSync(outside)).toBe(false);
  expect(
    (await call("python", { cells: [{ code: `bash("echo x >${outside}").exit_code` }] })).output,
  ).toContain("1");
});

test("kernel, shell, scripts and file tools share one /tmp, which is not the machine's", async () => {
  await call("bash", { command: "echo from bash >/tmp/shared; mkdir /tmp/there" });
  expect((await call("python", { cells: [{ code: "print(open('/tmp/shared').read())" }] })).output).toContain(
    "from bash",
  );
  expect((await call("read", { path: "/tmp/shared" })).output).toContain("from bash");
  await call("write", {
    path: "/tmp/script.py",
    content: "import os; print(os.getcwd(), open('shared').read())",
  });
  expect((await call("python_run", { file: "/tmp/script.py", cwd: "/tmp" })).output).toContain(
    "/tmp from bash",
  );
  expect((await call("bash", { command: "pwd", cwd: "/tmp/there" })).output).toBe("/tmp/there");
  expect(existsSync("/tmp/shared")).toBe(false);
});

test("write and edit keep to the same limits, also through links", async () => {
  symlinkSync(place.home, join(place.project, "link"));
  symlinkSync(join(place.home, ".bashrc"), join(place.project, "rc"));
  const write = (path: string) => call("write", { path, content: "evil\n" });
  for (const path of [join(place.home, "new"), "link/new", "../home/new", "rc", "~/.omp/agent/trust.json"]) {
    const { isError, details } = await write(path);
    expect([path, isError, details["code"]]).toEqual([path, true, "SANDBOX"]);
  }
  await call("read", { path: "rc" });
  expect(
    (await call("edit", { path: "rc", edits: [{ old_text: "as it was", new_text: "evil" }] })).details[
      "code"
    ],
  ).toBe("SANDBOX");
  expect(readFileSync(join(place.home, ".bashrc"), "utf8")).toBe("as it was\n");
  expect((await write("inside/new")).isError).toBe(false);
});

test("a file that would send git elsewhere for its settings is gone after the call", async () => {
  const commondir = join(place.project, ".git/commondir");
  expect(
    (await call("bash", { command: "echo /tmp/evil >.git/commondir && git config core.pager" })).isError,
  ).toBe(true);
  expect(existsSync(commondir)).toBe(false);
});

test("plots, and what a model reads of a stopped cell, are as without", async () => {
  const { output, images } = await call("python", {
    cells: [{ code: "import matplotlib.pyplot as plt; plt.plot([1, 2]); plt.show()" }],
  });
  expect([output.includes("not a writable"), images?.length]).toEqual([false, 1]);
  const stopped = await call("python", { cells: [{ code: "import time; time.sleep(1000)" }], timeout: 1 });
  expect(stopped.output).toContain("timed out");
  expect((await call("python", { cells: [{ code: "print(plt is not None)" }] })).output).toContain("True");
});

test("a kernel that omp does not run itself is refused at the start", async () => {
  const gateway = { ...env, PI_PYTHON_GATEWAY_URL: "http://127.0.0.1:9" };
  await expect(openServices({ ...invocation, env: gateway }, io, { sandbox: "workspace" })).rejects.toThrow(
    "sandbox: the kernel runs in the Jupyter gateway 127.0.0.1:9, outside the sandbox; use omp's own kernel, or --sandbox off (SANDBOX_KERNEL)",
  );
});
