/** What the program sends is what the Python drivers of this folder test: the embedded sources bring a real kernel up. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import {
  bootRequest,
  forkServerArguments,
  forkServerHello,
  readBootReply,
} from "../../../src/kernel/python/init-code.ts";
import { describeWithPython, pythonsUnderTest, type TestPython } from "../../support/python.ts";

const config = {
  env: { SAID: "é \u2028 😀 \" ' \\" },
};

for (const python of pythonsUnderTest) {
  describeWithPython(
    python,
    `embedded sources with ${python.name}`,
    () => {
      test("a boot request answers in its reply", async () => {
        const { reply } = await runInKernel(python, bootRequest(config, { preloaded: false }));
        expect(readBootReply(reply)).toMatchObject({
          executable: python.path,
          fastStreams: true,
          problems: [],
        });
      });

      test("a kernel that has not loaded the sources says so", async () => {
        const { reply } = await runInKernel(python, bootRequest(config, { preloaded: true }));
        expect(readBootReply(reply)).toBe("KeyError: '_omp.boot'");
      });

      test("the environment arrives whole", async () => {
        const { printed } = await runInKernel(python, bootRequest(config, { preloaded: false }));
        expect(printed).toBe(`${config.env.SAID}\n`);
      });

      test("a fork server greeted by the program becomes ready", async () => {
        const server = Bun.spawn([python.path, ...forkServerArguments()], { stdin: "pipe", stdout: "pipe" });
        server.stdin.write(forkServerHello());
        server.stdin.end();
        const answer = JSON.parse(await new Response(server.stdout).text());
        expect(answer).toMatchObject({ ready: true, pid: server.pid });
        expect(await server.exited).toBe(0);
      });
    },
    ["jupyter_client"],
  );
}

interface Ran {
  reply: Record<string, unknown>;
  printed: string;
}

/** Sends one request to a new kernel, then prints what the configuration should have brought. */
async function runInKernel(python: TestPython, request: object): Promise<Ran> {
  const child = Bun.spawn([python.path, join(import.meta.dir, "run_request.py")], {
    stdin: new Blob([JSON.stringify(request)]),
    stdout: "pipe",
    stderr: "inherit",
  });
  return JSON.parse(await new Response(child.stdout).text()) as Ran;
}
