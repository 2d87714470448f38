/** Where omp runs and something is killed: a home, a project and a temporary directory of its own, and what is still there afterwards. */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listStats } from "../../src/process/proc.ts";
import { launcher } from "../support/omp.ts";
import { processesWith } from "../support/processes.ts";

export interface FaultPlace {
  /** Empty; everything is made in it. */
  readonly directory: string;
  /** An environment with ipykernel; without it there are only shells. */
  readonly venv: string | undefined;
  readonly limitMs: number;
}

/** Every step leaves a line in it. */
export const LEDGER = "ledger";

export class FaultHome {
  readonly home: string;
  readonly project: string;
  readonly #place: FaultPlace;
  readonly #temporary: string;
  readonly #directories = new Set<string>();

  constructor(place: FaultPlace) {
    this.#place = place;
    this.home = join(place.directory, "home");
    this.project = join(place.directory, "project");
    this.#temporary = join(place.directory, "tmp");
    for (const path of [this.home, this.project, this.#temporary]) mkdirSync(path, { recursive: true });
  }

  /** What `-m` takes. */
  script(name: string, turns: readonly object[]): string {
    const file = join(this.project, `${name}.json`);
    writeFileSync(file, JSON.stringify({ turns }));
    return `script:${file}`;
  }

  /** Without turns there is no model. */
  spawn(args: readonly string[], turns?: readonly object[]) {
    const { venv } = this.#place;
    const model = turns === undefined ? [] : ["-m", this.script("script", turns)];
    return Bun.spawn([launcher, ...args, ...model], {
      cwd: this.project,
      env: {
        ...{ PATH: process.env["PATH"], HOME: this.home, LANG: "C.UTF-8", TMPDIR: this.#temporary },
        ...(venv === undefined ? { PI_PY: "bash" } : { VIRTUAL_ENV: venv }),
      },
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
    });
  }

  /** @returns what went wrong, where it does not end by itself. */
  async untilEnded(child: Bun.Subprocess): Promise<string[]> {
    const isOver = await this.until(() => child.exitCode !== null || child.signalCode !== null);
    if (!isOver) child.kill("SIGKILL");
    return isOver ? [] : ["omp does not end"];
  }

  lines(): string[] {
    const path = join(this.project, LEDGER);
    return existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : [];
  }

  logs(): string[] {
    return filesIn(join(this.home, ".omp/agent/omp-sessions")).filter((path) => path.endsWith(".jsonl"));
  }

  /** What the watchdog would remove, by its record on disk. */
  noteDirectories(): void {
    for (const record of filesIn(join(this.home, ".omp/agent/running"))) {
      for (const [, path = ""] of readFileSync(record, "utf8").matchAll(/^\d+ d (.+)$/gm))
        this.#directories.add(path);
    }
  }

  /** Processes and files, when omp is over. */
  async findLeft(): Promise<string[]> {
    const processes = () => processesWith(`HOME=${this.home}`);
    const files = () => [
      ...[...this.#directories].filter((path) => existsSync(path)),
      ...readdirSync(this.#temporary),
    ];
    // The watchdog, which has no environment, removes files after the processes have ended.
    await this.until(() => processes().length === 0 && files().length === 0);
    return [
      ...(processes().length > 0 ? [`still running: ${processes().map(nameOf).join(", ")}`] : []),
      ...(files().length > 0 ? [`still there: ${files().join(", ")}`] : []),
    ];
  }

  async until(isSo: () => boolean): Promise<boolean> {
    const end = performance.now() + this.#place.limitMs;
    while (performance.now() < end) {
      if (isSo()) return true;
      await Bun.sleep(5);
    }
    return isSo();
  }
}

/** One that has just ended by itself needs no killing. */
export function killNow(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(pid, "SIGKILL");
  } catch {
    // It is gone.
  }
}

function filesIn(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory).map((name) => join(directory, name)) : [];
}

/** A line that was torn by the kill is nothing that was said. */
export function readLog(path: string): Record<string, unknown>[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line) => {
      try {
        return [JSON.parse(line)];
      } catch {
        return [];
      }
    });
}

function nameOf(pid: number): string {
  return listStats().find((stat) => stat.pid === pid)?.name ?? String(pid);
}
