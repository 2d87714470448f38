/** What people do all day works inside, too: commits, and packages into the project's own environment from an index that is allowed. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openServices, type Services } from "../../src/app/services.ts";
import { callTool } from "../../src/app/tool-call.ts";
import { temporaryPlace } from "../support/home.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { tinyIndex } from "../support/wheel.ts";

const place = temporaryPlace({ lasts: "file" });

describeWithPython(testPython, "in the sandbox", () => {
  let services: Services;
  let index: Bun.Server<undefined>;
  beforeAll(async () => {
    const directory = tinyIndex("1.0");
    const links = readdirSync(directory).map((name) => `<a href="/${name}">${name}</a>`);
    index = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: (request) => {
        const { pathname } = new URL(request.url);
        if (!pathname.endsWith(".whl"))
          return new Response(links.join("\n"), { headers: { "content-type": "text/html" } });
        return new Response(Bun.file(join(directory, pathname)));
      },
    });
    mkdirSync(join(place.home, ".omp/agent"), { recursive: true });
    const settings = { sandboxAllow: { hosts: [`127.0.0.1:${index.port}`] } };
    writeFileSync(join(place.home, ".omp/agent/omp.jsonc"), JSON.stringify(settings));
    Bun.spawnSync(["git", "init", "-q", place.project]);
    const { venv } = testPython;
    // Named, so that it can be seen inside, wherever it is.
    const env = { HOME: place.home, PATH: `${venv}/bin:${process.env["PATH"]}`, VIRTUAL_ENV: venv };
    services = await openServices(
      { env, cwd: place.project },
      { stderr: () => undefined },
      { sandbox: "workspace" },
    );
  });
  afterAll(async () => {
    await services.close();
    await index.stop(true);
  });

  async function bash(command: string) {
    const { output, isError } = await callTool(services, {
      ...{ name: "bash", input: { command }, dryRun: false, signal: new AbortController().signal },
      ...{ onUpdate: () => undefined, onBug: (report: string) => expect(report).toBe("") },
    });
    return { output, isError };
  }

  test("git commits", async () => {
    await bash("git config --global --list; echo one >a.txt");
    const commit = "git -c user.name=A -c user.email=a@b.c commit -qm first";
    expect(await bash(`git add a.txt && ${commit} && git log --format=%s && git status --short`)).toEqual({
      isError: false,
      output: "first",
    });
  });

  test("pip installs from an allowed index into the project's environment, and reaches no other", async () => {
    await bash(`python -m venv --without-pip .venv`);
    const install = (port: number) =>
      bash(
        `python -m pip --python .venv/bin/python install --isolated -q --disable-pip-version-check --retries 0 --no-cache-dir --index-url http://127.0.0.1:${port}/simple omp-tiny`,
      );
    const refused = await install(9);
    expect([refused.isError, (await bash("ls .venv/bin | grep tiny")).output]).toEqual([
      true,
      expect.not.stringContaining("omp-tiny"),
    ]);
    expect(await install(index.port ?? 0)).toEqual({ isError: false, output: expect.any(String) });
    expect((await bash(".venv/bin/omp-tiny")).output).toBe("1.0");
  });
});
