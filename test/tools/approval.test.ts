import { describe, expect, test } from "bun:test";
import * as z from "zod";
import type { ToolContext } from "../../src/protocol/index.ts";
import { type LiveShell, readLiveShell } from "../../src/shell/safety/index.ts";
import {
  type ApprovalPolicy,
  type ApprovalQuestion,
  withApproval,
} from "../../src/tools/approval/approved-tool.ts";
import { type Decision, decide } from "../../src/tools/approval/decide.ts";
import { Grants } from "../../src/tools/approval/grants.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { ToolRegistry } from "../../src/tools/registry.ts";
import { decideBash, named, rules, run } from "./approval-calls.ts";

describe("auto runs everything but what is dangerous", () => {
  test.each(["ls", "rm -rf build", "npm publish", "echo 'rm -rf /'", "curl x | sh"])(
    "%s runs",
    async (command) => {
      expect(await decideBash(command)).toEqual(run);
    },
  );

  test("a dangerous command is denied with the reason and the place", async () => {
    expect(await decideBash("ls; sudo rm -rf /")).toEqual({
      decision: "deny",
      code: "DANGEROUS",
      reason: "it would delete /: sudo rm -rf /",
    });
  });

  test("the shell's variables count, and are only looked at where a command uses them", async () => {
    const shell = readLiveShell("", { DIR: "build" });
    const decideWith = (command: string, look: () => Promise<LiveShell>) =>
      decide({ mode: "auto", tool: named("bash"), input: { command }, cwd: "/tmp", rules, shell: look });
    const unseen = () => Promise.reject(new Error("looked at"));
    expect(await decideWith('rm -rf "$DIR"/*', async () => shell)).toEqual(run);
    expect(await decideWith('rm -rf "$OTHER"/*', async () => shell)).toEqual({
      decision: "deny",
      code: "DANGEROUS",
      reason: 'it would delete everything in /: rm -rf "$OTHER"/*',
    });
    expect(await decideWith("rm -rf build; x=1; echo $x", unseen)).toEqual(run);
  });

  test("the call's directory counts, from where the shell stands", async () => {
    const call = { mode: "auto", tool: named("bash"), rules } as const;
    const command = "rm -rf *";
    expect(await decide({ ...call, input: { command, cwd: "src" }, cwd: "/home/ann" })).toEqual(run);
    expect(await decide({ ...call, input: { command, cwd: ".." }, cwd: "/home/ann/project" })).toMatchObject({
      code: "DANGEROUS",
    });
    expect(await decide({ ...call, input: { command }, cwd: "/" })).toMatchObject({ code: "DANGEROUS" });
  });

  test.each([
    ["exec", { language: "bash", code: "rm -rf /" }],
    ["python", { cells: [{ code: "x = 1" }, { code: "!rm -rf /" }] }],
    ["python", { cells: [{ code: "if x:\n    !!rm -rf ~" }] }],
    ["python", { cells: [{ code: "files = !rm -rf /" }] }],
    ["python", { cells: [{ code: "%sx rm -rf /" }] }],
    ["python", { cells: [{ code: "%%bash\nls\nrm -rf /\n" }] }],
    ["python", { cells: [{ code: "\n%%script bash --no-raise-error\nrm -rf /" }] }],
    ["python", { cells: [{ code: "%%capture out\n%%bash\nrm -rf /" }] }],
    ["python", { cells: [{ code: "%%!\nrm -rf /" }] }],
    ["python", { cells: [{ code: "%time !rm -rf /" }] }],
    ["python", { cells: [{ code: "found['x'] = !rm -rf /" }] }],
    ["python", { cells: [{ code: "!echo a; \\\n  rm -rf /" }] }],
    ["python", { cells: [{ code: "%rm -rf /" }] }],
    ["python", { cells: [{ code: "for x in y:\n    rm -rf /" }] }],
    ["python", { cells: [{ code: "print(bash('rm -rf /'))" }] }],
    ["python", { cells: [{ code: 'os.system("""ls\nrm -rf /""")' }] }],
  ])("%s %j is denied too", async (name, input) => {
    const decision = await decide({ mode: "auto", tool: named(name), input, cwd: "/tmp", rules });
    expect(decision).toMatchObject({ decision: "deny", code: "DANGEROUS" });
  });

  test.each([
    ["exec", { language: "python", code: "rm -rf /" }],
    ["python", { cells: [{ code: "print('rm -rf /')" }, { code: "x != 1" }, { code: "%%html\nrm -rf /" }] }],
    [
      "python",
      { cells: [{ code: "rm = 1\nx = rm -1\nbash = 'rm -rf /'" }, { code: "%%writefile x\n!rm -rf /" }] },
    ],
    ["python", { cells: "!rm -rf /" }],
    ["python_run", { code: "rm -rf /" }],
    ["write", { path: "x", content: "rm -rf /" }],
    ["python", { cells: [{ code: '!rm -rf "$DIR"/*' }] }],
    ["bash", undefined],
    ["bash", { command: 7 }],
  ])("%s %j is not shell, and runs", async (name, input) => {
    expect(await decide({ mode: "auto", tool: named(name), input, cwd: "/tmp", rules })).toEqual(run);
  });
});

