/**
 * One run of omp whose cells reach for everything, with a kill in the middle, all of it decided by a seed: nested tools, an MCP server,
 * prompts and subagents, of which the kernel, omp, the server, or a subagent's shell or kernel is killed. What must hold: omp ends,
 * nothing is left, and every call that is in a log has its end there; where omp itself was killed, its resumed session is told so.
 */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chance } from "../support/chance.ts";
import { FaultHome, type FaultPlace, killNow, LEDGER, readLog } from "./fault-home.ts";

export const victims = ["kernel", "omp", "MCP server", "subagent's shell", "subagent's kernel"] as const;
export type Victim = (typeof victims)[number];

type Chance = ReturnType<typeof chance>;
type Entry = Readonly<Record<string, unknown>>;

export interface Kill {
  readonly victim: Victim;
  /** False when the run was over before. */
  readonly isStruck: boolean;
  readonly problems: readonly string[];
}

const PIDS = "pids";
const MAX_DELAY_MS = 500;

/** Python that says who runs it. */
const signed = (role: Victim) =>
  `import os\nwith open("${PIDS}/${role}", "w") as file: file.write(str(os.getpid()))\n`;

function cellsFor(line: string): readonly string[] {
  const write = `echo ${line}-{n} >>${LEDGER}`;
  return [
    `for n in range(4): omp.tools.bash(command=f"${write}; sleep 0.1")`,
    `for n in range(4): omp.mcp.slow.wait(ms=100, line=f"${line}-{n}")`,
    `from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(4) as pool:\n    list(pool.map(lambda n: omp.mcp.slow.wait(ms=100, line=f"${line}-{n}"), range(8)))`,
    `import asyncio\nawait asyncio.gather(*(omp.mcp.slow.wait.aio(ms=200, line=f"${line}-{n}") for n in range(4)))`,
    `print(omp.llm.map(range(8), "say {item}", concurrency=2, model="MODEL"))`,
    `print(omp.agent("go", agent="worker"))`,
    `handle = omp.agent.start("go", agent="worker")`,
    `handle = omp.agent.start("go", agent="worker")\nprint(handle.result())`,
  ];
}

function callFor(line: string, random: Chance, model: string): object {
  const python = (code: string) => ({
    name: "python",
    input: { cells: [{ code: `${signed("kernel")}${code.replace("MODEL", model)}` }] },
  });
  const task = { prompt: "go", agent: "worker" };
  return random.pick([
    ...cellsFor(line).map(python),
    { name: "task", input: task },
    { name: "task", input: { ...task, background: true } },
    { name: "mcp__slow__wait", input: { ms: 200, line } },
  ]);
}

export async function runKill(seed: number, place: FaultPlace): Promise<Kill> {
  const random = chance(seed);
  // The first values of neighbouring seeds are alike.
  for (let skip = 0; skip < 5; skip += 1) random.below(2);
  const victim = random.pick(victims);
  const at = new FaultHome(place);
  prepare(at);
  const prompts = at.script(
    "prompts",
    Array.from({ length: 100 }, () => ({ text: "ok", delayMs: 60 })),
  );
  const calls = Array.from({ length: 3 + random.below(3) }, (_, n) => callFor(`step-${n}`, random, prompts));
  // Something of everybody that may be killed.
  const first = {
    name: "python",
    input: { cells: [{ code: `${signed("kernel")}omp.mcp.slow.wait(ms=1, line="first")` }] },
  };
  const worker = { name: "task", input: { prompt: "go", agent: "worker", background: true } };
  const turns = [{ toolCalls: [first, worker] }, ...calls.map((call) => ({ toolCalls: [call] }))];
  const child = at.spawn(["-p", "go"], [...turns, { text: "done" }, ...answers]);
  const isStruck = await strike(victim, child, at, random.below(MAX_DELAY_MS));
  const problems = await at.untilEnded(child);
  if (victim !== "omp" && child.exitCode !== 0)
    problems.push(`omp ended with ${child.exitCode ?? child.signalCode}`);
  if (victim === "omp") problems.push(...(await goOn(at)));
  else problems.push(...at.logs().flatMap((path) => callsWithoutEnd(readLog(path))));
  problems.push(...(await at.findLeft()));
  return { victim, isStruck, problems };
}

