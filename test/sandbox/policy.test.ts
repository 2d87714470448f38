import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findBackend } from "../../src/sandbox/backend.ts";
import { gitPlaces } from "../../src/sandbox/git-places.ts";
import { mayWrite, placesOf } from "../../src/sandbox/policy.ts";
import { seatbeltProfile } from "../../src/sandbox/seatbelt.ts";
import { syscallFilter } from "../../src/sandbox/syscall-filter.ts";
import { listeningSockets } from "../../src/sandbox/unix-sockets.ts";
import { describeSandbox, explainRefusal } from "../../src/sandbox/words.ts";
import { temporaryDirectory } from "../support/home.ts";
import { testSandbox } from "../support/sandbox.ts";

function place() {
  const base = temporaryDirectory();
  const path = (name: string) => join(base, name);
  for (const name of [
    "home/.omp/agent/cache",
    "home/.ssh",
    "project/.omp",
    "project/.claude/agents",
    "project/.git/hooks",
    "cache",
    "tmp",
  ])
    mkdirSync(path(name), { recursive: true });
  for (const name of [".git/config", ".mcp.json"]) writeFileSync(path(`project/${name}`), "");
  const policy = {
    ...{ projectRoot: path("project"), home: path("home"), ompHome: path("home/.omp") },
    ...{ allowedPaths: [path("cache"), path("gone")], readable: [path("home/.omp/agent/cache")] },
    temporaryDirectory: path("tmp"),
  };
  return { path, policy };
}

describe("what may be written", () => {
  test("is the project, the temporary directory and what the settings allow, but for what git and omp obey", () => {
    const { path, policy } = place();
    const places = placesOf({ ...policy, mode: "workspace" });
    const judged = (names: readonly string[]) => names.filter((name) => mayWrite(places, path(name)));
    symlinkSync(path("home"), path("project/link"));
    const yes = ["project/a/b", "project/.git/index", "tmp/x", "cache/x", "project"];
    expect(judged(yes)).toEqual(yes);
    const no = [
      ...[
        "home/x",
        "project/.git/hooks/x",
        "project/.git/config",
        "project/.omp/x",
        "project/.mcp.json",
        "project/.claude/agents/x.md",
        "home/.omp/agent/trust.json",
      ],
      ...["home/.ssh/x", "home/.omp/agent/cache/x", "project/link/x", "gone/x", "other"],
    ];
    expect(judged(no)).toEqual([]);
  });

  test("is nothing but the temporary directory where all is read-only", () => {
    const { path, policy } = place();
    const places = placesOf({ ...policy, mode: "read-only" });
    expect(["project/a", "cache/x", "tmp/x"].filter((name) => mayWrite(places, path(name)))).toEqual([
      "tmp/x",
    ]);
  });

  test("is refused where the project holds the home", async () => {
    const { policy } = place();
    const options = { ...policy, mode: "workspace", projectRoot: dirname(policy.home) } as const;
    await expect(testSandbox(options)).rejects.toThrow(
      /^sandbox: the project is '.*', which contains your home directory; .*\(SANDBOX_PROJECT\)$/,
    );
  });
});

describe("a linked worktree", () => {
  test("may write its repository only if that knows it", () => {
    const base = temporaryDirectory();
    const [main, tree] = [join(base, "main/.git"), join(base, "tree")];
    mkdirSync(join(main, "worktrees/tree"), { recursive: true });
    mkdirSync(tree);
    writeFileSync(join(tree, ".git"), `gitdir: ${main}/worktrees/tree\n`);
    expect(gitPlaces(tree)).toEqual({ writable: [], kept: [join(tree, ".git")] });
    writeFileSync(join(main, "worktrees/tree/gitdir"), `${tree}/.git\n`);
    expect(gitPlaces(tree).writable).toEqual([main, join(main, "worktrees/tree")]);
    expect(gitPlaces(tree).kept).toContain(join(main, "hooks"));
    expect(gitPlaces(base)).toEqual({ writable: [], kept: [] });
  });
});

