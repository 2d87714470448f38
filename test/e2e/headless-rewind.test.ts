/** `omp sessions rewind`: files and conversation of a session that has ended. */

import { beforeEach, expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readSession } from "../../src/history/read.ts";
import { temporaryDirectory } from "../support/home.ts";
import { omp as runOmp } from "../support/omp.ts";
import { pidIn } from "../support/processes.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { stateOf } from "../support/tree-state.ts";
import { until } from "../support/until.ts";
import { AgentPlace, bash, python } from "./agent-place.ts";

let omp: AgentPlace;
beforeEach(() => {
  omp = new AgentPlace();
});

const write = (path: string, content: string) => ({ name: "write", input: { path, content } });
const rewind = (...args: readonly string[]) => runOmp(["sessions", "rewind", ...args], { place: omp.place });

async function threePrompts(): Promise<{
  readonly id: string;
  readonly states: readonly Record<string, string>[];
}> {
  const states = [stateOf(omp.project)];
  const script = [
    omp.script({ toolCalls: [write("a.txt", "one\n")] }, { text: "First." }),
    omp.script({ toolCalls: [bash("echo two >> a.txt; echo b > b.txt")] }, { text: "Second." }),
    omp.script({ toolCalls: [bash("rm a.txt; mkdir d; echo c > d/c.txt")] }, { text: "Third." }),
  ];
  for (const [at, model] of script.entries()) {
    await omp.run(["-m", model, ...(at === 0 ? [] : ["-c"]), `prompt ${at + 1}`]);
    states.push(stateOf(omp.project));
  }
  const [session] = JSON.parse((await runOmp(["sessions", "list", "--json"], { place: omp.place })).stdout);
  return { id: session.id, states };
}

test("a session goes back to before a prompt, bash and all, and the rewind can be undone and done again", async () => {
  const { id, states } = await threePrompts();
  const shown = await runOmp(["sessions", "show", id], { place: omp.place });
  expect(shown.stdout.match(/^## \d\. User\n\nprompt \d$/gm)).toEqual([
    "## 1. User\n\nprompt 1",
    "## 2. User\n\nprompt 2",
    "## 3. User\n\nprompt 3",
  ]);

  const dry = await rewind(id, "--to", "2", "--dry-run");
  expect(dry).toEqual({
    exitCode: 0,
    stderr: "",
    stdout: [
      `Would go back to before prompt 2: ${id}`,
      "  files: 3 files, +1 -2",
      "    + a.txt  +1 -0",
      "    - b.txt  +0 -1",
      "    - d/c.txt  +0 -1",
      "  conversation: 2 prompts and 2 calls left out",
      "  variables: they ended with the session's process",
      "  Not taken back: what was sent over the network, other directories, processes, ignored files.",
      "",
    ].join("\n"),
  });
  expect(stateOf(omp.project)).toEqual(states[3] ?? {});

  expect((await rewind(id, "--to", "2")).exitCode).toBe(0);
  expect(stateOf(omp.project)).toEqual(states[1] ?? {});
  const [log = ""] = omp.logs();
  expect(prompts(log)).toEqual(["prompt 1"]);

  expect((await rewind(id, "--undo")).stdout).toContain(`Went back to before the last rewind: ${id}`);
  expect(stateOf(omp.project)).toEqual(states[3] ?? {});
  expect(prompts(log)).toEqual(["prompt 1", "prompt 2", "prompt 3"]);
  await rewind(id, "--undo");
  expect(stateOf(omp.project)).toEqual(states[1] ?? {});
  expect(prompts(log)).toEqual(["prompt 1"]);
});

test("files alone or the conversation alone, as JSON; the model of the next prompt has what is left", async () => {
  const { id, states } = await threePrompts();
  const files = JSON.parse((await rewind(id, "--to", "1", "--files", "--json")).stdout);
  expect(files).toEqual({
    session_id: id,
    to: 1,
    dry_run: false,
    files: {
      problem: null,
      changes: [
        { path: "b.txt", kind: "removed", added: 0, removed: 1 },
        { path: "d/c.txt", kind: "removed", added: 0, removed: 1 },
      ],
      written: 0,
      removed: 2,
      left: [],
      not_covered: [],
    },
    conversation: null,
    variables: null,
  });
  expect(stateOf(omp.project)).toEqual(states[0] ?? {});
  const [log = ""] = omp.logs();
  expect(prompts(log)).toHaveLength(3);
  const conversation = JSON.parse((await rewind(id, "--to", "3", "--conversation", "--json")).stdout);
  expect([conversation.files, conversation.conversation]).toEqual([
    null,
    { prompts: 1, calls: 1, brought_back: 0 },
  ]);
  expect(prompts(log)).toEqual(["prompt 1", "prompt 2"]);
});

