import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { decide } from "../../src/tools/approval/decide.ts";
import { Grants } from "../../src/tools/approval/grants.ts";
import { temporaryDirectory } from "../support/home.ts";
import { decideBash, named, rules, run } from "./approval-calls.ts";

describe("deny wins in every mode", () => {
  test.each([
    ["git push", true],
    ["git push origin main", true],
    ["git -C dir push", true],
    ["git --no-pager -c a=b push -f", true],
    ["/usr/bin/git push", true],
    ["sudo git push", true],
    ["bash -c 'git push'", true],
    ["ls && (cd x; git push)", true],
    ["$(git push)", true],
    ["eval git push", true],
    ["git 'push'", true],
    ["git push )", true],
    ["if then git push", true],
    ["if then git pull", false],
    ["git pushx", false],
    ["git commit -m push", false],
    ["git commit -m 'git push'", false],
    ["echo git push", false],
    ["git status", false],
    ["ls # git push", false],
    ["cat > x <<EOF\ngit push\nEOF", false],
  ])("%j with deny 'git push': %p", async (command, isDenied) => {
    const decision = await decideBash(command, { rules: { deny: ["git push"] } });
    expect(decision).toEqual(
      isDenied ? { decision: "deny", code: "DENIED", reason: "the settings deny 'git push'" } : run,
    );
  });

  test.each([
    ["curl", "curl x", true],
    ["curl *", "curl", true],
    ["*", "ls", true],
    ["pip*", "pip3 install x", true],
    ["pip*", "python -m pip", false],
    ["* --force", "git push --force", false],
    ["npm run *", "npm run build", true],
    ["npm run *", "npm test", false],
    ["docker r*m", "docker rm x", true],
    ["a*b*c", "aXbYc", true],
    ["a*b*c", "acb", false],
  ])("%j denies %j: %p", async (pattern, command, isDenied) => {
    const decision = await decideBash(command, { rules: { deny: [pattern] } });
    expect(decision.decision).toBe(isDenied ? "deny" : "run");
  });
});

test.each([
  "!git push",
  "x = !git -C . push",
  "%%bash\ngit push",
  "%%time\n!git push",
  "bash('git push --force')",
])("%j in a cell with deny 'git push' is denied, too", async (code) => {
  const call = { mode: "auto", tool: named("python"), input: { cells: [{ code }] }, cwd: "/" } as const;
  expect(await decide({ ...call, rules: { ...rules, deny: ["git push"] } })).toMatchObject({
    code: "DENIED",
    reason: "the settings deny 'git push'",
  });
});

test("many options are no trouble for a deny pattern", async () => {
  const command = `git ${"-c a=b ".repeat(900)}`;
  expect(await decideBash(`${command} log`, { rules: { deny: ["git push"] } })).toEqual(run);
  expect(await decideBash(`${command} push`, { rules: { deny: ["git push"] } })).toMatchObject({
    code: "DENIED",
  });
});