test("sockets are found by their names in the file system", () => {
  const base = temporaryDirectory();
  const path = join(base, "a socket");
  const server = Bun.listen({ unix: path, socket: { data: () => undefined } });
  expect(listeningSockets()).toContain(path);
  server.stop(true);
  expect(listeningSockets(join(base, "no table"))).toEqual([]);
});

test("the filter of system calls is whole instructions, and there is none for an unknown machine", () => {
  for (const machine of ["x64", "arm64"]) {
    const filter = Buffer.from(syscallFilter(machine) ?? []);
    expect(filter.length % 8).toBe(0);
    // The last one allows what nothing before it has refused.
    expect(filter.subarray(-8).toString("hex")).toBe("060000000000ff7f");
  }
  expect(syscallFilter("mips")).toBeUndefined();
});

test("macOS gets the same places as a profile", () => {
  const profile = seatbeltProfile(
    [
      { kind: "hide", path: "/Users/me/.ssh" },
      { kind: "write", path: '/Users/me/pro"ject' },
      { kind: "read", path: '/Users/me/pro"ject/.git/hooks' },
    ],
    4711,
  );
  expect(profile).toBe(`(version 1)
(allow default)
(deny file-write*)
(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (regex #"^/dev/fd/"))
(deny file-read* file-write* (subpath "/Users/me/.ssh"))
(allow file-read-metadata (subpath "/Users/me/.ssh"))
(allow file-read* file-write* (subpath "/Users/me/pro\\"ject"))
(deny file-write* (subpath "/Users/me/pro\\"ject/.git/hooks"))
(allow file-read* (subpath "/Users/me/pro\\"ject/.git/hooks"))
(deny network*)
(allow network* (local unix-socket (subpath "/Users/me/pro\\"ject")) (remote unix-socket (subpath "/Users/me/pro\\"ject")))
(allow network-outbound (remote ip "localhost:4711"))
(deny process-info* (target others))
(allow process-info* (target same-sandbox))
(deny signal (target others))
(allow signal (target same-sandbox))
(deny appleevent-send)
`);
});

describe("a system that cannot do it", () => {
  test("is refused with what is wrong", () => {
    expect(() => findBackend("", "aix")).toThrow(
      "sandbox: there is none for aix; fix that, or run without: --sandbox off (SANDBOX_UNSUPPORTED)",
    );
    const bin = temporaryDirectory();
    writeFileSync(join(bin, "bwrap"), "#!/bin/sh\necho 'bwrap: no permissions' >&2\nexit 1\n");
    chmodSync(join(bin, "bwrap"), 0o755);
    expect(() => findBackend(bin)).toThrow(
      "sandbox: bubblewrap does not work here: bwrap: no permissions; fix that, or run without: --sandbox off (SANDBOX_FAILED)",
    );
  });
});

test("the model is told what programs may do, and what a refusal means", () => {
  const facts = {
    mode: "workspace",
    projectRoot: "/p",
    allowedPaths: ["/c"],
    allowedHosts: ["example.com"],
  } as const;
  expect(describeSandbox(facts)).toBe(
    "programs may write only in /p, /tmp and /c, and can reach only these hosts, over HTTP and HTTPS: example.com",
  );
  expect(describeSandbox({ ...facts, mode: "read-only", allowedHosts: [] })).toBe(
    "programs may write only in /tmp, and cannot reach the network",
  );
  expect(explainRefusal("OSError: [Errno 30] Read-only file system: '/etc/x'", facts)).toBe(
    "the sandbox is why: programs may write only in /p, /tmp and /c",
  );
  expect(explainRefusal("curl: (6) Could not resolve host: a", { ...facts, allowedHosts: [] })).toBe(
    "the sandbox is why: programs cannot reach the network",
  );
  expect(explainRefusal("No such file or directory", facts)).toBeUndefined();
});
