/**
 * One run of omp with a fault in the middle, all of it decided by a seed: a scripted model calls tools that each leave a line in a file,
 * something is killed, and omp is started again. What must hold afterwards: nothing is left running or lying about, no call has run
 * twice, and whatever has run is in the log.
 */

import { listStats } from "../../src/process/proc.ts";
import { chance } from "../support/chance.ts";
import { FaultHome, type FaultPlace, killNow, LEDGER, readLog } from "./fault-home.ts";

type Chance = ReturnType<typeof chance>;

interface Step {
  readonly name: "bash" | "python";
  readonly input: object;
  /** Its line may come after its result, or never. */
  readonly isBackground: boolean;
}

const faults = [
  "omp",
  "omp and watchdog",
  "watchdog",
  "shell",
  "kernel",
  "SIGTERM",
  "SIGINT",
  "SIGHUP",
] as const;
export type Fault = (typeof faults)[number];

function shellStep(line: string, { pick }: Chance): Step {
  const echo = `echo ${line} >>${LEDGER}`;
  const command = pick([
    echo,
    `${echo}; sleep 0.2`,
    `sleep 0.1; ${echo}`,
    `${echo}; sleep 1000 &`,
    `setsid sleep 1000 </dev/null >/dev/null 2>&1 & ${echo}`,
    `${echo}; exit 3`,
  ]);
  const isBackground = pick([false, false, false, true]);
  const input = isBackground ? { command: `${echo}; exec sleep 1000`, run_in_background: true } : { command };
  return { name: "bash", input, isBackground };
}

function cellStep(line: string, { pick }: Chance): Step {
  const write = `with open("${LEDGER}", "a") as file: file.write("${line}\\n")`;
  const after = pick([
    "",
    "import time; time.sleep(0.2)",
    "import subprocess; subprocess.Popen(['sleep', '1000'], start_new_session=True)",
  ]);
  return { name: "python", input: { cells: [{ code: `${write}\n${after}` }] }, isBackground: false };
}

/** @returns what did not hold; empty when everything did. */
export async function runFault(
  seed: number,
  place: FaultPlace,
): Promise<{ fault: Fault; problems: string[] }> {
  const random = chance(seed);
  // The first values of neighbouring seeds are alike.
  for (let skip = 0; skip < 5; skip += 1) random.below(2);
  const fault = random.pick(faults.filter((name) => name !== "kernel" || place.venv !== undefined));
  const count = 3 + random.below(4);
  const steps = Array.from({ length: count }, (_, at) => {
    const kinds = place.venv === undefined ? [shellStep] : [shellStep, cellStep];
    return random.pick(kinds)(`step-${at}`, random);
  });
  const run = new FaultRun(place, steps);
  await run.start(fault, { afterLines: random.below(count), delayMs: random.below(40) });
  await run.startAgain();
  return { fault, problems: await run.findProblems() };
}

class FaultRun {
  readonly #steps: readonly Step[];
  readonly #at: FaultHome;
  readonly #problems: string[] = [];

  constructor(place: FaultPlace, steps: readonly Step[]) {
    this.#steps = steps;
    this.#at = new FaultHome(place);
  }

  async start(fault: Fault, when: { readonly afterLines: number; readonly delayMs: number }): Promise<void> {
    const turns = [
      ...this.#steps.map(({ name, input }) => ({ toolCalls: [{ name, input }] })),
      { text: "done" },
    ];
    const child = this.#at.spawn(["-p", "go"], turns);
    await this.#at.until(() => this.#at.lines().length >= when.afterLines || child.exitCode !== null);
    await Bun.sleep(when.delayMs);
    this.#at.noteDirectories();
    strike(fault, child);
    this.#problems.push(...(await this.#at.untilEnded(child)));
    if (["watchdog", "shell", "kernel"].includes(fault) && child.exitCode !== 0)
      this.#problems.push(`omp ended with ${child.exitCode ?? child.signalCode}`);
  }

  /** The same session where it was kept; a new one where omp was killed before it had begun one. */
  async startAgain(): Promise<void> {
    const hasLog = this.#at.logs().length > 0;
    const turns = [
      { toolCalls: [{ name: "bash", input: { command: `echo again >>${LEDGER}` } }] },
      { text: "done" },
    ];
    const child = this.#at.spawn(["-p", "go on", ...(hasLog ? ["--continue"] : [])], turns);
    if (!(await this.#at.until(() => child.exitCode !== null))) child.kill("SIGKILL");
    if (child.exitCode !== 0) this.#problems.push(`the next omp ended with ${child.exitCode}`);
  }

  async findProblems(): Promise<string[]> {
    this.#problems.push(...(await this.#at.findLeft()));
    this.#compareWithLog();
    return this.#problems;
  }

  #compareWithLog(): void {
    const entries = this.#at.logs().flatMap(readLog);
    const ofType = (type: string) => entries.filter((entry) => entry["type"] === type);
    const lines = this.#at.lines();
    if (!lines.includes("again")) this.#problems.push("the next omp could not work");
    for (const [at, { isBackground }] of this.#steps.entries()) {
      const line = `step-${at}`;
      const runs = lines.filter((each) => each === line).length;
      const call = ofType("tool_call").find((entry) => JSON.stringify(entry["input"]).includes(line));
      const result = ofType("tool_result").find((entry) => entry["id"] === call?.["id"]);
      const isSuccess = JSON.stringify(result?.["result"] ?? "").includes('"isError":false');
      if (runs > 1) this.#problems.push(`${line} has run ${runs} times`);
      if (runs > 0 && call === undefined) this.#problems.push(`${line} has run and is not in the log`);
      if (runs === 0 && isSuccess && !isBackground) this.#problems.push(`${line} is said to have run`);
    }
  }
}

function strike(fault: Fault, child: Bun.Subprocess): void {
  const children = listStats().filter(({ parent }) => parent === child.pid);
  const called = (name: RegExp) => children.find((each) => name.test(each.name))?.pid;
  if (fault.includes("watchdog")) killNow(called(/^sh$/));
  if (fault.startsWith("omp")) killNow(child.pid);
  else if (fault === "shell") killNow(called(/^bash$/));
  else if (fault === "kernel") killNow(called(/^python/));
  else if (fault === "SIGTERM" || fault === "SIGINT" || fault === "SIGHUP") child.kill(fault);
}
