/** While the model thinks: what its first calls need gets ready, where they may be made at all, and nothing of it stays. */

import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compatible } from "../models/formats/compatible.ts";
import { processesWith } from "../support/processes.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { until } from "../support/until.ts";
import { AgentPlace, answering } from "./agent-place.ts";

const commandsOf = (omp: AgentPlace) =>
  processesWith(`HOME=${omp.place.home}`).map((pid) => {
    const file = `/proc/${pid}/cmdline`;
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  });
const hasKernel = (omp: AgentPlace) =>
  commandsOf(omp).some((command) => /ipykernel|fork_server/.test(command));
const nothingLeft = (omp: AgentPlace) =>
  until("everything that omp started is gone", () => processesWith(`HOME=${omp.place.home}`).length === 0);

/** A home whose start-up file leaves a mark: the shell's snapshot was taken. */
function marked(): { readonly omp: AgentPlace; readonly mark: string } {
  const omp = new AgentPlace();
  const mark = join(omp.place.home, "shell-started");
  writeFileSync(join(omp.place.home, ".bash_profile"), `touch '${mark}'\n`);
  return { omp, mark };
}

test("the shell is there before the model has answered, and gone with a run that has not used it", async () => {
  const { omp, mark } = marked();
  const thought = Promise.withResolvers<void>();
  const { args, env } = await answering({ body: compatible.turn({ text: ["Hi."] }), after: thought.promise });
  const child = omp.start([...args, "hi"], { ...env, SHELL: "/bin/bash" });
  await until("the snapshot is taken", () => existsSync(mark));
  await until("the shell runs", () => commandsOf(omp).some((command) => command.includes("bash\0")), {
    instead: () => commandsOf(omp),
  });
  thought.resolve();
  expect([await child.exited, await new Response(child.stdout).text()]).toEqual([0, "Hi.\n"]);
  expect(await new Response(child.stderr).text()).toBe("");
  await nothingLeft(omp);
});

test.each(["--no-tools", "--tools=read", "--approval=read-only", "--dry-run"])(
  "nothing is started with %s",
  async (option) => {
    const { omp, mark } = marked();
    const model = omp.script({ text: "Hi.", delayMs: 400 });
    const { exitCode, stdout } = await omp.run(["-m", model, "hi", option], {
      env: { SHELL: "/bin/bash" },
    });
    expect([exitCode, stdout, existsSync(mark)]).toEqual([0, "Hi.\n", false]);
  },
);

describeWithPython(testPython, "a kernel", () => {
  test("starts when the model has named python", async () => {
    const omp = new AgentPlace();
    const whole = compatible.turn({ calls: [{ id: "call", name: "python", pieces: ["{"] }] });
    const named = whole.findIndex((event) => event.includes('"python"'));
    const { args, env } = await answering({
      body: whole.slice(0, named + 1),
      ending: "silence",
    });
    const child = omp.start([...args, "hi"], env);
    await until("the kernel starts", () => hasKernel(omp), { instead: () => commandsOf(omp) });
    child.kill("SIGINT");
    expect(await child.exited).toBe(130);
    await nothingLeft(omp);
  });

  test.each([
    ["", "hi"],
    ["about an input that only cells read", "x\n".repeat(20_000)],
  ])("starts while the model thinks %s, and is gone with the run", async (_, stdin) => {
    const omp = new AgentPlace();
    const thought = Promise.withResolvers<void>();
    const { args, env } = await answering({
      body: compatible.turn({ text: ["Hi."] }),
      after: thought.promise,
    });
    const run = omp.run([...args, "hi"], { stdin, env });
    await until("the kernel starts", () => hasKernel(omp));
    thought.resolve();
    expect(await run).toEqual({ exitCode: 0, stdout: "Hi.\n", stderr: "" });
    await nothingLeft(omp);
  });
});
