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

  test.each([
    ["npm publish --tag a", "npm publish --tag b"],
    ["rm build.log", "rm build.log -rf src"],
    ["rm build.log", "rm"],
    ["touch x", "/tmp/evil/touch x"],
    ["terraform plan", "terraform plan -destroy"],
  ])("for the session: %s, and not %s", async (command, other) => {
    const grants = new Grants();
    expect(grants.remember(await askedFor(command, grants), "session")).toBe("session");
    expect(await decideBash(command, { mode: "ask", grants })).toEqual(run);
    expect(await decideBash(`ls && ${command}`, { mode: "ask", grants })).toEqual(run);
    expect(await decideBash(other, { mode: "ask", grants })).toMatchObject({ decision: "ask" });
  });

  test("a program that is named by a path: exactly that text, and not for always", async () => {
    const grants = new Grants({ allowAlways: () => expect.unreachable() });
    expect(grants.remember(await askedFor("./build.sh x", grants), "always")).toBe("session");
    expect(await decideBash("./build.sh x", { mode: "ask", grants })).toEqual(run);
    expect(await decideBash("cd lib && ./build.sh x", { mode: "ask", grants })).toMatchObject({
      decision: "ask",
    });
  });

  test("a command that words cannot describe: exactly that text", async () => {
    const grants = new Grants();
    expect(grants.remember(await askedFor("date > x", grants), "always")).toBe("session");
    expect(await decideBash("date > x", { mode: "ask", grants })).toEqual(run);
    expect(await decideBash("date > y", { mode: "ask", grants })).toMatchObject({ decision: "ask" });
  });

  test.each([
    ["echo ls | sh", "echo 'rm -r src' | sh"],
    ["sh < a.sh", "sh < b.sh"],
    ["sh <<< ls", "sh <<< 'rm -r src'"],
    ["ls *.log | xargs rm", "ls src | xargs rm"],
    ["ls | (sh)", "ls x | (sh)"],
    ["for f in a; do sh; done < a.sh", "for f in a; do sh; done < b.sh"],
    ["if true; then sh; fi <<< ls", "sh <<< ls"],
    ["sh", "ls | sh"],
  ])("%j reads its input: a yes is not one to %j", async (command, other) => {
    const grants = new Grants();
    const subject = await askedFor(command, grants);
    expect(subject.patterns).toEqual(command === "sh" ? ["sh"] : undefined);
    grants.remember(subject, "session");
    expect(await decideBash(command, { mode: "ask", grants })).toEqual(run);
    expect(await decideBash(other, { mode: "ask", grants })).toMatchObject({ decision: "ask" });
  });

  test("another directory than where the shell stands is shown, and a yes is for there", async () => {
    const grants = new Grants();
    const call = (cwd: string | undefined) =>
      decide({
        ...{ mode: "ask", tool: named("bash"), cwd: "/tmp", rules, grants },
        input: { command: "make", cwd },
      });
    const elsewhere = await call("build");
    if (elsewhere.decision !== "ask") throw new Error("expected a question");
    expect(elsewhere.subject).toMatchObject({ directory: "/tmp/build", patterns: undefined });
    grants.remember(elsewhere.subject, "session");
    expect(await call("build")).toEqual(run);
    const here = await call(undefined);
    if (here.decision !== "ask") throw new Error("expected a question");
    expect(here.subject).toMatchObject({ directory: undefined, patterns: ["make"] });
    grants.remember(here.subject, "session");
    expect(await call("/tmp")).toEqual(run);
    expect(await call("other")).toMatchObject({ decision: "ask" });
  });

  test("always: the words go to the store", async () => {
    const stored: string[] = [];
    const grants = new Grants({ allowAlways: (patterns) => stored.push(...patterns) });
    expect(grants.remember(await askedFor("rm -r build && kubectl apply -f x", grants), "always")).toBe(
      "always",
    );
    expect(stored).toEqual(["rm -r build", "kubectl apply -f x"]);
    expect(await decideBash("kubectl apply -f x", { mode: "ask", grants })).toEqual(run);
    expect(await decideBash("kubectl apply -f y", { mode: "ask", grants })).toMatchObject({
      decision: "ask",
    });
    expect(await decideBash("rm -r src", { mode: "ask", grants })).toMatchObject({ decision: "ask" });
  });

  test("a file: changes of that file in this session, by whatever path", async () => {
    const cwd = temporaryDirectory();
    symlinkSync("a.txt", join(cwd, "link"));
    const grants = new Grants();
    const call = (name: string, path: string) =>
      decide({ mode: "ask", tool: named(name), input: { path }, cwd, rules, grants });
    const first = await call("write", "a.txt");
    if (first.decision !== "ask") throw new Error("expected a question");
    expect([first.subject.covers, grants.remember(first.subject, "always")]).toEqual([
      "this file",
      "session",
    ]);
    for (const path of ["a.txt", "./a.txt", "link"]) expect(await call("edit", path)).toEqual(run);
    expect(await call("write", "b.txt")).toMatchObject({ decision: "ask" });
  });

  test("python: any cell in this session, which is said", async () => {
    const grants = new Grants();
    const cell = (code: string) =>
      decide({
        mode: "ask",
        tool: named("python"),
        input: { cells: [{ code }] },
        cwd: "/tmp",
        rules,
        grants,
      });
    const first = await cell("1");
    if (first.decision !== "ask") throw new Error("expected a question");
    expect([first.subject.covers, grants.remember(first.subject, "always")]).toEqual(["any cell", "session"]);
    expect(await cell("2")).toEqual(run);
  });

  test("paths that lead elsewhere are named with what they lead to", async () => {
    const cwd = temporaryDirectory();
    symlinkSync("/etc/passwd", join(cwd, "notes"));
    symlinkSync("/etc", join(cwd, "dir"));
    const links = [{ path: "notes", target: "/etc/passwd" }];
    expect(await decideBash("tee notes plain", { mode: "ask", cwd })).toMatchObject({ subject: { links } });
    const input = { path: "dir/new" };
    expect(await decide({ mode: "ask", tool: named("write"), input, cwd, rules })).toMatchObject({
      subject: { links: [{ path: "dir/new", target: "/etc/new" }] },
    });
  });

  test("no yes opens what is dangerous", async () => {
    const grants = new Grants();
    const command = "rm -rf /";
    const words = {
      tool: "bash",
      summary: "",
      command,
      key: `bash ${command}`,
      covers: undefined,
      links: [],
    };
    grants.remember({ ...words, patterns: [command] }, "session");
    grants.remember({ ...words, patterns: undefined }, "session");
    expect(await decideBash("rm -rf /", { mode: "ask", grants })).toMatchObject({ code: "DANGEROUS" });
  });
});
