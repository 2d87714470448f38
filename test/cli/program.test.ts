import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json" with { type: "json" };
import { cliPage, cliText } from "../../scripts/cli-docs.ts";
import { temporaryPlace } from "../support/home.ts";
import { launcher, omp, userEnvironment } from "../support/omp.ts";

test("docs/cli.md is what the program's help says (bun scripts/cli-docs.ts writes it)", () => {
  expect(readFileSync(cliPage, "utf8")).toBe(cliText());
});

test("--version prints the version and nothing else", async () => {
  expect(await omp(["--version"], { place: temporaryPlace() })).toEqual({
    exitCode: 0,
    stdout: `${version}\n`,
    stderr: "",
  });
});

test("--help goes to stdout", async () => {
  const { exitCode, stdout, stderr } = await omp(["--help"], { place: temporaryPlace() });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toStartWith("Usage: omp ");
});

test("help is a command, too, and no prompt", async () => {
  const place = temporaryPlace();
  expect(await omp(["help"], { place })).toEqual(await omp(["--help"], { place }));
  expect(await omp(["help", "sessions"], { place })).toEqual(await omp(["sessions", "--help"], { place }));
});

describe("bad usage is one line on stderr and exit 2", () => {
  test.each([
    [["--nonsense"], "omp: unknown option '--nonsense' (USAGE)\n"],
    [["config", "lst"], "omp: unknown command 'lst'; did you mean list? (USAGE)\n"],
    [["--foo"], "omp: unknown option '--foo'; did you mean --fork? (USAGE)\n"],
    [["help", "nonsense"], "omp: unknown command 'nonsense' (USAGE)\n"],
    [
      ["sesions"],
      "omp: unknown command 'sesions'; did you mean sessions? To send it as a prompt: omp -- 'sesions' (USAGE)\n",
    ],
    [
      ["kernal", "list"],
      "omp: unknown command 'kernal'; did you mean kernel? To send it as a prompt: omp -- 'kernal' (USAGE)\n",
    ],
    [
      ["models", "are", "slow"],
      "omp: too many arguments for 'models': expected 0 arguments but got 2 (USAGE)\n",
    ],
    [
      ["fix", "the", "bug"],
      'omp: the prompt must be one argument, not 3; put it in quotes: omp "fix the …" (USAGE)\n',
    ],
    [["artifact"], "omp: missing required argument 'id' (USAGE)\n"],
    [["completion", "tcsh"], "completion: no completion for 'tcsh'; available for bash, zsh, fish (USAGE)\n"],
    [
      ["-C", "/nowhere/at/all", "doctor"],
      "omp: Working directory does not exist '/nowhere/at/all' (ENOENT)\n",
    ],
    [["-C", "/etc/passwd", "doctor"], "omp: Working directory is not a directory '/etc/passwd' (ENOTDIR)\n"],
    [["--model", "demo", "models"], "omp: --model cannot be used with 'omp models' (USAGE)\n"],
    [["--no-tools", "sessions", "list"], "omp: --no-tools cannot be used with 'omp sessions list' (USAGE)\n"],
    [
      ["--dry-run", "config", "set", "approval", "ask"],
      "omp: --dry-run cannot be used with 'omp config set' (USAGE)\n",
    ],
    [
      ["-p", "tool"],
      "omp: --print cannot be used with 'omp tool'; to send 'tool' as a prompt: omp -p -- tool (USAGE)\n",
    ],
    [
      ["run", "report.ipynb", "-p", "n", "1", "--help"],
      "omp: 'omp run' is planned but not available in this version; to send it as a prompt: omp \"run …\" (USAGE)\n",
    ],
    [
      ["acp", "--trust"],
      "omp: 'omp acp' is planned but not available in this version; to send it as a prompt: omp -- acp (USAGE)\n",
    ],
    [["sessions", "rewind", "x"], "rewind: give either --to <n> or --undo (USAGE)\n"],
    [
      ["sessions", "rewind", "x", "--to", "0"],
      "omp: option '--to <n>' argument '0' is invalid: it must be a whole number from 1 (USAGE)\n",
    ],
    [
      ["sessions", "export", "x", "--format", "ipynb"],
      "omp: option '--format <format>' argument 'ipynb' is invalid: allowed choices are markdown, html (USAGE)\n",
    ],
    [["trust", "/nowhere/at/all"], "trust: no such directory '/nowhere/at/all' (ENOENT)\n"],
    [["trust", "--revoke", "/nowhere/at/all"], "trust: no such directory '/nowhere/at/all' (ENOENT)\n"],
    [["trust", "/dev/null"], "trust: '/dev/null' is not a directory (ENOTDIR)\n"],
    [["help", "acp"], "omp: unknown command 'acp' (USAGE)\n"],
    [
      ["commit"],
      "omp: 'omp commit' is a command of oh-my-pi; this omp (ompy) is a different program; to send it as a prompt: omp -- commit (USAGE)\n",
    ],
    [
      ["update", "--check", "--help"],
      "omp: 'omp update' is a command of oh-my-pi; this omp (ompy) is a different program; to send it as a prompt: omp \"update …\" (USAGE)\n",
    ],
    [
      ["plugin", "install", "x"],
      "omp: 'omp plugin' is a command of oh-my-pi; this omp (ompy) is a different program; to send it as a prompt: omp \"plugin …\" (USAGE)\n",
    ],
  ])("omp %p", async (args, stderr) => {
    expect(await omp(args, { place: temporaryPlace() })).toEqual({ exitCode: 2, stdout: "", stderr });
  });
});