describe("read-only runs only tools that make no changes", () => {
  const denied: Decision = {
    decision: "deny",
    code: "DENIED",
    reason: "read-only mode runs only tools that make no changes",
  };

  test.each([
    ["read", true, run],
    ["bash_output", true, run],
    ["write", false, denied],
    ["python", false, denied],
    ["kill_shell", false, denied],
  ] as const)("%s with readOnly %p", async (name, readOnly, expected) => {
    const call = { mode: "read-only", input: {}, cwd: "/tmp", rules } as const;
    expect(await decide({ ...call, tool: named(name, { readOnly }) })).toEqual(expected);
  });

  test("no command runs, not even a safe or an allowed one", async () => {
    expect(await decideBash("ls", { mode: "read-only", rules: { allow: ["*"] } })).toEqual(denied);
  });
});

describe("ask", () => {
  const ask = (command: string, options: Parameters<typeof decideBash>[1] = {}) =>
    decideBash(command, { ...options, mode: "ask" });

  test.each(["ls -la | grep x", "git status && git diff", "cat x 2>&1"])("%s runs", async (command) => {
    expect(await ask(command)).toEqual(run);
  });

  test("tools that change nothing run, and the looks at and ends of own shells", async () => {
    const call = { mode: "ask", input: {}, cwd: "/tmp", rules } as const;
    expect(await decide({ ...call, tool: named("read", { readOnly: true }) })).toEqual(run);
    expect(await decide({ ...call, tool: named("bash_output") })).toEqual(run);
    expect(await decide({ ...call, tool: named("kill_shell") })).toEqual(run);
  });

  test("the rest asks, and says what a yes would cover", async () => {
    expect(await ask("ls && npm publish --tag next && touch a b")).toEqual({
      decision: "ask",
      reason: "not on the safe list: npm publish --tag next, touch a b",
      subject: {
        tool: "bash",
        summary: "bash it",
        command: "ls && npm publish --tag next && touch a b",
        patterns: ["npm publish --tag next", "touch a b"],
        covers: undefined,
        key: "bash ls && npm publish --tag next && touch a b",
        links: [],
      },
    });
    expect(await ask("echo x > file")).toMatchObject({
      decision: "ask",
      reason: "it does more than the commands on the safe list",
      subject: { patterns: undefined },
    });
    const call = { mode: "ask", input: { path: "x" }, cwd: "/tmp", rules } as const;
    expect(await decide({ ...call, tool: named("write") })).toEqual({
      decision: "ask",
      reason: "write can make changes",
      subject: {
        tool: "write",
        summary: "write it",
        input: "path: x",
        path: "x",
        command: undefined,
        patterns: undefined,
        covers: "this file",
        key: "file /tmp/x",
        links: [],
      },
    });
  });

  test("a cell asks even when the command in it is safe", async () => {
    const input = { cells: [{ code: "!ls" }] };
    expect(await decide({ mode: "ask", tool: named("python"), input, cwd: "/tmp", rules })).toMatchObject({
      decision: "ask",
      reason: "python can make changes",
    });
  });

  test.each([
    ["terraform plan", ["terraform *"], "run"],
    ["terraform", ["terraform *"], "run"],
    ["/usr/bin/terraform plan", ["terraform *"], "ask"],
    ["/usr/bin/terraform plan", ["/usr/bin/terraform *"], "run"],
    ["terraform plan && ls", ["terraform plan"], "run"],
    ["terraform plan && ls", ["terraform"], "ask"],
    ["terraform plan | tee x", ["terraform *"], "ask"],
    ["terraform plan | tee x", ["terraform *", "tee x"], "ask"],
    ["terraform plan | tee x", ["terraform *", "tee *"], "run"],
    ["terraform plan | head", ["terraform plan"], "run"],
    ["terraform plan < /dev/null", ["terraform plan"], "ask"],
    ["terraform plan > x", ["terraform *"], "ask"],
    ["terraform plan; touch x", ["terraform *"], "ask"],
    ["terraforming", ["terraform *"], "ask"],
    ["touch a", ["touch"], "ask"],
    ["touch a", ["touch a"], "run"],
    ["touch a", ["touch b"], "ask"],
    ["npm publish --tag x", ["npm publish"], "ask"],
    ["npm publish --tag x", ["npm publish *"], "run"],
    ["npm --tag x publish", ["npm publish"], "ask"],
    ["sudo make install", ["sudo *"], "run"],
    ["sudo touch x", ["touch *"], "ask"],
    ["sudo touch x", ["sudo touch"], "ask"],
    ["sudo touch x", ["sudo touch *"], "run"],
    ["bash -c 'touch x'", ["touch *"], "ask"],
    ["bash -c 'touch x'", ["bash -c *"], "run"],
    ['terraform plan "$x"', ["terraform *"], "run"],
    ['terraform "$x"', ["terraform plan *"], "ask"],
    ["X=1 terraform plan", ["terraform *"], "ask"],
    ["terraform $(touch x)", ["terraform *"], "ask"],
    ["./scripts/deploy.sh", ["./scripts/*.sh"], "run"],
    ["touch x", ["*"], "run"],
    ["$CMD x", ["*"], "ask"],
    ["touch ) x", ["*"], "ask"],
    ["f() { touch x; }; f", ["*"], "ask"],
  ])("%j with allow %j: %s", async (command, allow, decision) => {
    expect(await ask(command, { rules: { allow } })).toMatchObject({ decision });
  });

  test("the allow list does not open what is dangerous or denied", async () => {
    const allow = ["*", "rm", "rm -rf /"];
    expect(await ask("rm -rf /", { rules: { allow } })).toMatchObject({ code: "DANGEROUS" });
    expect(await ask("git push", { rules: { allow: ["git push"], deny: ["git push"] } })).toMatchObject({
      code: "DENIED",
    });
  });
});

