/** `/kernel move`: to a real gateway and back, with the variables; and what is left when that cannot be done. */

import { afterEach, beforeAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { openAgentSession } from "../../src/app/agent-session.ts";
import { moveKernel, placesToMoveTo } from "../../src/app/move-kernel.ts";
import { openServices, type Services } from "../../src/app/services.ts";
import { hasIdleKernel } from "../support/at-rest.ts";
import { startGateway, type TestGateway } from "../support/gateways.ts";
import { temporaryPlace } from "../support/home.ts";
import { userEnvironment } from "../support/omp.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { openScreen } from "../support/screen.ts";
import { AgentPlace, python } from "./agent-place.ts";

describeWithPython(
  testPython,
  "moving a kernel",
  () => {
    let gateway: TestGateway;
    beforeAll(async () => {
      gateway = await startGateway("kernel gateway", { lasts: "file" });
    });
    const opened: Services[] = [];
    afterEach(async () => {
      for (const services of opened.splice(0)) await services.close();
    });

    function placeWithGateways(more: object = {}): AgentPlace {
      const agent = new AgentPlace(temporaryPlace());
      const { url, token } = gateway;
      const gateways = [
        { name: "lab", url, token },
        { name: "down", url: "http://127.0.0.1:9/" },
      ];
      agent.settings({ gateways, ...more });
      return agent;
    }

    async function open({ place, env, project }: AgentPlace): Promise<Services> {
      const invocation = { env: userEnvironment(place, env), cwd: project };
      const services = await openServices(invocation, { stderr: () => undefined });
      opened.push(services);
      return services;
    }

    async function run({ tools, context }: Services, code: string): Promise<string> {
      const { signal } = new AbortController();
      const options = { ...context, signal, onUpdate: () => undefined };
      return (await tools.run("python", { cells: [{ code }] }, options)).output;
    }

    const moving = () => {
      const stages: string[] = [];
      const onProgress = ({ stage }: { stage: string }) => {
        if (stages.at(-1) !== stage) stages.push(stage);
      };
      return { stages, options: { signal: new AbortController().signal, onProgress } };
    };

    test("to a gateway and back: variables come along, what cannot is named, and the old kernel is gone", async () => {
      const agent = placeWithGateways();
      const services = await open(agent);
      const { python } = services;
      expect(placesToMoveTo(services)).toEqual(["local", "lab", "down"]);
      const pid = await run(
        services,
        `
import os
import numpy as np
big = np.arange(600_000)
shared = [1]
both = {"a": shared, "b": shared}
def total(): return int(big.sum()) + len(shared)
stream = (n for n in big)
print(os.getpid())`,
      );
      const { stages, options } = moving();
      const moved = await moveKernel(services, "lab", options);
      expect(moved).toMatchObject({
        names: ["big", "both", "np", "os", "shared", "total"],
        left: [{ name: "stream", why: "cannot pickle 'generator' object" }],
      });
      expect(stages).toEqual(["keeping", "restoring"]);
      expect(python.host).toMatchObject({ short: "lab", isElsewhere: true });
      const there = await run(services, "shared.append(2); print(os.getpid(), total(), both['a'] is shared)");
      expect(there).toContain(" 179999700002 True");
      expect(there).not.toStartWith(`${pid.trim()} `);
      const back = moving();
      await moveKernel(services, "local", back.options);
      expect(back.stages).toEqual(["keeping", "fetching", "restoring"]);
      expect(python.host).toMatchObject({ short: undefined, isElsewhere: false });
      expect(await run(services, "print(total(), both['b'])")).toStartWith("179999700002 [1, 2]");
      expect(readdirSync(join(agent.place.home, ".omp", "agent", "omp-sessions"))).toEqual([]);
    });

    test("when it fails or is stopped, the kernel is where it was, with everything", async () => {
      const services = await open(placeWithGateways());
      await run(services, "kept = [1]; stream = iter(kept)");
      const { options } = moving();
      await expect(moveKernel(services, "down", options)).rejects.toThrow("GATEWAY_UNREACHABLE");
      const stopped = new AbortController();
      const onProgress = () => stopped.abort(new Error("stopped"));
      await expect(moveKernel(services, "lab", { signal: stopped.signal, onProgress })).rejects.toThrow(
        "stopped",
      );
      expect(services.python.host.isElsewhere).toBe(false);
      expect(await run(services, "print(kept, next(stream))")).toStartWith("[1] 1");
    });

    test("a kernel that has not run anything is only started elsewhere", async () => {
      const services = await open(placeWithGateways());
      expect(await moveKernel(services, "lab", moving().options)).toBeUndefined();
      expect(services.python.host.short).toBe("lab");
      expect(await run(services, "print(6 * 7)")).toStartWith("42");
    });

    test("what was deleted in a resumed session does not come back with the kernel", async () => {
      const agent = placeWithGateways({ python: { keepState: true } });
      const model = agent.script({ toolCalls: [python("a, b = 1, 2")] }, { text: "Done." });
      expect(await agent.run(["-m", model, "go"])).toMatchObject({ exitCode: 0, stderr: "" });
      const session = await openAgentSession(
        { model, session: { kind: "continue" }, maxTurns: 1 },
        { stdout: () => undefined, stderr: () => undefined },
        { env: userEnvironment(agent.place, agent.env), cwd: agent.project },
      );
      try {
        expect(await run(session.services, "del b; print(a)")).toBe("1");
        await moveKernel(session.services, "lab", moving().options);
        expect(await run(session.services, "print(a, 'b' in globals())")).toStartWith("1 False");
      } finally {
        await session.close();
      }
    });

    test("in the terminal UI", async () => {
      const agent = placeWithGateways();
      const args = ["-m", agent.script({ text: "I see." })];
      const screen = openScreen({ place: agent.place, args, env: agent.env, columns: 200 });
      await screen.waitFor(hasIdleKernel);
      screen.type("$x = [1, 2]; f = open('/dev/null')\r");
      await screen.waitFor("✓ python");
      screen.type("/kernel move moon\r");
      await screen.waitFor("No gateway 'moon'. Try /kernel move local, /kernel move lab, /kernel move down.");
      screen.type("/kernel move lab\r");
      await screen.waitFor(
        /The kernel now runs in the Jupyter gateway 'lab' \(127\.0\.0\.1:\d+\), with 1 variable \(.*\)\. Left behind: f \(it is an open file\)\./,
      );
      screen.type("$len(x) + 40\r");
      await screen.waitFor(/\n {2}42/);
      screen.type("and?\r");
      await screen.waitFor("I see.");
      expect(JSON.stringify(agent.entries())).toContain("The user has moved the Python kernel.");
    });
  },
  ["jupyter_kernel_gateway"],
);