describe("the working directory can be kept to the project", () => {
  function project() {
    const root = temporaryDirectory();
    const projectRoot = join(root, "project");
    mkdirSync(join(projectRoot, "src"), { recursive: true });
    mkdirSync(join(root, "elsewhere"));
    symlinkSync(join(root, "elsewhere"), join(projectRoot, "out"));
    symlinkSync(join(projectRoot, "src"), join(root, "in"));
    const limit = { projectRoot, workingDirectory: "project" } as const;
    return {
      root,
      projectRoot,
      check: (command: string) => decideBash(command, { rules: limit, cwd: projectRoot }),
    };
  }

  test.each([
    "ls",
    "cd src && ls",
    "cd src/../src",
    "cd ./new/dir",
    "cd $DIR",
    "cat /etc/passwd",
    "cd src; cd -",
    "cd src/*",
  ])("%s runs", async (command) => {
    expect(await project().check(command)).toEqual(run);
  });

  test.each([
    "cd /",
    "cd ..",
    "cd",
    "cd ~",
    "cd src && cd ../..",
    "(cd /tmp && ls)",
    "pushd /etc",
    "cd out",
    "bash -c 'cd /'",
    "env -C / ls",
    "cd /et*",
    "cd /$X",
  ])("%s is denied", async (command) => {
    expect(await project().check(command)).toMatchObject({ decision: "deny", code: "DENIED" });
  });

  test("the reason says where", async () => {
    expect(await project().check("cd /usr/share && ls")).toEqual({
      decision: "deny",
      code: "DENIED",
      reason: "it goes to /usr/share, outside the project",
    });
  });

  test("the call's own directory counts as well", async () => {
    const { root, projectRoot } = project();
    const call = { mode: "auto", tool: named("bash"), cwd: projectRoot } as const;
    const limited = { ...rules, projectRoot, workingDirectory: "project" } as const;
    const decideIn = (cwd: string) => decide({ ...call, input: { command: "ls", cwd }, rules: limited });
    expect(await decideIn("src")).toEqual(run);
    expect(await decideIn(join(root, "in"))).toEqual(run);
    expect(await decideIn("..")).toEqual({
      decision: "deny",
      code: "DENIED",
      reason: `${root} is outside the project; give a cwd inside ${projectRoot}`,
    });
    expect(await decideIn("out")).toMatchObject({ code: "DENIED" });
    expect(await decide({ ...call, tool: named("write"), input: {}, cwd: "/", rules: limited })).toEqual(run);
  });

  test.each([
    ["exec", { language: "javascript", code: "1" }],
    ["exec", { language: "bash", code: "ls" }],
    ["python", { cells: [{ code: "1" }] }],
    ["python_run", { code: "1" }],
  ])("of every tool that runs code: %s %j", async (name, input) => {
    const { root, projectRoot } = project();
    const call = { mode: "auto", tool: named(name), cwd: projectRoot } as const;
    const limited = { ...rules, home: root, projectRoot, workingDirectory: "project" } as const;
    expect(await decide({ ...call, input: { ...input, cwd: "src" }, rules: limited })).toEqual(run);
    for (const cwd of ["..", "~", "/"])
      expect(await decide({ ...call, input: { ...input, cwd }, rules: limited })).toMatchObject({
        code: "DENIED",
      });
  });

  test.each(["%cd /", "cd ..", "!cd / && ls"])("and %j in a cell", async (code) => {
    const { projectRoot } = project();
    const limited = { ...rules, projectRoot, workingDirectory: "project" } as const;
    const call = { mode: "auto", tool: named("python"), cwd: projectRoot, rules: limited } as const;
    expect(await decide({ ...call, input: { cells: [{ code }] } })).toMatchObject({ code: "DENIED" });
  });
});

describe("a yes can last", () => {
  async function askedFor(command: string, grants: Grants) {
    const decision = await decideBash(command, { mode: "ask", grants });
    if (decision.decision !== "ask") throw new Error(`expected a question, got ${decision.decision}`);
    return decision.subject;
  }

  test("for the session: the words of the command, whatever follows them", async () => {
    const grants = new Grants();
    expect(grants.remember(await askedFor("npm publish --tag a", grants), "session")).toBe("session");
    expect(await decideBash("npm publish --tag b", { mode: "ask", grants })).toEqual(run);
    expect(await decideBash("npm login", { mode: "ask", grants })).toMatchObject({ decision: "ask" });
  });

  test("a command that words cannot describe: exactly that text", async () => {
    const grants = new Grants();
    expect(grants.remember(await askedFor("date > x", grants), "always")).toBe("session");
    expect(await decideBash("date > x", { mode: "ask", grants })).toEqual(run);
    expect(await decideBash("date > y", { mode: "ask", grants })).toMatchObject({ decision: "ask" });
  });

  test("always: the words go to the store", async () => {
    const stored: string[] = [];
    const grants = new Grants({ allowAlways: (patterns) => stored.push(...patterns) });
    expect(grants.remember(await askedFor("rm -r build && kubectl apply -f x", grants), "always")).toBe(
      "always",
    );
    expect(stored).toEqual(["rm -r build", "kubectl apply"]);
    expect(await decideBash("kubectl apply -f y", { mode: "ask", grants })).toEqual(run);
    expect(await decideBash("rm -r src", { mode: "ask", grants })).toMatchObject({ decision: "ask" });
  });

  test("a tool: all its calls in this session", async () => {
    const grants = new Grants();
    const call = { mode: "ask", tool: named("write"), input: {}, cwd: "/tmp", rules, grants } as const;
    const first = await decide(call);
    if (first.decision !== "ask") throw new Error("expected a question");
    expect(grants.remember(first.subject, "always")).toBe("session");
    expect(await decide(call)).toEqual(run);
    expect(await decide({ ...call, tool: named("edit") })).toMatchObject({ decision: "ask" });
  });

  test("no yes opens what is dangerous", async () => {
    const grants = new Grants();
    const subject = { tool: "bash", summary: "", command: "rm -rf /", patterns: ["rm"] };
    grants.remember(subject, "session");
    expect(await decideBash("rm -rf /", { mode: "ask", grants })).toMatchObject({ code: "DANGEROUS" });
  });
});
