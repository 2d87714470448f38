/** A session with a scripted model, in this process: what its files, variables and shell are at a moment, and how two moments differ. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentSession, openAgentSession } from "../../src/app/agent-session.ts";
import { callTool } from "../../src/app/tool-call.ts";
import { userMessage } from "../../src/protocol/index.ts";
import { stateOf } from "../support/tree-state.ts";

export interface RandomPlace {
  readonly directory: string;
  /** Without one there are no cells. */
  readonly venv: string | undefined;
}

export interface State {
  readonly files: Readonly<Record<string, string>>;
  /** The kernel's variables, as text. */
  readonly variables: string;
  /** The shell's directory, variables, functions and options, as text. */
  readonly shell: string;
  /** Its process; 0 without cells. */
  readonly kernel: number;
  /** Whether the call that looked was told that the kernel is a new one. */
  readonly hasLostVariables: boolean;
}

export const EVERYTHING = { files: true, variables: true, conversation: true };

export class RewoundSession {
  readonly session: AgentSession;
  readonly home: string;
  readonly signal = new AbortController().signal;
  readonly #project: string;
  readonly #hasCells: boolean;
  /** Of the runtime: nothing may cause one. */
  readonly warnings: string[] = [];
  readonly #noteWarning = ({ name, message }: Error) => void this.warnings.push(`${name}: ${message}`);

  private constructor(session: AgentSession, home: string, project: string, hasCells: boolean) {
    [this.session, this.home, this.#project, this.#hasCells] = [session, home, project, hasCells];
    process.on("warning", this.#noteWarning);
  }

  static async open(
    { directory, venv }: RandomPlace,
    turnsFor: (project: string) => readonly object[],
  ): Promise<RewoundSession> {
    const [home, project] = [join(directory, "home"), join(directory, "project")];
    for (const path of [home, project]) mkdirSync(path, { recursive: true });
    const script = join(home, "script.json");
    writeFileSync(script, JSON.stringify({ turns: turnsFor(project) }));
    const env = {
      PATH: process.env["PATH"],
      HOME: home,
      LANG: "C.UTF-8",
      VIRTUAL_ENV: venv,
      PI_PY: venv ? undefined : "0",
    };
    const quiet = { stdout: () => undefined, stderr: () => undefined };
    const options = { session: { kind: "new" }, model: `script:${script}`, maxTurns: 50 } as const;
    const session = await openAgentSession(options, quiet, { env, cwd: project });
    return new RewoundSession(session, home, project, venv !== undefined);
  }

  async prompt(text: string): Promise<void> {
    for await (const event of this.session.run(userMessage(text), this.signal)) void event;
  }

  async look(): Promise<State> {
    const cell = { cells: [{ code: SHOW }] };
    const first = this.#hasCells ? await this.#call("python", cell) : undefined;
    // It may have been killed before this cell, and nobody has noticed.
    const variables = first?.isError ? await this.#call("python", cell) : first;
    return {
      files: stateOf(this.#project, { except: [".git", "a.log"] }),
      variables: variables?.output.match(/^STATE .*$/m)?.[0] ?? "",
      shell: (await this.#call("bash", { command: SHELL_STATE })).output,
      kernel: Number(variables?.output.match(/^KERNEL (\d+)$/m)?.[1] ?? 0),
      hasLostVariables: [first, variables].some((result) => result?.details.kernelRestarted === true),
    };
  }

  async #call(name: string, input: object) {
    const quiet = { onUpdate: () => undefined, onBug: () => undefined };
    return await callTool(this.session.services, {
      name,
      input,
      dryRun: false,
      signal: this.signal,
      ...quiet,
    });
  }

  async close(): Promise<void> {
    process.off("warning", this.#noteWarning);
    await this.session.close();
  }
}

/** With which names are of one object, and what `random` would draw next. */
const SHOW = `import os as _os, random as _random
print("KERNEL", _os.getpid())
_named = sorted((n, v) for n, v in globals().items() if len(n) == 2 and n[0] == "v")
print("STATE", [(n, repr(v), [m for m, w in _named if w is v and v is not None]) for n, v in _named], hash(_random.getstate()), "step" in globals() and step.__closure__[0].cell_contents)`;
const SHELL_STATE =
  "pwd; declare -p plain EXPORTED list map 2>&1; declare -f greet; set -o | grep pipefail; shopt -p nullglob; true";

export function differences(
  when: string,
  now: State,
  then: State | undefined,
  parts: readonly (keyof State)[] = ["files", "variables", "shell"],
): string[] {
  const names = [...new Set([...Object.keys(now.files), ...Object.keys(then?.files ?? {})])];
  const other = parts.includes("files") ? names.filter((name) => now.files[name] !== then?.files[name]) : [];
  const texts = (["variables", "shell"] as const).filter(
    (part) => parts.includes(part) && now[part] !== then?.[part],
  );
  return [
    ...other.map((name) => `${when}, ${name} is ${now.files[name]} and was ${then?.files[name]}`),
    ...texts.map((part) => `${when}, of the ${part} there is ${now[part]} and there was ${then?.[part]}`),
  ];
}
