import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { openServices, type Services } from "../../src/app/services.ts";
import { ShellMoments } from "../../src/app/shell-moments.ts";
import { callTool } from "../../src/app/tool-call.ts";
import { temporaryPlace } from "../support/home.ts";
import { describeWithPython, testPython } from "../support/python.ts";

const io = { stderr: () => undefined };

function invocationIn({ home, project }: { home: string; project: string }, env: object = {}) {
  const PATH = `${testPython.venv}/bin:${process.env["PATH"]}`;
  return { env: { HOME: home, PATH, VIRTUAL_ENV: testPython.venv, ...env }, cwd: project };
}

async function call(services: Services, name: string, input: unknown) {
  const { isError, output } = await callTool(services, {
    ...{ name, input, dryRun: false, signal: new AbortController().signal },
    ...{ onUpdate: () => undefined, onBug: (report: string) => expect(report).toBe("") },
  });
  return { isError, output };
}

describeWithPython(testPython, "switching the sandbox of a session", () => {
  test("starts kernel, shell and scripts again, each inside or outside", async () => {
    const place = temporaryPlace();
    const services = await openServices(invocationIn(place), io);
    const writes = async (name: string) => {
      const file = join(place.home, name);
      const code = `open(${JSON.stringify(file)}, "w")`;
      const results = [
        await call(services, "python", { cells: [{ code }] }),
        await call(services, "bash", { command: `echo x >${file}` }),
        await call(services, "python_run", { code }),
        await call(services, "exec", { language: "bash", code: `echo x >${file}` }),
        await call(services, "write", { path: `${file}-new`, content: "x" }),
      ];
      return { refused: results.map(({ isError }) => isError), isThere: existsSync(file) };
    };
    const all = (isError: boolean) => Array(5).fill(isError);
    expect(await writes("before")).toEqual({ refused: all(false), isThere: true });
    await call(services, "python", { cells: [{ code: "x = 1" }] });
    await call(services, "bash", { command: "x=1" });
    await services.switchSandbox("workspace");
    expect(await writes("inside")).toEqual({ refused: all(true), isThere: false });
    expect(await call(services, "python", { cells: [{ code: "print('x' in globals())" }] })).toMatchObject({
      output: expect.stringContaining("False"),
    });
    expect(await call(services, "bash", { command: 'echo "[$x]"' })).toMatchObject({ output: "[]" });
    const { temporaryDirectory } = services.sandbox ?? { temporaryDirectory: "/" };
    await services.switchSandbox("off");
    expect([services.sandbox, existsSync(temporaryDirectory)]).toEqual([undefined, false]);
    expect(await writes("after")).toEqual({ refused: all(false), isThere: true });
    await services.close();
  });

  test("leaves behind what the shell was: it would run outside what was written inside", async () => {
    const place = temporaryPlace();
    const services = await openServices(invocationIn(place), io, { sandbox: "workspace" });
    const moments = new ShellMoments(services.shells);
    await call(services, "bash", { command: `x=1; trap 'touch ${place.home}/escaped' DEBUG` });
    const moment = await moments.keep();
    expect(moments.has(moment)).toBe(true);
    await services.switchSandbox("off");
    expect(moments.has(moment)).toBe(false);
    await call(services, "bash", { command: "true" });
    await moments.restore(moment);
    expect(await call(services, "bash", { command: 'echo "[$x]"' })).toMatchObject({ output: "[]" });
    expect(existsSync(join(place.home, "escaped"))).toBe(false);
    await services.close();
  });

  test("runs no module outside that was made inside", async () => {
    const place = temporaryPlace();
    const services = await openServices(invocationIn(place), io, { sandbox: "workspace" });
    const module = `open(${JSON.stringify(join(place.home, "escaped"))}, "w")`;
    await call(services, "write", { path: ".omp/modules/x.py", content: module });
    await services.switchSandbox("off");
    expect(await call(services, "python", { cells: [{ code: "6 * 7" }] })).toEqual({
      isError: false,
      output: "42",
    });
    expect(existsSync(join(place.home, "escaped"))).toBe(false);
    await services.close();
  });

  test("leaves no way back to a kernel of before", async () => {
    const services = await openServices(invocationIn(temporaryPlace()), io);
    const { history } = services.python;
    const { signal } = new AbortController();
    await call(services, "python", { cells: [{ code: "x = 1" }] });
    const kept = await history.checkpoint(signal);
    const id = kept.kind === "kept" ? kept.checkpoint.id : "";
    expect(history.find(id)).toBeDefined();
    await services.switchSandbox("workspace");
    expect(history.find(id)).toBeUndefined();
    expect(await history.restore(id, signal)).toMatchObject({ kind: "impossible" });
    await services.close();
  });

  test("that is not possible leaves everything as it was", async () => {
    const place = temporaryPlace();
    const gateway = { PI_PYTHON_GATEWAY_URL: "http://127.0.0.1:9" };
    const services = await openServices(invocationIn(place, gateway), io);
    await call(services, "bash", { command: "x=1" });
    await expect(services.switchSandbox("workspace")).rejects.toMatchObject({ code: "SANDBOX_KERNEL" });
    expect(services.sandbox).toBeUndefined();
    expect(await call(services, "bash", { command: "echo $x" })).toMatchObject({ output: "1" });
    await services.close();
  });
});
