/** Subagents on the screen: their questions, what they are doing, their transcript, and their end. */

import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { answerWith } from "../support/at-rest.ts";
import { temporaryPlace } from "../support/home.ts";
import { pidIn, processesWith } from "../support/processes.ts";
import { openScreen } from "../support/screen.ts";
import { scriptModel } from "../support/script-model.ts";
import { until } from "../support/until.ts";

test("a subagent asks by its name, is followed with /agents, and stopped there", async () => {
  const place = temporaryPlace();
  const script = join(place.home, "finder.json");
  const command = "echo $$ > pid; sleep 1000";
  const turns = [{ text: "Looking.", toolCalls: [{ name: "bash", input: { command } }] }];
  writeFileSync(script, JSON.stringify({ turns }));
  const folder = join(place.home, ".omp", "agent", "agents");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "finder.md"), `---\nmodel: script:${script}\n---\nYou find.`);
  const input = { prompt: "Find the needle", agent: "finder" };
  const model = scriptModel(place, [{ toolCalls: [{ name: "task", input }] }, { text: "It was stopped." }]);
  const args = ["-m", model, "--approval", "ask"];
  const screen = openScreen({ place, args, env: { PI_PY: "0" }, columns: 100, rows: 40 });
  await screen.waitFor(/script:script.json/);
  screen.type("/agents\r");
  await screen.waitFor("No subagents yet.");
  screen.type("go\r");
  await screen.waitFor("finder-1: Allow bash?");
  expect(screen.text).toMatch(/task finder: Find the needle/);
  expect(screen.text).toContain(`  bash ${command}`);
  screen.type("/agents\r");
  await screen.waitFor(/❯ finder-1 +waits for your answer, .*: bash echo/);
  screen.type("\x1b");
  await screen.waitFor("finder-1: Allow bash?");
  await answerWith(screen, "Yes");
  await until("its command runs", () => pidIn(join(place.project, "pid")));
  await screen.waitFor(({ text }) => !text.includes("Allow bash?"));
  screen.type("/agents\r");
  await screen.waitFor(/❯ finder-1 +running, .*: bash echo/);
  screen.type("\r");
  await screen.waitFor(/\[it still runs\][\s\S]*q close/);
  expect(screen.text).toContain("Subagent finder-1 of: ");
  screen.type("q");
  await screen.waitFor("Esc to interrupt");
  screen.type("/agents stop finder-1\r");
  await screen.waitFor("[the subagent was interrupted]");
  await screen.waitFor("It was stopped.");
  screen.type("/agents finder-9\r");
  await screen.waitFor("No subagent finder-9. See /agents for the list.");
  screen.type("\x04");
  await screen.ended();
  await until("nothing is left", () => processesWith(`HOME=${place.home}`).length === 0);
});

test("one in the background is counted, followed while it works, announced, and named at the end", async () => {
  const place = temporaryPlace();
  const folder = join(place.home, ".omp", "agent", "agents");
  mkdirSync(folder, { recursive: true });
  const define = (name: string, command: string) => {
    const script = join(place.home, `${name}.json`);
    const turns = [{ toolCalls: [{ name: "bash", input: { command } }] }, { text: `${name} is through.` }];
    writeFileSync(script, JSON.stringify({ turns }));
    writeFileSync(join(folder, `${name}.md`), `---\nmodel: script:${script}\n---\nYou work.`);
  };
  define("held", "until [ -e go ]; do sleep 0.02; done; echo went");
  define("slow", "echo $$ > pid; sleep 1000");
  const start = (agent: string) => ({
    name: "task",
    input: { prompt: `Be ${agent}`, agent, background: true },
  });
  const turns = [{ toolCalls: [start("held"), start("slow")] }, { text: "They work." }, { text: "Good." }];
  const model = scriptModel(place, turns);
  const screen = openScreen({ place, args: ["-m", model], env: { PI_PY: "0" }, columns: 100, rows: 40 });
  await screen.waitFor(/script:script.json/);
  screen.type("go\r");
  await screen.waitFor(/They work\.[\s\S]*2 subagents/);
  expect(screen.text).toContain("held-1 works in the background; /agents follows it");
  screen.type("/agents held-1\r");
  await screen.waitFor(/\[it still runs\][\s\S]*following/);
  writeFileSync(join(place.project, "go"), "");
  await screen.waitFor(/went[\s\S]*held is through\.[\s\S]*following/);
  screen.type("q");
  await screen.waitFor(/subagent held-1 is done after .*: Be held[\s\S]*1 subagent/);
  screen.type("well?\r");
  await screen.waitFor("Good.");
  screen.type("/cost\r");
  await screen.waitFor(/of that +.* in, .* out, price unknown, by cells and subagents/);
  await until("the other one works", () => pidIn(join(place.project, "pid")));
  screen.type("\x04");
  await screen.ended();
  expect(screen.text).toContain("omp: subagent slow-2 was still working and was ended: Be slow");
  await until("nothing is left", () => processesWith(`HOME=${place.home}`).length === 0);
});