describe("options before a command hold for it", () => {
  const touch = ["tool", "--json", "bash", '{"command":"touch made"}'];

  test.each([
    [["--dry-run"], false, "[Dry Run] Would execute: touch made"],
    [
      ["--approval", "read-only"],
      true,
      "bash: blocked: read-only mode runs only tools that make no changes (DENIED)",
    ],
    [
      ["--sandbox", "read-only"],
      true,
      "touch: cannot touch 'made': Read-only file system\nExit code: 1\n[the sandbox is why: programs may write only in /tmp; only the user can change that]",
    ],
  ])("omp %p tool", async (options, is_error, output) => {
    const place = temporaryPlace();
    const { stdout, stderr } = await omp([...options, ...touch], { place });
    expect({ ...JSON.parse(stdout), stderr }).toMatchObject({ name: "bash", is_error, output, stderr: "" });
    expect(existsSync(join(place.project, "made"))).toBe(false);
  });

  test("the one after its name wins", async () => {
    const { stdout } = await omp(["--approval", "read-only", ...touch, "--approval", "auto"], {
      place: temporaryPlace(),
    });
    expect(JSON.parse(stdout)).toMatchObject({ is_error: false });
  });
});

describe("is a prompt, and not a command that was misspelt", () => {
  test.each([
    [["--", "sesions"]],
    [["--", "--help"]],
    [["--", "doctor"]],
    [["--", "help"]],
    [["--", "mcp"]],
    [["--", "commit"]],
    [["commit my work"]],
    [["run the tests"]],
    [["-p", "-C", ".", "--", "tool"]],
    [["-p", "kernal"]],
    [["fix"]],
    [["todo"]],
    [["kernal list is slow"]],
    [["explain"]],
  ])("omp %p", async (args) => {
    const { exitCode, stderr } = await omp(args, { place: temporaryPlace() });
    expect({ exitCode, stderr: stderr.slice(0, 27) }).toEqual({
      exitCode: 3,
      stderr: "model: no model is configur",
    });
  });
});

