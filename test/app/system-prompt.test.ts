import { beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { contextFiles } from "../../src/app/context-files.ts";
import { promptFor, systemPrompt } from "../../src/app/system-prompt.ts";
import { temporaryDirectory } from "../support/home.ts";

const all = ["python", "bash", "bash_output", "kill_shell", "read", "write", "edit", "grep", "find", "ls"];
const parts = {
  replacement: undefined,
  appendix: undefined,
  toolNames: all,
  cwd: "/project",
  platform: "linux x64",
  date: "2026-01-02",
  git: true,
  python: { path: "/usr/bin/python3", version: "3.12.1", packages: ["numpy 2.1", "pandas 2.2"] },
  kernelElsewhere: undefined,
  contextFiles: [],
};

describe("the system prompt", () => {
  test("says where the model is, and which Python it has", () => {
    expect(systemPrompt(parts)).toEndWith(`# Where you are

- Working directory: /project (a git repository)
- System: linux x64
- Date: 2026-01-02
- Python: 3.12.1 at /usr/bin/python3, with numpy 2.1, pandas 2.2`);
  });

  test("says that the kernel does not see the project when it runs elsewhere", () => {
    const elsewhere = "in the Jupyter gateway 'lab' (hub.example.org)";
    expect(systemPrompt({ ...parts, python: undefined, kernelElsewhere: elsewhere })).toEndWith(
      "\n- Python: the kernel runs in the Jupyter gateway 'lab' (hub.example.org) and does not see these files",
    );
  });

  test("says which Python runs scripts where that is not the kernel's", () => {
    const { python: scriptPython, ...others } = parts;
    const withScripts = { ...others, python: undefined, scriptPython };
    const line = "3.12.1 at /usr/bin/python3, with numpy 2.1, pandas 2.2";
    expect(systemPrompt(withScripts)).toEndWith(`\n- Python: ${line}`);
    expect(systemPrompt({ ...withScripts, kernelElsewhere: "on lab" })).toEndWith(
      `\n- Python: the kernel runs on lab and does not see these files\n- Python of scripts: ${line}`,
    );
  });

  test("says that the kernel belongs to someone else, with the Python that it reported", () => {
    const kernelBorrowed = "where it was running already: /run/kernel-1.json";
    const python = { path: "/run/kernel-1.json", version: "3.12.1", packages: ["IPython 9.1.0"] };
    expect(systemPrompt({ ...parts, python, kernelBorrowed })).toEndWith(
      "\n- Python: the kernel (Python 3.12.1) belongs to someone else and runs where it was running already: /run/kernel-1.json",
    );
    expect(systemPrompt({ ...parts, python: undefined, kernelBorrowed })).toEndWith(
      "\n- Python: the kernel belongs to someone else and runs where it was running already: /run/kernel-1.json",
    );
  });

  test.each([
    [all, ["- `python`", "- `bash`", "- File tools"]],
    [
      ["python", "read"],
      ["- `python`", "- File tools"],
    ],
    [["bash"], ["- `bash`"]],
    [["ls"], ["- File tools"]],
  ])("with %p it mentions only those tools", (toolNames, mentioned) => {
    const [, section = ""] = systemPrompt({ ...parts, toolNames }).split("# Your tools\n\n");
    const lines = section.split("\n\n", 1)[0]?.split("\n") ?? [];
    expect(lines.map((line) => /^- (?:`\w+`|File tools)/.exec(line)?.[0])).toEqual(mentioned);
  });

  test("without tools none are mentioned", () => {
    expect(systemPrompt({ ...parts, toolNames: [], python: undefined })).not.toMatch(
      /your tools|python|bash/i,
    );
  });

  test("a replacement keeps the location and the project's instructions; an appendix is last", () => {
    const prompt = systemPrompt({
      ...parts,
      replacement: "You are a poet.",
      appendix: "In rhymes.",
      python: undefined,
      contextFiles: [{ path: "/project/AGENTS.md", text: "Use tabs." }],
    });
    expect(prompt).toBe(`You are a poet.

# Where you are

- Working directory: /project (a git repository)
- System: linux x64
- Date: 2026-01-02

# From /project/AGENTS.md

Use tabs.

In rhymes.`);
  });
});

test("a tool's prompt loses the lines that name a missing tool, and no others", () => {
  const prompt =
    "Runs code.\n\n- Use `bash` for git.\n- `bash(command)`: runs it.\n- `exec` replaces the shell.";
  expect(promptFor(prompt, all)).toBe(prompt);
  expect(promptFor(prompt, ["python", "read"])).toBe("Runs code.\n\n- `exec` replaces the shell.");
});

describe("context files", () => {
  let root: string;
  let ompHome: string;
  beforeEach(() => {
    root = temporaryDirectory();
    ompHome = join(root, "home", ".omp");
    mkdirSync(join(ompHome, "agent"), { recursive: true });
    mkdirSync(join(root, "project", "src", "deep"), { recursive: true });
    mkdirSync(join(root, "project", ".omp"));
  });
  const put = (path: string, text: string) => writeFileSync(join(root, path), text);
  const found = (cwd: string) =>
    contextFiles({
      cwd: join(root, cwd),
      projectRoot: join(root, "project"),
      userHome: join(root, "home"),
      ompHome,
    }).map(({ path, text }) => [path.slice(root.length + 1), text]);

  test("from the home and from the project's root down, the nearest last", () => {
    put("home/.omp/agent/AGENTS.md", "mine\n");
    put("home/AGENTS.md", "not read: omp's own home goes first");
    put("home/.omp/SYSTEM.md", "for omp, everywhere");
    put("AGENTS.md", "above the project");
    put("project/CLAUDE.md", "project");
    put("project/.omp/SYSTEM.md", "for omp");
    put("project/src/AGENTS.md", "sources");
    put("project/src/CLAUDE.md", "not read: the first name speaks for the directory");
    expect(found("project/src/deep")).toEqual([
      ["home/.omp/agent/AGENTS.md", "mine"],
      ["home/.omp/SYSTEM.md", "for omp, everywhere"],
      ["project/CLAUDE.md", "project"],
      ["project/.omp/SYSTEM.md", "for omp"],
      ["project/src/AGENTS.md", "sources"],
    ]);
    expect(found("project").map(([path]) => path)).not.toContain("project/src/AGENTS.md");
  });

  test("who works in the home meets its files once", () => {
    put("home/CLAUDE.md", "home");
    const home = join(root, "home");
    const files = contextFiles({ cwd: home, projectRoot: home, userHome: home, ompHome });
    expect(files).toEqual([{ path: join(home, "CLAUDE.md"), text: "home" }]);
  });

  test("a link out of the project says nothing: it could be to a file with keys in it", () => {
    put("secret", "KEY=1");
    symlinkSync("/proc/self/environ", join(root, "project/AGENTS.md"));
    symlinkSync("../secret", join(root, "project/.omp/SYSTEM.md"));
    symlinkSync("/dev/zero", join(root, "project/src/AGENTS.md"));
    expect(found("project/src")).toEqual([]);
  });

  test("empty files, directories, dead links and links to each other say nothing; a huge file is cut", () => {
    put("project/AGENTS.md", " \n");
    mkdirSync(join(root, "project/src/AGENTS.md"));
    symlinkSync("/nowhere", join(root, "project/src/CLAUDE.md"));
    symlinkSync("CLAUDE.md", join(root, "project/src/deep/AGENTS.md"));
    symlinkSync("AGENTS.md", join(root, "project/src/deep/CLAUDE.md"));
    put("project/.omp/SYSTEM.md", "x".repeat(50_000));
    expect(found("project/src/deep")).toEqual([["project/.omp/SYSTEM.md", `${"x".repeat(40_000)}\n[cut]`]]);
  });
});
