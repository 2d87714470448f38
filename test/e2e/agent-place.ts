/** `omp -p` as a user runs it: the real launcher, real tools, and a model that is a script or a server on loopback. */

import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionEntry } from "../../src/history/entry.ts";
import { readSession } from "../../src/history/read.ts";
import type { ScriptedTurn } from "../../src/models/scripted-model.ts";
import { compatible } from "../models/formats/compatible.ts";
import { type Reply, serve, type WireServer } from "../models/wire-server.ts";
import { type TestPlace, temporaryPlace } from "../support/home.ts";
import { launcher, type OmpRun, omp, userEnvironment } from "../support/omp.ts";
import { testPython } from "../support/python.ts";

/** A line of stream-json. */
export type Line = Readonly<Record<string, unknown>> & { readonly type: string };

export class AgentPlace {
  readonly place: TestPlace;
  #scripts = 0;

  constructor(place: TestPlace = temporaryPlace()) {
    this.place = place;
  }

  get project(): string {
    return this.place.project;
  }

  /** What `-m` takes. Outside the project: nothing of it is among the model's files. */
  script(...turns: readonly ScriptedTurn[]): string {
    this.#scripts += 1;
    const file = join(this.place.home, `script-${this.#scripts}.json`);
    writeFileSync(file, JSON.stringify({ turns }));
    return `script:${file}`;
  }

  /** The user's own. */
  settings(settings: object): void {
    const directory = join(this.place.home, ".omp", "agent");
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, "omp.jsonc"), JSON.stringify(settings));
  }

  get env(): Record<string, string | undefined> {
    return { VIRTUAL_ENV: testPython.venv };
  }

  run(
    args: readonly string[],
    options: { readonly stdin?: string; readonly env?: Record<string, string | undefined> } = {},
  ): Promise<OmpRun> {
    const { stdin, env } = options;
    return omp(["-p", ...args], {
      place: this.place,
      env: { ...this.env, ...env },
      ...(stdin === undefined ? {} : { stdin }),
    });
  }

  start(args: readonly string[], env: Record<string, string | undefined> = {}) {
    return Bun.spawn([launcher, "-p", ...args], {
      cwd: this.project,
      env: userEnvironment(this.place, { ...this.env, ...env }),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
  }

  /** A line of bash around the launcher, which is its `$0`. */
  async inShell(script: string, ...args: readonly string[]): Promise<OmpRun> {
    const child = Bun.spawn(["bash", "-c", script, launcher, ...args], {
      cwd: this.project,
      env: userEnvironment(this.place, this.env),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout, stderr] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    return { exitCode: await child.exited, stdout, stderr };
  }

  /** The logs that are kept, oldest first. */
  logs(): string[] {
    const directory = join(this.place.home, ".omp", "agent", "omp-sessions");
    if (!existsSync(directory)) return [];
    return readdirSync(directory)
      .filter((name) => name.endsWith(".jsonl"))
      .sort()
      .map((name) => join(directory, name));
  }

  /** The entries of the only session. */
  entries(): readonly SessionEntry[] {
    const [only = "", ...more] = this.logs();
    if (more.length > 0) throw new Error("there is more than one session");
    // A log that was made a moment ago may have nothing in it yet.
    return statSync(only).size === 0 ? [] : readSession(only).entries;
  }

  text(name: string): string {
    return readFileSync(join(this.project, name), "utf8");
  }
}

export function linesOf(stdout: string): Line[] {
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

export function bash(command: string, more: object = {}) {
  return { name: "bash", input: { command, ...more } };
}

export function python(code: string) {
  return { name: "python", input: { cells: [{ code }] } };
}

export interface AskedModel {
  /** What omp is started with to reach it. */
  readonly args: readonly string[];
  readonly env: Record<string, string>;
  readonly server: WireServer;
}

/** A model on loopback that says what it is given, and keeps what it was asked. */
export async function answering(...replies: readonly (Reply | string)[]): Promise<AskedModel> {
  const server = await serve(
    ...replies.map((reply) =>
      typeof reply === "string" ? { body: compatible.turn({ text: [reply] }) } : reply,
    ),
  );
  return { args: ["-m", "ollama/test-model"], env: { OLLAMA_HOST: server.url }, server };
}
