import { describe, expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Kernel } from "../../../src/kernel/kernel.ts";
import { kernelEnvironment, kernelErrorOf, localKernels, runCell } from "../../support/kernels.ts";
import { describeWithPython, testPython } from "../../support/python.ts";

function directoryOf({ connectionInfo }: Kernel): string {
  return dirname(connectionInfo?.ip ?? "");
}

describeWithPython(testPython, "a kernel of this machine", () => {
  test("has its connection file in a directory that only the user can enter, and a key of its own", async () => {
    const { kernels, base, home } = localKernels({ transport: "ipc" });
    const [first, second] = await Promise.all([kernels.start({ cwd: home }), kernels.start({ cwd: home })]);
    const keys = [first, second].map((kernel) => {
      const directory = directoryOf(kernel);
      expect(directory).toStartWith(base);
      const file = join(directory, "kernel.json");
      const mode = (path: string) => statSync(path).mode & 0o777;
      expect([mode(file), mode(directory), mode(dirname(directory))]).toEqual([0o600, 0o700, 0o700]);
      return JSON.parse(readFileSync(file, "utf8")).key;
    });
    expect(keys).toEqual([first.connectionInfo?.key, second.connectionInfo?.key]);
    for (const key of keys) expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set(keys).size).toBe(2);
  });

  test("on tcp listens on the loopback only, at ports of its own choice, with the file still private", async () => {
    const { kernels, base, home } = localKernels({ transport: "tcp" });
    const { connectionInfo } = await kernels.start({ cwd: home });
    expect(connectionInfo).toMatchObject({ transport: "tcp", ip: "127.0.0.1" });
    const { shellPort, iopubPort, controlPort, stdinPort, hbPort } = connectionInfo ?? {};
    expect(new Set([shellPort, iopubPort, controlPort, stdinPort, hbPort]).size).toBe(5);
    const [file = ""] = [...new Bun.Glob("**/kernel.json").scanSync({ cwd: base, absolute: true })];
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("takes ipc by itself where the paths are short enough, and does not start where they are not", async () => {
    const short = localKernels();
    expect((await short.kernels.start({ cwd: short.home })).connectionInfo?.transport).toBe("ipc");
    const { base } = short;
    const long = join(base, "x".repeat(60));
    Bun.spawnSync(["mkdir", long]);
    const { kernels, home } = localKernels({ runtimeBases: [long] });
    const { code, message } = await kernelErrorOf(kernels.start({ cwd: home }));
    expect(code).toBe("NO_SOCKET_DIRECTORY");
    expect(message).toContain(
      "is too long a name for the kernel's sockets; set TMPDIR to a shorter one, or python.transport to tcp",
    );
  });

  test("has the environment that it was given and nothing of omp's own", async () => {
    process.env["OMP_TEST_SECRET"] = "hunter2";
    try {
      const { kernels, home } = localKernels();
      const handle = await kernels.start({ cwd: home });
      const { stdout } = await runCell(handle, "import json, os; print(json.dumps(dict(os.environ)))");
      const environment = JSON.parse(stdout);
      expect(environment).toMatchObject(kernelEnvironment(home));
      expect(environment).not.toHaveProperty("OMP_TEST_SECRET");
      expect(Object.values(environment)).not.toContain("hunter2");
    } finally {
      delete process.env["OMP_TEST_SECRET"];
    }
  });

  test("writes no history and no files of its own into the project", async () => {
    const { kernels, home } = localKernels();
    const { kernels: forked, home: project } = localKernels({
      useForkServer: true,
      env: kernelEnvironment(home),
    });
    await forked.warmUp();
    for (const operations of [kernels, forked]) {
      const handle = await operations.start({ cwd: project });
      await runCell(handle, "secret = 'typed in'");
      await handle.shutdown();
    }
    expect([...new Bun.Glob("**/*").scanSync({ cwd: project, dot: true })]).toEqual([]);
    expect([...new Bun.Glob("**/history.sqlite*").scanSync({ cwd: home, dot: true })]).toEqual([]);
  });

  test("tells its trace everything but the key", async () => {
    const lines: string[] = [];
    const { kernels, home } = localKernels({ trace: (line) => lines.push(line) });
    const handle = await kernels.start({ cwd: home });
    await runCell(handle, "print('x' * 100_000)");
    await handle.shutdown();
    const trace = lines.join("\n");
    expect(trace).not.toContain(handle.connectionInfo?.key ?? "no key");
    for (const part of [
      "-> shell execute_request",
      "<- iopub stream",
      "<- shell execute_reply",
      "-> control shutdown_request",
    ])
      expect(trace).toContain(part);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(1500);
  });

  describe("what does not belong to the conversation", () => {
    const forge = (lines: readonly string[]) =>
      [
        "from jupyter_client.session import Session",
        "kernel = get_ipython().kernel",
        "thief, owner = Session(key=b'guessed'), kernel.session",
        "parent = kernel.get_parent()",
        ...lines,
        "print('honest')",
      ].join("\n");

    test("is dropped when its signature or its shape is wrong, and counted", async () => {
      const lines: string[] = [];
      const { kernels, home } = localKernels({ trace: (line) => lines.push(line) });
      const handle = await kernels.start({ cwd: home });
      const cell = await runCell(
        handle,
        forge([
          "forged = thief.msg('stream', {'name': 'stdout', 'text': 'forged'}, parent=parent)",
          "kernel.iopub_thread.send_multipart(thief.serialize(forged, ident=b'stream'))",
          "kernel.iopub_thread.send_multipart([b'garbage'])",
          "kernel.iopub_thread.send_multipart([b'', b'<IDS|MSG>', b'', b'{}'])",
          "bare = [b'{}', b'{}', b'{}', b'{}']",
          "kernel.iopub_thread.send_multipart([b'<IDS|MSG>', owner.sign(bare), *bare])",
        ]),
      );
      expect(cell).toMatchObject({ stdout: "honest\n", error: undefined });
      const dropped = lines.filter((line) => line.includes("dropped")).map((line) => line.split(": ")[1]);
      expect(dropped).toEqual(["bad signature", "no delimiter", "too few frames", "not a header"]);
      expect(handle).toHaveProperty("rejectedMessages", 4);
      expect((await runCell(handle, "1 + 1")).value).toBe("2");
    });

    test("is ignored when it belongs to another client, and ends nothing", async () => {
      const { kernels, home } = localKernels();
      const handle = await kernels.start({ cwd: home });
      const cell = await runCell(
        handle,
        forge([
          "stranger = {**parent['header'], 'msg_id': 'another', 'session': 'another'}",
          "for kind, content in [('stream', {'name': 'stdout', 'text': 'strange'}), ('status', {'execution_state': 'idle'})]:",
          "  kernel.iopub_thread.send_multipart(owner.serialize(owner.msg(kind, content, parent=stranger), ident=b'x'))",
        ]),
      );
      expect(cell.stdout).toBe("honest\n");
      expect(handle.takeLateOutput()).toBe("");
    });
  });
});