test("each prompt and each call that may write is in the log with where its files are, before the call runs", async () => {
  await omp.run([
    "-m",
    omp.script(
      {
        toolCalls: [write("a.txt", "1"), { name: "read", input: { path: "a.txt" } }, bash("cp a.txt b.txt")],
      },
      { text: "ok" },
    ),
    "go",
  ]);
  const [log = ""] = omp.logs();
  const found = readSession(log).entries.flatMap((entry): unknown[] =>
    entry.type === "checkpoint"
      ? [{ call: entry.call, root: entry.files?.root }]
      : entry.type === "tool_result"
        ? [entry.name]
        : [],
  );
  const root = omp.project;
  expect(found).toEqual([
    { call: undefined, root },
    { call: "call_1_1", root },
    "write",
    "read",
    { call: "call_1_3", root },
    "bash",
  ]);
});

test("a session in use is left alone", async () => {
  const model = omp.script({ toolCalls: [bash("echo 1 > a.txt; echo $$ > pid; sleep 1000")] });
  const child = omp.start(["-m", model, "go"]);
  await until("the command runs", () => pidIn(join(omp.project, "pid")));
  const [log = ""] = omp.logs();
  const { id } = readSession(log).header;
  expect(await rewind(id, "--to", "1")).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(`is open in another omp (pid ${child.pid})`),
  });
  expect((await rewind(id, "--to", "1", "--dry-run")).stdout).toContain("    - a.txt  +0 -1\n");
  expect(readFileSync(join(omp.project, "a.txt"), "utf8")).toBe("1\n");
  child.kill("SIGTERM");
  expect(await child.exited).toBe(143);
});

