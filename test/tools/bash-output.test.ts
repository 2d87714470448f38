import { afterEach, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { closeShells } from "../shell/open-shell.ts";
import { until } from "../support/until.ts";
import { shellTools } from "./bash-tools.ts";

afterEach(closeShells);

/** Durations differ from run to run. */
const timeless = (text: string) => text.replaceAll(/\d+(?:\.\d)? m?s\b/g, "N s");

async function started(command: string) {
  const tools = shellTools();
  const { details } = await tools.bash(command, { run_in_background: true });
  const artifact = String(details.artifact);
  const kept = () => readFileSync(tools.artifacts.find(artifact) ?? "", "utf8");
  const shell = tools.shells.background.get("bash_1");
  if (shell === undefined) throw new Error("no shell was started");
  const look = async (input: Record<string, unknown> = { bash_id: "bash_1" }) => {
    const { output, details, isError } = await tools.call("bash_output", input);
    return { output: timeless(output), details, isError };
  };
  return { ...tools, shell, look, artifact, kept };
}

test("shows only what is new, stdout and stderr apart, and how the shell is doing", async () => {
  const { look, shell, cwd } = await started(
    "echo one; echo bad >&2; until [ -e go ]; do sleep 0.01; done; echo two; exit 4",
  );
  await until("it has written", () => shell.stdout.totalBytes + shell.stderr.totalBytes === 8);
  expect(await look()).toMatchObject({
    isError: false,
    output: "bash_1: running, N s\none\n[stderr]\nbad",
    details: {
      shellId: "bash_1",
      status: "running",
      exitCode: null,
      stdout: "one\n",
      stderr: "bad\n",
      truncated: false,
    },
  });
  expect((await look({ shell_id: "bash_1" })).output).toBe("bash_1: running, N s\n(no new output)");
  writeFileSync(join(cwd, "go"), "");
  await shell.ended;
  expect(await look({ bash_id: "bash_1", shell_id: "bash_1" })).toMatchObject({
    isError: false,
    output: "bash_1: failed, exit code 4, N s\ntwo",
    details: { status: "failed", exitCode: 4, stdout: "two\n", stderr: "" },
  });
});

test("looks in vain, one after the other, are told after the third, and never stopped", async () => {
  const { look, shell, cwd } = await started(
    "until [ -e go ]; do sleep 0.01; done; echo two; until [ -e end ]; do sleep 0.01; done",
  );
  const nothing = "bash_1: running, N s\n(no new output)";
  const told = (looks: number) =>
    `${nothing}\n[nothing new in ${looks} looks in a row; wait longer before the next one, for example with: sleep 30]`;
  const outputs = [];
  for (let time = 0; time < 7; time += 1) outputs.push((await look()).output);
  expect(outputs).toEqual([nothing, nothing, told(3), told(4), told(5), told(6), told(7)]);
  writeFileSync(join(cwd, "go"), "");
  await until("it has written", () => shell.stdout.totalBytes > 0);
  expect((await look()).output).toBe("bash_1: running, N s\ntwo");
  expect((await look()).output).toBe(nothing);
  writeFileSync(join(cwd, "end"), "");
  await shell.ended;
  for (let time = 0; time < 4; time += 1)
    expect((await look()).output).toBe("bash_1: completed, exit code 0, N s\n(no new output)");
});

test("filters lines, and what does not match counts as read, and stays in the artifact", async () => {
  const { look, shell, artifact, kept } = await started("seq 1 30; echo 'Error: x' >&2; echo fine >&2");
  await shell.ended;
  expect((await look({ bash_id: "bash_1", filter: "(unclosed" })).output).toBe(
    "bash_output: invalid regex: unclosed group (INVALID_REGEX)",
  );
  expect((await look({ bash_id: "bash_1", filter: "^2\\d$|(?:err|Err)or" })).output).toBe(
    "bash_1: completed, exit code 0, N s\n20\n21\n22\n23\n24\n25\n26\n27\n28\n29\n[stderr]\nError: x\n[all output so far: artifact://" +
      `${artifact}]`,
  );
  const all = [...Array.from({ length: 30 }, (_, index) => `${index + 1}`), "Error: x", "fine"];
  expect(kept().trimEnd().split("\n").sort()).toEqual(all.sort());
  expect((await look({ bash_id: "bash_1", filter: "x" })).output).toBe(
    `bash_1: completed, exit code 0, N s\n(no new output that matches)\n[all output so far: artifact://${artifact}]`,
  );
});

test("a flood is cut to its end, what was never read is counted, and all of it is in the artifact", async () => {
  const { look, shell, artifact, kept } = await started("seq 1 2000000");
  await shell.ended;
  const { output, details } = await look();
  expect(output).toMatch(
    /^bash_1: completed, exit code 0, N s\n\[[\d,]+ bytes of stdout were cut before they were read\]\n/,
  );
  expect(output).toContain("\n1999999\n2000000\n[output cut: ");
  expect(details).toMatchObject({ truncated: true, stdoutTruncated: true, stderrTruncated: false });
  expect(Number(details["lostBytes"])).toBeGreaterThan(5_000_000);
  expect(output).toEndWith(`\n[all output so far: artifact://${artifact}]`);
  expect(details.artifact).toBe(artifact);
  expect(kept()).toBe(Array.from({ length: 2_000_000 }, (_, index) => `${index + 1}\n`).join(""));
});

test("without an id lists the shells", async () => {
  const { look, bash, shell } = await started("true");
  await shell.ended;
  await bash("sleep 1000\ntrue", { run_in_background: true });
  expect(await look({})).toMatchObject({
    isError: false,
    output: "bash_1  completed, exit code 0  N s  true\nbash_2  running  N s  sleep 1000 ⏎ true",
    details: {
      shells: [
        { shellId: "bash_1", status: "completed", exitCode: 0, command: "true" },
        { shellId: "bash_2" },
      ],
    },
  });
  expect((await shellTools().call("bash_output", {})).output).toBe("No background shells.");
});

test("refuses an unknown id and two different ones", async () => {
  const { look } = await started("true");
  expect((await look({ bash_id: "bash_9" })).output).toBe(
    "bash_output: Shell not found: bash_9; running: bash_1 (NOT_FOUND)",
  );
  expect((await look({ bash_id: "bash_1", shell_id: "bash_2" })).output).toBe(
    "bash_output: 'bash_id' and 'shell_id' name different shells (INVALID_INPUT)",
  );
});

test("changes nothing, may overlap with others, and says in one line what it does", async () => {
  const { registry, rehearse } = shellTools();
  expect(registry.get("bash_output")).toMatchObject({ readOnly: true, concurrency: "parallel" });
  expect(await rehearse("bash_output", { shell_id: "bash_1" })).toBe(
    "[Dry Run] Would execute: bash_output bash_1",
  );
  expect(await rehearse("bash_output", {})).toBe(
    "[Dry Run] Would execute: bash_output list of background shells",
  );
});