describe("in a directory that somebody has removed", () => {
  async function ompNowhere(...args: string[]) {
    const place = temporaryPlace();
    const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"';
    const child = Bun.spawn(["bash", "-c", script, launcher, ...args], {
      cwd: place.project,
      env: userEnvironment(place),
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout, stderr] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    // The system's shell, which starts omp, may have something to say, too.
    const own = stderr.split("\n").filter((line) => line !== "" && !line.includes("getcwd"));
    return { exitCode: await child.exited, stdout, own };
  }

  test("one line says so", async () => {
    expect(await ompNowhere("config", "path")).toEqual({
      exitCode: 2,
      stdout: "",
      own: ["omp: Working directory no longer exists (ENOENT)"],
    });
  });

  test("-C names another", async () => {
    expect(await ompNowhere("-C", "/", "tool", "bash", '{"command":"pwd"}')).toEqual({
      exitCode: 0,
      stdout: "/\n",
      own: [],
    });
  });
});

test("a directory as stdin is one line and exit 2", async () => {
  const place = temporaryPlace();
  for (const args of [
    ["tool", "ls", "-"],
    ["tool", "--batch"],
  ]) {
    const child = Bun.spawn(["bash", "-c", 'exec "$0" "$@" < .', launcher, ...args], {
      cwd: place.project,
      env: userEnvironment(place),
      stdout: "pipe",
      stderr: "pipe",
    });
    expect(await new Response(child.stderr).text()).toBe("omp: cannot read stdin (EISDIR)\n");
    expect(await child.exited).toBe(2);
  }
});

test.each([[["config", "list"]], [["--help"]]])(
  "output that cannot be written is an error: %p",
  async (args) => {
    const place = temporaryPlace();
    const child = Bun.spawn([launcher, ...args], {
      cwd: place.project,
      env: userEnvironment(place),
      stdout: Bun.file("/dev/full"),
      stderr: "pipe",
    });
    expect(await new Response(child.stderr).text()).toBe("omp: cannot write to stdout (ENOSPC)\n");
    expect(await child.exited).toBe(1);
  },
);

test("what cannot be told does not change how it ended", async () => {
  const place = temporaryPlace();
  const child = Bun.spawn([launcher, "--no-such-option"], {
    cwd: place.project,
    env: userEnvironment(place),
    stdout: "ignore",
    stderr: Bun.file("/dev/full"),
  });
  expect(await child.exited).toBe(2);
});

test("a reader that goes away is not an error", async () => {
  const place = temporaryPlace();
  const pipeline = Bun.spawn(
    ["bash", "-c", `"${launcher}" config list | head -1; echo "\${PIPESTATUS[0]}"`],
    {
      cwd: place.project,
      env: userEnvironment(place),
      stdout: "pipe",
      stderr: "pipe",
    },
  );
  const [stdout, stderr] = await Promise.all([
    new Response(pipeline.stdout).text(),
    new Response(pipeline.stderr).text(),
  ]);
  expect(stdout.split("\n").slice(1)).toEqual(["0", ""]);
  expect(stderr).toBe("");
});

describe("completion", () => {
  test("in bash offers commands, options and sub-commands", async () => {
    const place = temporaryPlace();
    const { stdout: script } = await omp(["completion", "bash"], { place });
    const file = join(place.home, "completion.bash");
    writeFileSync(file, script);
    const complete = async (words: string) => {
      const lines = [
        `source "${file}"`,
        `COMP_WORDS=(${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _omp`,
        `printf '%s\\n' "\${COMPREPLY[@]}"`,
      ];
      const child = Bun.spawn(["bash", "-c", lines.join("\n")], { cwd: place.project, stdout: "pipe" });
      return (await new Response(child.stdout).text()).trim().split("\n");
    };
    expect(await complete("omp do")).toEqual(["doctor"]);
    expect(await complete("omp config s")).toEqual(["set"]);
    expect(await complete("omp tool --ba")).toEqual(["--batch"]);
    expect(await complete("omp -m demo -C src --appr")).toEqual(["--approval"]);
    expect(await complete("omp -C .. config s")).toEqual(["set"]);
    // Files are bash's own to complete: it knows how to write their names.
    writeFileSync(join(place.project, "do it.txt"), "");
    expect(await complete("omp -o do")).toEqual([""]);
    expect(script).toEndWith("\ncomplete -o default -F _omp omp\n");
  });

  test.each(["zsh", "fish"])("%s names every command", async (shell) => {
    const { stdout } = await omp(["completion", shell], { place: temporaryPlace() });
    for (const command of ["tool", "setup", "doctor", "config", "artifact", "models", "completion"]) {
      expect(stdout).toContain(`'${command}'`);
    }
  });
});
