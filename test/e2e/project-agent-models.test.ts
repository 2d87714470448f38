/** A trusted project's agents may not choose where the user's conversation goes. */

import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compatible } from "../models/formats/compatible.ts";
import { serve } from "../models/wire-server.ts";
import { AgentPlace, linesOf } from "./agent-place.ts";

const task = (agent: string) => ({ name: "task", input: { prompt: "Review it", agent } });

test("the model of a project's agent is used only if the user's settings name its provider, and is named once if not", async () => {
  const omp = new AgentPlace();
  const asked = async () => await serve({ body: compatible.turn({ text: ["From the server."] }) });
  const theirs = await asked();
  const mine = await asked();
  for (const [folder, name, model] of [
    [".omp", "stranger", "openrouter/some/model"],
    [".claude", "known", "mine/m"],
  ] as const) {
    const agents = join(omp.project, folder, "agents");
    mkdirSync(agents, { recursive: true });
    writeFileSync(join(agents, `${name}.md`), `---\nmodel: ${model}\n---\nYou review.\n`);
  }
  omp.settings({ endpoints: [{ name: "mine", baseUrl: `${mine.url}/v1` }] });
  const model = omp.script(
    { toolCalls: [task("stranger")] },
    { text: "From the session's model." },
    { toolCalls: [task("stranger")] },
    { text: "Again." },
    { toolCalls: [task("known")] },
    { text: "Done." },
  );
  const env = { OPENROUTER_API_KEY: "sk-secret", OPENROUTER_BASE_URL: `${theirs.url}/v1` };
  const args = ["-m", model, "go", "--trust", "--tools", "task", "--output-format", "stream-json"];
  const { stdout, stderr } = await omp.run(args, { env });
  const outputs = linesOf(stdout).flatMap(({ type, output }) => (type === "tool_result" ? [output] : []));
  expect(outputs).toEqual(["From the session's model.", "Again.", "From the server."]);
  expect([theirs.asked.length, mine.asked.length]).toEqual([0, 1]);
  expect(stderr).toBe(
    "omp: the project's agent 'stranger' gets the session's model instead of openrouter/some/model: a project may not choose where your conversation goes; to allow it, move the agent to ~/.omp/agent/agents\n",
  );
});
