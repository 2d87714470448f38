/**
 * The environments of poetry and uv, which may be anywhere: where a lock file of theirs is in the project and the tool is on PATH, the
 * tool itself is asked. Both read what the project says, so only a trusted project's are asked about.
 *
 * Answers are remembered on disk as long as the lock file, its neighbours and the tool are as they were; that there is no
 * environment is remembered for a moment only, as it may be made by the next command.
 */

import { join, relative, resolve } from "node:path";
import { asRecord, isRecord, parseJson } from "../protocol/record.ts";
import { type Environment, findOnPath, isFile } from "./executable.ts";
import { directoriesUpTo, pythonIn, type ToolEnvironment } from "./interpreter.ts";
import { lastLine, runCommand } from "./run-command.ts";
import { modified, StampedCache } from "./stamped-cache.ts";

/** poetry takes a second; one that waits for a network is not waited for. */
const TIMEOUT_MS = 10_000;
const NONE_LASTS_MS = 20_000;

export interface ToolSearch {
  readonly cwd: string;
  readonly projectRoot: string;
  /** To find the tools, and for them to work with. */
  readonly env: Environment;
  readonly childEnv: Readonly<Record<string, string>>;
  readonly cacheFile: string;
  readonly timeoutMs?: number | undefined;
}

interface Tool {
  readonly source: ToolEnvironment["source"];
  readonly lock: string;
  /** Files beside the lock that say where the environment is. */
  readonly beside: readonly string[];
  /** Variables that say so. */
  readonly variables: readonly string[];
  readonly arguments: readonly string[];
  readonly read: (stdout: string) => string | undefined;
}

const tools: readonly Tool[] = [
  {
    source: "poetry",
    lock: "poetry.lock",
    beside: ["pyproject.toml", "poetry.toml"],
    variables: ["POETRY_VIRTUALENVS_PATH", "POETRY_CACHE_DIR", "XDG_CACHE_HOME", "HOME"],
    // Without plugins: a project can bring its own, and they would run here.
    arguments: ["--no-plugins", "--no-interaction", "--no-ansi", "env", "info", "--path"],
    read: (stdout) => lastLine(stdout),
  },
  {
    source: "uv",
    lock: "uv.lock",
    beside: ["pyproject.toml", "uv.toml", ".python-version"],
    variables: ["UV_PROJECT_ENVIRONMENT"],
    // Changes nothing; of uv's commands this is the one that names the project's environment.
    arguments: [
      ...["sync", "--frozen", "--dry-run", "--offline", "--no-python-downloads", "--quiet"],
      ...["--output-format", "json"],
    ],
    read: (stdout) => {
      const { path } = asRecord(asRecord(asRecord(parseJson(stdout))["sync"])["environment"]);
      return typeof path === "string" ? path : undefined;
    },
  },
];

export class ToolEnvironments {
  readonly #search: ToolSearch;
  readonly #none = new Map<string, { readonly until: number; readonly answer: ToolEnvironment }>();

  constructor(search: ToolSearch) {
    this.#search = search;
  }

  readonly find = async (): Promise<readonly ToolEnvironment[]> => {
    const { cwd, projectRoot, env } = this.#search;
    const directories = directoriesUpTo(resolve(cwd), resolve(projectRoot));
    const found = tools.map(async (tool) => {
      const directory = directories.find((each) => isFile(join(each, tool.lock)));
      const program = directory && findOnPath(tool.source, { env, cwd });
      if (directory === undefined || program === undefined) return [];
      return [await this.#ask(tool, program, directory)];
    });
    return (await Promise.all(found)).flat();
  };

  async #ask(tool: Tool, program: string, directory: string): Promise<ToolEnvironment> {
    const { env, cacheFile, projectRoot } = this.#search;
    const files = [program, ...[tool.lock, ...tool.beside].map((name) => join(directory, name))];
    const stamp = JSON.stringify([
      ...files.map(modified),
      ...tool.variables.map((name) => env[name] ?? null),
    ]);
    const cache = new StampedCache(cacheFile, readPath);
    const known = cache.find(`${program} ${directory}`, stamp);
    // An environment that has been removed since is asked for again.
    if (known !== undefined && typeof pythonIn(known, {}) === "string")
      return named(tool, known, projectRoot);
    const none = this.#none.get(directory + stamp);
    if (none !== undefined && Date.now() < none.until) return none.answer;
    const answer = await this.#run(tool, program, directory);
    if (answer.problem === undefined) cache.remember(`${program} ${directory}`, stamp, { path: answer.path });
    else this.#none.set(directory + stamp, { until: Date.now() + NONE_LASTS_MS, answer });
    return answer;
  }

  async #run(tool: Tool, program: string, directory: string): Promise<ToolEnvironment> {
    const { childEnv, projectRoot, timeoutMs = TIMEOUT_MS } = this.#search;
    const { signal } = new AbortController();
    const argv = [program, ...tool.arguments];
    const command = { argv, cwd: directory, env: { ...childEnv }, timeoutMs, signal };
    const { stdout, problem } = await runCommand(command);
    const path = problem === undefined ? tool.read(stdout) : undefined;
    const lock = join(directory, tool.lock);
    if (path === undefined) {
      const why = problem?.startsWith("did not answer") ? `: ${tool.source} ${problem}` : "";
      return { source: tool.source, path: lock, problem: `names no environment${why}` };
    }
    return named(tool, resolve(directory, path), projectRoot);
  }
}

/** An environment inside the project that is not one of the usual names has not been shown to the user, who has to name it himself. */
function named({ source }: Tool, path: string, projectRoot: string): ToolEnvironment {
  if (relative(projectRoot, path).startsWith("..") || [".venv", "venv"].includes(relative(projectRoot, path)))
    return { source, path };
  return {
    source,
    path,
    problem: "is in the project: name it with the setting python.interpreter to use it",
  };
}

function readPath(json: unknown): string | undefined {
  return isRecord(json) && typeof json["path"] === "string" ? json["path"] : undefined;
}
