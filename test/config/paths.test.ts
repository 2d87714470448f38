import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { ompPaths, projectPaths, projectRoot } from "../../src/config/paths.ts";
import { temporaryDirectory, temporaryPlace } from "../support/home.ts";

test("everything is in ~/.omp", () => {
  expect(ompPaths({ env: { HOME: "/home/ada" } })).toEqual({
    userHome: "/home/ada",
    home: "/home/ada/.omp",
    settingsFile: "/home/ada/.omp/agent/omp.jsonc",
    earlierSettingsFile: "/home/ada/.omp/agent/settings.json",
    renamedSettingsFile: "/home/ada/.omp/agent/settings.json.bak",
    sessions: "/home/ada/.omp/agent/omp-sessions",
    earlierSessions: "/home/ada/.omp/agent/sessions",
    artifacts: "/home/ada/.omp/agent/artifacts",
    inputs: "/home/ada/.omp/agent/inputs",
    files: "/home/ada/.omp/agent/omp-files",
    modules: "/home/ada/.omp/agent/modules",
    pythonGateway: "/home/ada/.omp/agent/python-gateway",
    gatewayKernels: "/home/ada/.omp/agent/gateway-kernels",
    running: "/home/ada/.omp/agent/running",
    variablesKey: "/home/ada/.omp/agent/variables.key",
    trustFile: "/home/ada/.omp/agent/trust.json",
    mcpFile: "/home/ada/.omp/agent/omp-mcp.json",
    mcpLoginsFile: "/home/ada/.omp/agent/omp-mcp-logins.json",
    interpreterCache: "/home/ada/.omp/agent/cache/interpreters.json",
    loanCache: "/home/ada/.omp/agent/cache/loans.json",
    toolEnvironmentCache: "/home/ada/.omp/agent/cache/tool-environments.json",
    pythonEnvironment: "/home/ada/.omp/python-env",
    lentPrograms: "/home/ada/.omp/python-loans/bin",
    pythonLoans: "/home/ada/.omp/python-loans",
  });
});

test("OMP_HOME moves everything, and may start with a tilde", () => {
  const homeOf = (OMP_HOME: string) => ompPaths({ env: { HOME: "/home/ada", OMP_HOME } }).home;
  expect(homeOf("/srv/omp")).toBe("/srv/omp");
  expect(homeOf("~/other/omp")).toBe("/home/ada/other/omp");
  expect(homeOf("")).toBe("/home/ada/.omp");
  expect(homeOf("relative")).toBe(join(process.cwd(), "relative"));
});

test("without HOME the system's home directory is used", () => {
  expect(ompPaths({ env: {} }).userHome).toBe(homedir());
});

test("the project is the nearest directory upwards with .git or .omp", () => {
  const { home, project } = temporaryPlace();
  const paths = ompPaths({ env: { HOME: home } });
  const inner = join(project, "packages", "inner");
  const deep = join(inner, "src", "deep");
  mkdirSync(deep, { recursive: true });

  mkdirSync(join(project, ".git"));
  expect(projectRoot(deep, paths)).toBe(project);
  mkdirSync(join(inner, ".omp"));
  expect(projectRoot(deep, paths)).toBe(inner);
  expect(projectPaths(deep, paths)).toEqual({
    root: inner,
    settingsFile: join(inner, ".omp", "omp.jsonc"),
    earlierSettingsFile: join(inner, ".omp", "settings.json"),
    modules: join(inner, ".omp", "modules"),
    mcpFile: join(inner, ".mcp.json"),
  });
});

test("a worktree's .git file counts as well", () => {
  const { home, project } = temporaryPlace();
  mkdirSync(join(project, "src"));
  writeFileSync(join(project, ".git"), "gitdir: elsewhere\n");
  expect(projectRoot(join(project, "src"), ompPaths({ env: { HOME: home } }))).toBe(project);
});

test("a directory without a marker above it is its own project", () => {
  const { home, project } = temporaryPlace();
  expect(projectRoot(project, ompPaths({ env: { HOME: home } }))).toBe(project);
});

test("omp's own directory does not turn the home into a project", () => {
  const { home } = temporaryPlace();
  const work = join(home, "work");
  mkdirSync(work);
  mkdirSync(join(home, ".omp"));
  expect(projectRoot(work, ompPaths({ env: { HOME: home } }))).toBe(work);
  // Neither when it is not in use,
  expect(projectRoot(work, ompPaths({ env: { HOME: home, OMP_HOME: join(home, "else") } }))).toBe(work);
  // nor when the home is reached by another name,
  const link = join(temporaryDirectory(), "ada");
  symlinkSync(home, link);
  expect(projectRoot(work, ompPaths({ env: { HOME: link } }))).toBe(work);
  // nor when OMP_HOME points at a .omp somewhere else.
  mkdirSync(join(work, ".omp"));
  mkdirSync(join(work, "a"));
  const moved = ompPaths({ env: { HOME: home, OMP_HOME: join(work, ".omp") } });
  expect(projectRoot(join(work, "a"), moved)).toBe(join(work, "a"));
});

test("a home that is a repository is a project", () => {
  const { home } = temporaryPlace();
  mkdirSync(join(home, ".git"));
  mkdirSync(join(home, ".omp"));
  mkdirSync(join(home, "work"));
  expect(projectRoot(join(home, "work"), ompPaths({ env: { HOME: home } }))).toBe(home);
});

test("a directory that another user owns is never a project", () => {
  const { home, project } = temporaryPlace();
  const paths = ompPaths({ env: { HOME: home } });
  const inner = join(project, "src");
  mkdirSync(inner);
  mkdirSync(join(project, ".omp"));
  mkdirSync(join(project, ".git"));
  expect(projectRoot(inner, paths)).toBe(project);
  const somebodyElse = (process.geteuid?.() ?? 0) + 1;
  expect(projectRoot(inner, paths, { uid: somebodyElse })).toBe(inner);
});

test("the search ends at the home: what is above it belongs to others", () => {
  const { home } = temporaryPlace();
  const work = join(home, "work");
  mkdirSync(work);
  mkdirSync(join(home, "..", ".git"));
  expect(projectRoot(work, ompPaths({ env: { HOME: home } }))).toBe(work);
});

test("the search ends at a mount point", () => {
  const { home } = temporaryPlace();
  // The one directory that is a mount point wherever tests run, with a parent that has no project mark of its own.
  expect(projectRoot("/proc", ompPaths({ env: { HOME: home } }))).toBe("/proc");
});
