/** Sessions from run to run: gone on with, copied, locked, on a full disk, and what the model is told of them. */

import { beforeEach, describe, expect, test } from "bun:test";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { omp as runOmp } from "../support/omp.ts";
import { isRunning, pidIn } from "../support/processes.ts";
import { until } from "../support/until.ts";
import { AgentPlace, type AskedModel, answering, bash, linesOf } from "./agent-place.ts";

let omp: AgentPlace;
beforeEach(() => {
  omp = new AgentPlace();
});

const stateGone =
  "[This session was resumed: the shell's state and background shells from before are gone; files are as they are on disk.]";
const handsOfBash = ["--tools", "bash"];

/** The messages that a server was asked with. */
function asked({ server }: AskedModel, index = 0): string {
  return JSON.stringify(server.asked[index]?.body["messages"]);
}

describe("going on", () => {
  test("-c takes the newest of the directory, -r any; the model has the history and knows that state is gone", async () => {
    const first = omp.script({ text: "One.", toolCalls: [bash("x=1; echo $x")] }, { text: "Two." });
    await omp.run(["-m", first, ...handsOfBash, "begin"]);
    const model = await answering("Three.", "Four.");
    const { stdout } = await omp.run([...model.args, ...handsOfBash, "-c", "go on"], { env: model.env });
    expect(stdout).toBe("Three.\n");
    const told = asked(model);
    for (const words of ["begin", "One.", "call_1_1", "Two.", stateGone, "go on"])
      expect(told).toContain(words);
    expect(omp.logs()).toHaveLength(1);

    const [session] = JSON.parse((await runOmp(["sessions", "list", "--json"], { place: omp.place })).stdout);
    await omp.run([...model.args, "-r", session.id.slice(0, 8), "more"], { env: model.env });
    expect(asked(model, 1)).toContain("Three.");
  });

  test("without an earlier session -c and -r begin one, and say so", async () => {
    for (const flag of ["-c", "-r"]) {
      expect(
        await omp.run(["-m", omp.script({ text: "ok" }), "hi", flag, "-C", flag === "-c" ? "." : ".."]),
      ).toEqual({
        exitCode: 0,
        stdout: "ok\n",
        stderr: "omp: no earlier session in this directory; started a new one\n",
      });
    }
  });

  test("a link to the directory is the same directory", async () => {
    const link = join(omp.place.home, "link");
    symlinkSync(omp.project, link);
    await omp.run(["-m", omp.script({ text: "One." }), "--no-tools", "-C", link, "begin"]);
    const { stderr } = await omp.run(["-m", omp.script({ text: "Two." }), "--no-tools", "-c", "go on"]);
    expect([stderr, omp.logs().length]).toEqual(["", 1]);
  });

  test("-r without an id and without a terminal takes the newest", async () => {
    await omp.run(["-m", omp.script({ text: "One." }), "begin"]);
    await omp.run(["-m", omp.script({ text: "Two." }), "go on", "-r"]);
    expect(omp.logs()).toHaveLength(1);
  });

  test("another directory is told", async () => {
    await omp.run(["-m", omp.script({ text: "One." }), "begin"]);
    const id = /Z-(.*)\.jsonl$/.exec(omp.logs()[0] ?? "")?.[1] ?? "";
    const model = await answering("Two.");
    await omp.run([...model.args, "--no-tools", "-C", omp.place.home, "-r", id, "go on"], { env: model.env });
    expect(asked(model)).toContain(
      `[This session was resumed: the working directory was ${omp.project} and is now ${omp.place.home}.]`,
    );
  });

  test("--fork works on a copy", async () => {
    await omp.run(["-m", omp.script({ text: "One." }), "begin"]);
    const [original = ""] = omp.logs();
    const before = readFileSync(original, "utf8");
    const id = /Z-(.*)\.jsonl$/.exec(original)?.[1] ?? "";
    const model = await answering("Two.");
    await omp.run([...model.args, "--fork", id, "go on"], { env: model.env });
    expect(asked(model)).toContain("One.");
    expect(omp.logs()).toHaveLength(2);
    expect(readFileSync(original, "utf8")).toBe(before);
  });
});

test("killed in the middle of a call: the call is answered, and its effects are as they are", async () => {
  const stuck = bash("echo half > file; sleep 1000 & echo $! > pid; wait");
  const child = omp.start(["-m", omp.script({ text: "Wait.", toolCalls: [stuck] }), ...handsOfBash, "go"]);
  const pid = await until("the command runs", () => pidIn(join(omp.project, "pid")));
  child.kill("SIGKILL");
  await child.exited;
  const model = await answering("I see.");
  const { exitCode } = await omp.run([...model.args, ...handsOfBash, "-c", "and now?"], { env: model.env });
  expect(exitCode).toBe(0);
  const told = asked(model);
  expect(told).toContain("[omp exited before this call finished: whether it took effect is not known]");
  expect(told).toContain(stateGone);
  await until("nothing of it runs", () => !isRunning(pid));
});

