import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openServices, type Services, type ServicesChoice } from "../../src/app/services.ts";
import { callTool } from "../../src/app/tool-call.ts";
import type { ApprovalAnswer, ApprovalQuestion } from "../../src/app/toolbox.ts";
import { temporaryPlace } from "../support/home.ts";
import { isRunning } from "../support/processes.ts";
import { until } from "../support/until.ts";

const place = temporaryPlace({ lasts: "file" });
const invocation = {
  env: { HOME: place.home, PATH: process.env["PATH"] ?? "", PI_PY: "bash" },
  cwd: place.project,
};
const opened: Services[] = [];
let asked: ApprovalQuestion[] = [];
let answer: ApprovalAnswer = "once";
let services: Services;

async function open(choice: ServicesChoice): Promise<Services> {
  const made = await openServices(
    invocation,
    { stderr: () => undefined },
    { sandbox: "workspace", ...choice },
  );
  opened.push(made);
  return made;
}

const ask = async (question: ApprovalQuestion): Promise<ApprovalAnswer> => {
  asked.push(question);
  return answer;
};

beforeAll(async () => {
  services = await open({ ask });
});
beforeEach(() => {
  asked = [];
  answer = "once";
});
afterAll(async () => {
  await Promise.all(opened.map((each) => each.close()));
});

async function bash(input: object, within = services) {
  return await callTool(within, {
    ...{ name: "bash", input, dryRun: false, signal: new AbortController().signal },
    ...{ onUpdate: () => undefined, onBug: (report: string) => expect(report).toBe("") },
  });
}

const fieldsOf = (within: Services) =>
  Object.keys(Object(within.tools.get("bash")?.inputSchema["properties"] ?? {}));

test("a refused command names the way out; a yes runs it once outside, where the shell is", async () => {
  const file = join(place.home, "outside");
  mkdirSync(join(place.project, "below"));
  await bash({ command: "cd below" });
  const refused = await bash({ command: `pwd >${file}` });
  expect(refused.output.split("\n").at(-1)).toBe(
    `[the sandbox is why: programs may write only in ${place.project} and /tmp; bash with no_sandbox asks the user to run a command outside it]`,
  );
  expect(asked).toEqual([]);
  const { isError, details } = await bash({ command: `pwd >${file}`, no_sandbox: true });
  expect([isError, details["outsideSandbox"]]).toEqual([false, true]);
  expect(readFileSync(file, "utf8")).toBe(`${join(place.project, "below")}\n`);
  expect(asked.map(({ subject, reason }) => [subject.command, subject.leavesSandbox, reason])).toEqual([
    [`pwd >${file}`, true, "it would run outside the sandbox"],
  ]);
  expect((await bash({ command: `pwd >${file}` })).isError).toBe(true);
});

test("nothing that was defined inside is there outside, and nothing of outside stays", async () => {
  await bash({ command: "ls() { echo fooled; }; alias pwd='echo fooled'; trapped=1; PATH=/tmp:$PATH" });
  const output = async (command: string) => (await bash({ command, no_sandbox: true })).output;
  const job = "sleep 1000 & until ps -o comm= -p $! | grep -q sleep; do :; done";
  expect(await output(`type -t ls; type -t pwd; echo "[$trapped]"; later=1; ${job}`)).toBe(
    "file\nbuiltin\n[]\n[sleep, left running with &, was stopped]",
  );
  expect(await output('echo "[$later]"; exit 3')).toBe("[]\nExit code: 3");
  expect(await output('echo "[$XDG_CACHE_HOME]"')).toBe("[]");
});

test("every call is asked about: no other yes, mode or list lets a command out", async () => {
  answer = "session";
  await bash({ command: "true", no_sandbox: true });
  answer = "always";
  await bash({ command: "true", no_sandbox: true });
  answer = { declined: "not now" };
  expect((await bash({ command: "true", no_sandbox: true })).output).toBe(
    "bash: blocked: the user declined: not now (DENIED)",
  );
  expect(asked.length).toBe(3);
  const dangerous = await bash({ command: "rm -rf /", no_sandbox: true });
  expect([asked.length, dangerous.details["code"]]).toEqual([3, "DANGEROUS"]);
});

test("where nobody can be asked, and in read-only approval, it is refused and not offered", async () => {
  const headless = await open({});
  const readOnly = await open({ ask, approval: "read-only" });
  const file = join(place.home, "never");
  const input = { command: `touch ${file}`, no_sandbox: true };
  expect((await bash(input, headless)).output).toBe(
    "bash: blocked: it would run outside the sandbox; approval is needed, but this run is non-interactive (DENIED)",
  );
  expect((await bash(input, readOnly)).output).toBe(
    "bash: blocked: read-only mode runs only tools that make no changes (DENIED)",
  );
  expect((await bash({ command: `touch ${file}` }, headless)).output).toEndWith(
    "; only the user can change that]",
  );
  expect([existsSync(file), asked]).toEqual([false, []]);
  const off = await open({ ask, sandbox: "off" });
  const offered = [services, headless, readOnly, off].map((each) => fieldsOf(each).includes("no_sandbox"));
  expect(offered).toEqual([true, false, false, false]);
  // A model that has learnt the field in a session with a sandbox.
  expect((await bash({ command: "echo ran", no_sandbox: true }, off)).output).toBe("ran");
});

test("a background shell may be started outside; it ends with the session", async () => {
  const own = await open({ ask });
  const command = `echo started >${place.home}/background; exec sleep 1000`;
  const { details } = await bash({ command, no_sandbox: true, run_in_background: true }, own);
  expect([details["shellId"], details["outsideSandbox"]]).toEqual(["bash_1", true]);
  await until("it has written", () => existsSync(join(place.home, "background")));
  const [shell] = own.shells.background();
  expect(await own.close()).toEqual([
    `omp: background shell bash_1 was still running and has been stopped: ${command}`,
  ]);
  expect(isRunning(shell?.pid ?? 0)).toBe(false);
});