function denied(error: string, code: string) {
  return { approval: "denied", success: false, error, code };
}

describe("an approved tool", () => {
  const ran: string[] = [];
  const bash = defineTool({
    name: "bash",
    prompt: "Runs it.",
    schema: z.strictObject({ command: z.string(), cwd: z.string().optional() }),
    concurrency: "exclusive",
    readOnly: false,
    summary: ({ command }) => command,
    run: async ({ command }) => {
      ran.push(command);
      return { isError: false, output: `ran ${command}`, details: {} };
    },
  });
  const context: ToolContext = {
    sessionId: "s",
    cwd: "/home/ann/project",
    projectRoot: "/home/ann/project",
    signal: new AbortController().signal,
    onUpdate: () => undefined,
  };
  const withPolicy = (options: Omit<ApprovalPolicy, "rules" | "grants"> & { readonly grants?: Grants }) =>
    new ToolRegistry([withApproval(bash, { rules, grants: new Grants(), ...options })]);

  test("is the tool in everything but run", () => {
    const wrapped = withApproval(bash, { rules, grants: new Grants(), mode: "auto" });
    expect({ ...wrapped, inputSchema: wrapped.inputSchema }).toMatchObject({
      name: "bash",
      description: "Runs it.",
      concurrency: "exclusive",
      readOnly: false,
      inputSchema: bash.inputSchema,
    });
    expect(wrapped.check({})).toEqual(bash.check({}));
    expect(wrapped.summary({ command: "ls" })).toBe("ls");
  });

  test("runs what may run", async () => {
    const registry = withPolicy({ mode: "auto" });
    expect(await registry.run("bash", { command: "ls" }, context)).toEqual({
      isError: false,
      output: "ran ls",
      details: {},
    });
  });

  test("answers a dangerous call with one line, and runs nothing", async () => {
    ran.length = 0;
    expect(await withPolicy({ mode: "auto" }).run("bash", { command: "rm -rf /" }, context)).toEqual({
      isError: true,
      output: "bash: blocked: it would delete /: rm -rf / (DANGEROUS)",
      details: denied("bash: blocked: it would delete /: rm -rf / (DANGEROUS)", "DANGEROUS"),
    });
    expect(ran).toEqual([]);
  });

  test("with nobody to ask, a question is a no", async () => {
    ran.length = 0;
    const output =
      "bash: blocked: not on the safe list: touch x; approval is needed, but this run is non-interactive (DENIED)";
    const result = await withPolicy({ mode: "ask" }).run("bash", { command: "touch x" }, context);
    expect(result).toEqual({ isError: true, output, details: denied(output, "DENIED") });
    expect(ran).toEqual([]);
  });

  test("while a question waits, the time of the code that waits for the call is held", async () => {
    const seen: string[] = [];
    const registry = withPolicy({
      mode: "ask",
      ask: async () => {
        seen.push("asked");
        return seen.length === 2 ? "once" : "no";
      },
    });
    const holdTime = () => {
      seen.push("held");
      return () => void seen.push("released");
    };
    await registry.run("bash", { command: "touch x" }, { ...context, holdTime });
    await registry.run("bash", { command: "touch x" }, { ...context, holdTime });
    await registry.run("bash", { command: "ls" }, { ...context, holdTime });
    expect(seen).toEqual(["held", "asked", "released", "held", "asked", "released"]);
  });

  test("asks: once is once, session lasts, no is told", async () => {
    ran.length = 0;
    const questions: ApprovalQuestion[] = [];
    const answers = ["once", "no", "session"] as const;
    const registry = withPolicy({
      mode: "ask",
      ask: async (question) => {
        questions.push(question);
        return answers[questions.length - 1] ?? "no";
      },
    });
    const call = () => registry.run("bash", { command: "touch x" }, context);
    expect(await call()).toMatchObject({ isError: false });
    expect(await call()).toEqual({
      isError: true,
      output: "bash: blocked: the user declined (DENIED)",
      details: {
        ...denied("bash: blocked: the user declined (DENIED)", "DENIED"),
        segments: [{ lines: 1, note: "You declined" }],
      },
    });
    expect(await call()).toMatchObject({ isError: false });
    expect(await call()).toMatchObject({ isError: false });
    expect(ran).toEqual(["touch x", "touch x", "touch x"]);
    expect(questions).toHaveLength(3);
    expect(questions[0]).toEqual({
      subject: {
        tool: "bash",
        summary: "touch x",
        command: "touch x",
        patterns: ["touch x"],
        covers: undefined,
        key: "bash touch x",
        links: [],
      },
      reason: "not on the safe list: touch x",
      signal: context.signal,
    });
  });

  test("knows where the shell stands", async () => {
    let directory: string | undefined;
    const registry = withPolicy({ mode: "auto", shellDirectory: () => directory });
    const call = () => registry.run("bash", { command: "rm -rf *" }, context);
    expect(await call()).toMatchObject({ isError: false });
    directory = "/home/ann";
    expect(await call()).toMatchObject({ isError: true, details: { code: "DANGEROUS" } });
  });

  test("a rehearsal asks nobody, and refuses what a run would be refused", async () => {
    ran.length = 0;
    const rehearse = (policy: Parameters<typeof withPolicy>[0], command: string) =>
      withPolicy(policy).rehearse("bash", { command }, context);
    const asked = { mode: "ask", ask: () => Promise.reject(new Error("asked")) } as const;
    const command = `touch x\n${"y".repeat(300)}`;
    expect(await rehearse(asked, command)).toEqual({
      isError: false,
      output: `[Dry Run] Would execute: touch x ⏎ ${"y".repeat(189)}…`,
      details: { dryRun: true, command },
    });
    expect(await rehearse({ mode: "ask" }, "touch x")).toMatchObject({
      isError: true,
      details: { approval: "denied", code: "DENIED" },
    });
    expect(await rehearse({ mode: "auto" }, "rm -rf /")).toMatchObject({
      isError: true,
      output: "bash: blocked: it would delete /: rm -rf / (DANGEROUS)",
    });
    expect(await rehearse({ mode: "read-only" }, "ls")).toMatchObject({
      isError: true,
      output: "bash: blocked: read-only mode runs only tools that make no changes (DENIED)",
    });
    expect(ran).toEqual([]);
  });
});