test("a second omp on a session is refused with the first one's pid, and so is its removal", async () => {
  const model = omp.script({ text: "Wait.", toolCalls: [bash("echo $$ > pid; sleep 1000")] });
  const child = omp.start(["-m", model, "go"]);
  await until("the command runs", () => pidIn(join(omp.project, "pid")));
  const id = /Z-(.*)\.jsonl$/.exec(omp.logs()[0] ?? "")?.[1] ?? "";
  const refusal = `session: session ${id} is open in another omp (pid ${child.pid}); close it there, or continue in a copy: omp --fork ${id} (IN_USE)\n`;
  expect(await omp.run(["-m", omp.script(), "-c", "hi"])).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: refusal,
  });
  expect(await runOmp(["sessions", "rm", id], { place: omp.place })).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: refusal,
  });
  child.kill("SIGTERM");
  expect(await child.exited).toBe(143);
});

describe("a disk that takes no more", () => {
  /** The system refuses to let any file of omp's grow beyond 8 KB. */
  test("and a home that cannot be written: the answer comes all the same", async () => {
    // Below a file: refused to everybody, also to root.
    const env = { OMP_HOME: "/dev/null/omp" };
    const args = ["-m", omp.script({ text: "Done." }), "--no-tools", "go"];
    const { exitCode, stdout, stderr } = await omp.run(args, { env });
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "Done.\n" });
    expect(stderr).toMatch(
      /^session: cannot write \/dev\/null\/omp\/\S+\.jsonl; the session is not being saved \(ENOTDIR\)\n$/,
    );
    const result = await omp.run([...args, "--output-format", "json"], { env });
    expect(result.exitCode).toBe(0);
    expect(linesOf(result.stdout)).toMatchObject([{ status: "done", text: "Done.", session_id: null }]);
  });

  const withSmallFiles = (args: readonly string[], { blocks = 8 } = {}) =>
    omp.inShell(`trap "" XFSZ; ulimit -f ${blocks}; exec "$0" -p "$@"`, ...args);

  test("is told once, the answer comes, and the log is whole up to there", async () => {
    const call = { name: "ls", input: { path: "." } };
    const model = omp.script(
      { text: "Looking.", toolCalls: [call] },
      { text: `long ${"x".repeat(9_000)}`, toolCalls: [call] },
      { text: "Done." },
    );
    const { exitCode, stdout, stderr } = await withSmallFiles(["-m", model, "--tools", "ls", "go"]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "Done.\n" });
    expect(stderr).toBe(`session: cannot write ${omp.logs()[0]}; the session is not being saved (EFBIG)\n`);
    expect(omp.entries().filter(({ type }) => type === "tool_result")).toHaveLength(1);
    expect((await omp.run(["-m", omp.script({ text: "On." }), "-c", "go on"])).stdout).toBe("On.\n");
  });

  test("from the start on: the answer comes, and no empty log is left", async () => {
    const args = ["-m", omp.script({ text: "Done." }), "--no-tools", "go"];
    const { exitCode, stdout, stderr } = await withSmallFiles(args, { blocks: 0 });
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "Done.\n" });
    expect(stderr).toMatch(/^session: cannot write \S+; the session is not being saved \(EFBIG\)\n$/);
    expect(omp.logs()).toEqual([]);
  });

  test("for a whole copy: --fork fails, and leaves no half of one", async () => {
    await omp.run(["-m", omp.script({ text: "x".repeat(9_000) }), "--no-tools", "begin"]);
    const logs = omp.logs();
    const id = /Z-(.*)\.jsonl$/.exec(logs[0] ?? "")?.[1] ?? "";
    const args = ["-m", omp.script({ text: "Done." }), "--no-tools", "--fork", id, "go on"];
    const { exitCode, stdout, stderr } = await withSmallFiles(args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toMatch(/^session: cannot write \S+; the session is not being saved \(EFBIG\)\n$/);
    expect(omp.logs()).toEqual(logs);
  });

  test("in JSON it is an error on the way", async () => {
    const model = omp.script({ text: "x".repeat(9_000) });
    const { stdout } = await withSmallFiles([
      "-m",
      model,
      "--no-tools",
      "go",
      "--output-format",
      "stream-json",
    ]);
    expect(linesOf(stdout).filter(({ type }) => type === "error")).toMatchObject([{ code: "EFBIG" }]);
    expect(linesOf(stdout).at(-1)).toMatchObject({ type: "result", status: "done" });
  });
});