test("large files and submodules are named as not taken back", async () => {
  omp.settings({ files: { maxFileMb: 1 } });
  const git = (cwd: string, ...args: readonly string[]) =>
    Bun.spawnSync(["git", "-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd }).exitCode;
  const library = temporaryDirectory();
  git(library, "init", "-q");
  expect(git(library, "commit", "-q", "--allow-empty", "-m", "x")).toBe(0);
  git(omp.project, "init", "-q");
  expect(git(omp.project, "-c", "protocol.file.allow=always", "submodule", "add", "-q", library, "lib")).toBe(
    0,
  );
  writeFileSync(join(omp.project, "data.bin"), new Uint8Array(2_000_000));
  const change = bash(
    "echo x > lib/new; echo x > data.bin; head -c 2000000 /dev/zero > more.bin; echo x > a",
  );
  await omp.run(["-m", omp.script({ toolCalls: [change] }, { text: "ok" }), "go"]);
  const [log = ""] = omp.logs();
  const { id } = readSession(log).header;
  const named = "data.bin (too large), lib/ (a repository of its own), more.bin (too large)";
  const dry = await rewind(id, "--to", "1", "--dry-run");
  expect(sorted(dry.stdout)).toContain(`ignored files, ${named}.\n`);
  const back = await rewind(id, "--to", "1", "--json");
  expect(JSON.parse(back.stdout).files).toMatchObject({
    removed: 1,
    left: [{ path: "data.bin", why: "it is too large to be kept" }],
  });
  expect(readFileSync(join(omp.project, "data.bin"), "utf8")).toBe("x\n");
  expect([existsSync(join(omp.project, "lib/new")), existsSync(join(omp.project, "a"))]).toEqual([
    true,
    false,
  ]);
});

test("on a full disk nothing changes, and that is said", async () => {
  const { id, states } = await threePrompts();
  const full = temporaryDirectory();
  const real = Bun.which("git");
  const script = `#!/bin/sh\nfor each; do [ "$each" = checkout-index ] && { echo "error: unable to write file a.txt: No space left on device" >&2; exit 1; }; done\nexec ${real} "$@"\n`;
  writeFileSync(join(full, "git"), script, { mode: 0o755 });
  const path = `${full}:${process.env["PATH"]}`;
  const args = ["sessions", "rewind", id, "--to", "2"];
  expect(await runOmp(args, { place: omp.place, env: { PATH: path } })).toEqual({
    exitCode: 1,
    stdout: "",
    stderr:
      "files: git checkout-index failed: error: unable to write file a.txt: No space left on device; no file was changed (ENOSPC)\n",
  });
  expect(stateOf(omp.project)).toEqual(states[3] ?? {});
  const [log = ""] = omp.logs();
  expect(prompts(log)).toHaveLength(3);
});

describeWithPython(testPython, "whatever writes", () => {
  test("has a moment before it, also in a subagent and in the background, and is taken back", async () => {
    writeFileSync(join(omp.project, "edited"), "before\n");
    const before = stateOf(omp.project);
    const inner = { toolCalls: [bash("echo s > by-subagent")] };
    await omp.run([
      "-m",
      omp.script(
        { toolCalls: [write("written", "1")] },
        {
          toolCalls: [
            { name: "edit", input: { path: "edited", edits: [{ old_text: "before", new_text: "after" }] } },
          ],
        },
        { toolCalls: [bash("echo b > by-bash")] },
        {
          toolCalls: [
            { name: "bash", input: { command: "echo g > in-background", run_in_background: true } },
            python(
              "import time, os\nwhile not os.path.exists('in-background'): time.sleep(.01)\nopen('by-cell', 'w').write('c')",
            ),
          ],
        },
        { toolCalls: [{ name: "task", input: { prompt: "write" } }] },
        inner,
        { text: "written" },
        { text: "all" },
      ),
      "go",
    ]);
    const made = Object.keys(stateOf(omp.project));
    expect(made).toEqual(["by-bash", "by-cell", "by-subagent", "edited", "in-background", "written"]);
    expect(readFileSync(join(omp.project, "edited"), "utf8")).toBe("after\n");
    const own = omp.logs().filter((path) => !path.includes("agent-"));
    const moments = own
      .flatMap((path) => readSession(path).entries)
      .filter(({ type }) => type === "checkpoint");
    expect(moments.length).toBeGreaterThanOrEqual(7);
    const { id } = readSession(own[0] ?? "").header;
    expect((await rewind(id, "--to", "1")).exitCode).toBe(0);
    expect(stateOf(omp.project)).toEqual(before);
  });
});

test("a prompt or a session that is not there, and files that were not kept are errors of one line", async () => {
  omp.settings({ files: { checkpoints: false } });
  await omp.run(["-m", omp.script({ toolCalls: [write("a.txt", "1")] }, { text: "ok" }), "go"]);
  const [session] = JSON.parse((await runOmp(["sessions", "list", "--json"], { place: omp.place })).stdout);
  expect(existsSync(join(omp.place.home, ".omp/agent/omp-files"))).toBe(false);
  expect(await rewind("nowhere", "--to", "1")).toMatchObject({
    exitCode: 2,
    stderr: "session: no session 'nowhere'; see: omp sessions list (ENOENT)\n",
  });
  expect(await rewind(session.id, "--to", "2")).toMatchObject({
    exitCode: 2,
    stderr: "rewind: there is no prompt 2; the session has 1, see: omp sessions show <id> (NO_PROMPT)\n",
  });
  expect(await rewind(session.id, "--undo")).toMatchObject({
    exitCode: 2,
    stderr: "rewind: this session was not taken back, so there is nothing to undo (NO_REWIND)\n",
  });
  expect(await rewind(session.id, "--to", "1", "--files")).toMatchObject({
    exitCode: 1,
    stderr: "rewind: the files of that moment were not kept (NOT_KEPT)\n",
  });
  expect(readFileSync(join(omp.project, "a.txt"), "utf8")).toBe("1");
});

test("what the user changed by hand since is part of what would change, and comes back with the undo", async () => {
  const { id } = await threePrompts();
  writeFileSync(join(omp.project, "d/c.txt"), "by hand\n");
  rmSync(join(omp.project, "b.txt"));
  const dry = await rewind(id, "--to", "3", "--dry-run");
  expect(dry.stdout).toContain("+ b.txt  +1 -0\n    - d/c.txt  +0 -1\n");
  await rewind(id, "--to", "3");
  await rewind(id, "--undo");
  expect(readFileSync(join(omp.project, "d/c.txt"), "utf8")).toBe("by hand\n");
  expect(existsSync(join(omp.project, "b.txt"))).toBe(false);
});

/** The names in the last line by name. */
function sorted(text: string): string {
  return text.replace(/(?<=ignored files, )(.*)(?=\.\n)/, (names) => names.split(", ").sort().join(", "));
}

function prompts(log: string): string[] {
  return readSession(log).entries.flatMap((entry) =>
    entry.type === "user" && entry.message.origin.kind === "typed"
      ? entry.message.content.flatMap((part) => (part.type === "text" ? [part.text] : []))
      : [],
  );
}