/** For the announcements of those in the background. */
const answers = Array.from({ length: 8 }, () => ({ text: "I see." }));

function prepare(at: FaultHome): void {
  const pids = join(at.project, PIDS);
  const agents = join(at.home, ".omp/agent/agents");
  for (const path of [pids, agents]) mkdirSync(path, { recursive: true });
  const shell = `echo $$ >"${PIDS}/subagent's shell"; echo worker >>${LEDGER}; sleep 0.2`;
  const cell = `${signed("subagent's kernel")}omp.tools.bash(command="sleep 0.2")`;
  const model = at.script("worker", [
    { toolCalls: [{ name: "bash", input: { command: shell } }] },
    { toolCalls: [{ name: "python", input: { cells: [{ code: cell }] } }] },
    { text: "worked" },
  ]);
  writeFileSync(join(agents, "worker.md"), `---\nmodel: ${model}\n---\nYou work.\n`);
  const server = {
    command: process.execPath,
    args: [join(import.meta.dir, "fixtures/slow-server.mjs")],
    env: { PIDS: pids, LEDGER: join(at.project, LEDGER) },
  };
  writeFileSync(
    join(at.home, ".omp/agent/omp.jsonc"),
    JSON.stringify({ mcp: { servers: { slow: server } } }),
  );
}

async function strike(
  victim: Victim,
  child: Bun.Subprocess,
  at: FaultHome,
  delayMs: number,
): Promise<boolean> {
  const file = join(at.project, PIDS, victim === "omp" ? "kernel" : victim);
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  await at.until(() => (existsSync(file) && readFileSync(file, "utf8") !== "") || isOver());
  await Bun.sleep(delayMs);
  if (isOver()) return false;
  at.noteDirectories();
  // Where there are several, the newest.
  killNow(victim === "omp" ? child.pid : Number(readFileSync(file, "utf8")));
  return true;
}

/** The session that was killed: it goes on, its open calls are answered, and it is told whose work was lost. */
async function goOn(at: FaultHome): Promise<string[]> {
  const own = at.logs().find((path) => readLog(path)[0]?.["agent"] === undefined);
  if (own === undefined) return [];
  const lost = workingAgents(readLog(own));
  const child = at.spawn(["-p", "go on", "--continue"], [{ text: "done" }, ...answers]);
  const problems = await at.untilEnded(child);
  if (child.exitCode !== 0) problems.push(`the next omp ended with ${child.exitCode}`);
  const told = readLog(own).flatMap(({ type, message }) =>
    type === "user" ? [JSON.stringify(message)] : [],
  );
  const resumed = told.findLast((message) => message.includes('"kind":"resumed"')) ?? "";
  if (!resumed.includes("This session was resumed")) problems.push("the next model is not told");
  return [
    ...problems,
    ...lost.filter((agent) => !resumed.includes(agent)).map((agent) => `nothing is said of ${agent}`),
  ];
}

function callsWithoutEnd(entries: readonly Entry[]): string[] {
  const open = new Map<unknown, string>();
  const problems: string[] = [];
  for (const { type, id, name } of entries) {
    if (type === "tool_call") open.set(id, String(name));
    if (type === "tool_result" && !open.delete(id)) problems.push(`a second end of ${name} ${id}`);
  }
  return [
    ...problems,
    ...[...open].map(([id, name]) => `${name} ${id} has no end`),
    ...workingAgents(entries).map((agent) => `${agent} was not announced`),
  ];
}

/** Those that were started in the background, and whose end was not announced. */
function workingAgents(entries: readonly Entry[]): string[] {
  const working = new Set<string>();
  for (const entry of entries) {
    const { agent, background } = Object(Object(entry["result"]).details);
    if (entry["type"] === "tool_result" && background === true) working.add(agent);
    const { origin } = Object(entry["message"]);
    if (entry["type"] === "user" && origin?.kind === "announcement") working.delete(origin.agent);
  }
  return [...working];
}
