/** Where omp's files are. Creates and reads nothing, and imports nothing heavy. */

import { existsSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { isOwn } from "./project-file.ts";

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

export interface OmpPaths {
  /** The user's own home. */
  readonly userHome: string;
  /** `OMP_HOME` or `~/.omp`; contains all of the following. */
  readonly home: string;
  readonly settingsFile: string;
  /** What it was called before: a name that oh-my-pi uses, too. */
  readonly earlierSettingsFile: string;
  /** What oh-my-pi renames that one to. */
  readonly renamedSettingsFile: string;
  readonly sessions: string;
  /** Likewise. */
  readonly earlierSessions: string;
  readonly artifacts: string;
  /** Inputs that are too large for a prompt, by session. */
  readonly inputs: string;
  /** The files of projects over time. */
  readonly files: string;
  readonly modules: string;
  readonly pythonGateway: string;
  /** Records of the kernels that each omp process has in external gateways. */
  readonly gatewayKernels: string;
  /** What each omp process has running; see guard-record.ts. */
  readonly running: string;
  /** Shows that omp wrote the variables that it restores. */
  readonly variablesKey: string;
  /** The projects that the user trusts. */
  readonly trustFile: string;
  /** The user's MCP servers; oh-my-pi owns the name `mcp.json`. */
  readonly mcpFile: string;
  /** The user's logins to MCP servers. */
  readonly mcpLoginsFile: string;
  /** Facts about interpreters; can be deleted at any time. */
  readonly interpreterCache: string;
  /** What interpreters borrow; can be deleted at any time. */
  readonly loanCache: string;
  /** Where poetry and uv said that a project's environment is; can be deleted at any time. */
  readonly toolEnvironmentCache: string;
  /** The managed environment, made by `omp setup`. */
  readonly pythonEnvironment: string;
  /** Programs for environments that lack them. */
  readonly lentPrograms: string;
  /** What lends ipykernel to Pythons of other versions than the managed environment's; made when needed. */
  readonly pythonLoans: string;
}

export function ompPaths({ env }: { readonly env: EnvironmentVariables }): OmpPaths {
  const userHome = resolve(env["HOME"] || homedir());
  const home = ompHome(env["OMP_HOME"], userHome);
  const agent = join(home, "agent");
  return {
    userHome,
    home,
    settingsFile: join(agent, "omp.jsonc"),
    earlierSettingsFile: join(agent, "settings.json"),
    renamedSettingsFile: join(agent, "settings.json.bak"),
    sessions: join(agent, "omp-sessions"),
    earlierSessions: join(agent, "sessions"),
    artifacts: join(agent, "artifacts"),
    inputs: join(agent, "inputs"),
    files: join(agent, "omp-files"),
    modules: join(agent, "modules"),
    pythonGateway: join(agent, "python-gateway"),
    gatewayKernels: join(agent, "gateway-kernels"),
    running: join(agent, "running"),
    variablesKey: join(agent, "variables.key"),
    trustFile: join(agent, "trust.json"),
    mcpFile: join(agent, "omp-mcp.json"),
    mcpLoginsFile: join(agent, "omp-mcp-logins.json"),
    interpreterCache: join(agent, "cache", "interpreters.json"),
    loanCache: join(agent, "cache", "loans.json"),
    toolEnvironmentCache: join(agent, "cache", "tool-environments.json"),
    pythonEnvironment: join(home, "python-env"),
    lentPrograms: join(home, "python-loans", "bin"),
    pythonLoans: join(home, "python-loans"),
  };
}

function ompHome(variable: string | undefined, userHome: string): string {
  if (!variable) return join(userHome, ".omp");
  // Service managers and .env files set variables without a shell, so the tilde may still be there.
  if (variable === "~" || variable.startsWith("~/")) return join(userHome, variable.slice(1));
  return resolve(variable);
}

export interface ProjectPaths {
  readonly root: string;
  readonly settingsFile: string;
  /** What it was called before: a name that oh-my-pi uses, too. */
  readonly earlierSettingsFile: string;
  readonly modules: string;
  /** The project's MCP servers, under the name that many agents read. */
  readonly mcpFile: string;
}

/** The project that a directory belongs to. */
export function projectPaths(cwd: string, paths: OmpPaths): ProjectPaths {
  return projectPathsIn(projectRoot(cwd, paths));
}

export function projectPathsIn(root: string): ProjectPaths {
  return {
    root,
    settingsFile: join(root, ".omp", "omp.jsonc"),
    earlierSettingsFile: join(root, ".omp", "settings.json"),
    modules: join(root, ".omp", "modules"),
    mcpFile: join(root, ".mcp.json"),
  };
}

/**
 * The nearest directory, upwards, with a `.git` (a file in worktrees) or a `.omp`; otherwise the directory itself.
 *
 * The owner of a project decides what omp runs and which instructions it follows there. So a directory that another user owns is
 * never a project (git has the same rule), and the search ends where other people's directories start: at the home, and at mount
 * points. omp's own home does not count either: it would turn the user's whole home into one project.
 */
export function projectRoot(
  cwd: string,
  { home, userHome }: Pick<OmpPaths, "home" | "userHome">,
  { uid }: { readonly uid?: number } = {},
): string {
  const start = resolve(cwd);
  const ownHomes = [realPath(home), realPath(join(userHome, ".omp"))];
  const limit = realPath(userHome);
  for (let directory = start; ; directory = dirname(directory)) {
    const marker = [".git", ".omp"]
      .map((name) => join(directory, name))
      .find((path) => existsSync(path) && !ownHomes.includes(realPath(path)));
    if (marker !== undefined && isOwn(directory, uid) && isOwn(marker, uid)) return directory;
    const parent = dirname(directory);
    if (parent === directory || realPath(directory) === limit || isMountPoint(directory, parent))
      return start;
  }
}

function isMountPoint(directory: string, parent: string): boolean {
  const [inner, outer] = [directory, parent].map((path) => statSync(path, { throwIfNoEntry: false })?.dev);
  return inner !== undefined && outer !== undefined && inner !== outer;
}

/** Resolves symlinks if the path exists: home directories are often reached through one. */
function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}
