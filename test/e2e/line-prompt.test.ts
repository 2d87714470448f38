/** Where a terminal can do nothing but lines: a prompt, Ctrl+C, steering, and the list that `-r` shows. */

import { beforeEach, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { trustPlace } from "../support/home.ts";
import { pidIn } from "../support/processes.ts";
import { openScreen } from "../support/screen.ts";
import { until } from "../support/until.ts";
import { AgentPlace, bash } from "./agent-place.ts";

let omp: AgentPlace;
beforeEach(() => {
  omp = new AgentPlace();
});

function screen(...args: string[]) {
  const env = { ...omp.env, TERM: "dumb" };
  return openScreen({ place: omp.place, args: ["--tools", "bash", ...args], env, columns: 120 });
}

test("a conversation, line by line, and how to go on with it", async () => {
  const terminal = screen(
    "-m",
    omp.script({ text: "Hello.", toolCalls: [bash("echo from-bash")] }, { text: "Bye." }),
  );
  await terminal.waitFor(/\n>$/);
  terminal.type("hi\r");
  await terminal.waitFor(/Bye\.\n+>$/);
  terminal.type("/quit\r");
  expect(await terminal.ended()).toBe(0);
  expect(terminal.raw).toContain("from-bash");
  expect(terminal.raw).toMatch(/Resume with: omp --resume [\da-f-]{36}/);
});

test("Ctrl+C interrupts what runs, and ends the session when nothing does", async () => {
  const terminal = screen("-m", omp.script({ toolCalls: [bash("echo $$ > pid; sleep 1000")] }), "go");
  await until("the command runs", () => pidIn(join(omp.project, "pid")));
  terminal.type("\u0003");
  await terminal.waitFor(/\[interrupted\]\n+>$/);
  terminal.type("\u0003");
  expect(await terminal.ended()).toBe(0);
});

test("what is typed meanwhile steers the next turn", async () => {
  const wait = bash("echo $$ > pid; until [ -e go ]; do sleep 0.05; done");
  const terminal = screen("-m", omp.script({ toolCalls: [wait] }, { text: "As you say." }), "begin");
  await until("the command runs", () => pidIn(join(omp.project, "pid")));
  terminal.type("use tabs\r");
  await terminal.waitFor("use tabs");
  writeFileSync(join(omp.project, "go"), "");
  await terminal.waitFor("As you say.");
  const said = omp
    .entries()
    .flatMap((entry) => (entry.type === "user" ? [JSON.stringify(entry.message)] : []));
  expect(said.at(-1)).toContain("use tabs");
});

test("lines that come at once, or while the last words are being said, are answered one after the other", async () => {
  const terminal = screen(
    "-m",
    omp.script({ text: "First." }, { text: "Second.", delayMs: 1_000 }, { text: "Third." }),
  );
  await terminal.waitFor(/\n>$/);
  terminal.type("one\rtwo\r");
  await terminal.waitFor("First.");
  terminal.type("three\r");
  await terminal.waitFor(/Second\.[\s\S]*Third\.\n+>$/);
  terminal.type("/quit\r");
  expect(await terminal.ended()).toBe(0);
});

test("-r lists the sessions of the directory, and goes on with the one whose number is typed", async () => {
  for (const prompt of ["the first", "the second"])
    await omp.run(["-m", omp.script({ text: `After ${prompt}.` }), prompt]);
  const terminal = screen("-m", omp.script({ text: "Here again." }), "-r");
  await terminal.waitFor("Which one? 1-2 [1]");
  expect(terminal.text).toMatch(/1 {2}\S+ \S+ {2}the second\n {2}2 {2}\S+ \S+ {2}the first/);
  terminal.type("9\r");
  await terminal.waitFor(/Which one\?[^?]*Which one\?/);
  terminal.type("2\r");
  await terminal.waitFor(/\n>$/);
  terminal.type("hello\r");
  await terminal.waitFor(/Here again\.\n+>$/);
  terminal.type("/quit\r");
  expect(await terminal.ended()).toBe(0);
  expect(omp.logs()).toHaveLength(2);
});

test("settings that cannot be read are one line", async () => {
  mkdirSync(join(omp.project, ".omp"));
  writeFileSync(join(omp.project, ".omp", "omp.jsonc"), "{");
  trustPlace(omp.place);
  const terminal = screen();
  expect(await terminal.ended()).toBe(2);
  expect(terminal.raw).not.toContain("    at ");
});
