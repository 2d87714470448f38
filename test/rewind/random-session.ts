/**
 * One session, all of it decided by a seed: a scripted model edits files, runs commands and cells; then it is taken back to a random
 * prompt, and that is undone. What must hold: files, variables and shell are those of that moment, and then those of the end.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentSession, openAgentSession } from "../../src/app/agent-session.ts";
import { callTool } from "../../src/app/tool-call.ts";
import { userMessage } from "../../src/protocol/index.ts";
import { chance } from "../support/chance.ts";
import { stateOf } from "../support/tree-state.ts";

export interface RandomPlace {
  readonly directory: string;
  /** Without one there are no cells. */
  readonly venv: string | undefined;
}

interface State {
  readonly files: Readonly<Record<string, string>>;
  /** The kernel's variables, as text. */
  readonly variables: string;
  /** The shell's directory, variables, functions and options, as text. */
  readonly shell: string;
}

type Chance = ReturnType<typeof chance>;
interface Call {
  readonly name: string;
  readonly input: object;
}

const files = ["a.txt", "b.py", "src/c.txt", "src/deep/d.md", "e with space", "ü.txt"] as const;
const EVERYTHING = { files: true, variables: true, conversation: true };

function fileCall({ below, pick }: Chance): Call {
  const content = `${Array.from({ length: below(5) }, () => `line ${below(100)}`).join("\n")}\n`;
  return { name: "write", input: { path: pick(files), content } };
}

/** The shell may be anywhere. */
function bashCall({ below, pick }: Chance, project: string): Call {
  const [one, two] = [pick(files), pick(files)];
  const command = pick([
    `mkdir -p src/deep && echo ${below(100)} >> '${one}'`,
    `rm -f '${one}'`,
    `mkdir -p src/deep; [ -e '${one}' ] && [ '${one}' != '${two}' ] && mv '${one}' '${two}'; true`,
    `chmod +x '${one}' 2>/dev/null; true`,
    `rm -rf src`,
    `ln -sfn '${one}' link-${below(2)}`,
    `mkdir -p made-${below(3)} && : > made-${below(3)}/empty; true`,
    `mkdir -p made-${below(3)}/inner bare-${below(2)}`,
    `rm -rf made-${below(3)} bare-${below(2)}`,
    `head -c ${below(5_000)} /dev/urandom > noise.bin`,
    `git init -q . 2>/dev/null; printf '*.log\\n' > .gitignore; echo x > a.log`,
  ]);
  return { name: "bash", input: { command: `(cd '${project}' && { ${command}; })` } };
}

function shellCall({ below, pick }: Chance, project: string): Call {
  const command = pick([
    "cd /",
    `mkdir -p '${project}/here' && cd '${project}/here'`,
    `cd '${project}'`,
    `plain='it'\\''s ${below(100)}'`,
    `export EXPORTED=${below(100)}`,
    "unset plain EXPORTED",
    `list=(a "b c" ${below(9)}); declare -A map=([k]=${below(9)})`,
    `greet() { echo "${below(100)} $1"; }`,
    pick(["set -o pipefail", "set +o pipefail", "shopt -s nullglob", "shopt -u nullglob"]),
  ]);
  return { name: "bash", input: { command } };
}

function cellCall({ below, pick }: Chance): Call {
  const [name, other] = [`v${below(4)}`, `v${below(4)}`];
  const code = pick([
    `${name} = ${below(100)}`,
    `${name} = globals().get("${other}", [])`,
    `${name} = list(range(${below(5)}))\n${name}.append(${below(9)})`,
    `if isinstance(globals().get("${name}"), list): ${name}.append("more")`,
    `globals().pop("${name}", None)`,
    `import random\nrandom.seed(${below(100)})\n${name} = random.random()`,
    `import random\n${name} = random.random()`,
    `def counter():\n    n = ${below(9)}\n    def step():\n        nonlocal n\n        n += 1\n        return n\n    return step\nstep = counter()`,
    `${name} = globals()["step"]() if "step" in globals() else None`,
    `${name} = {"k": ${below(9)}}\nopen("cell.txt", "a").write(str(${name}))`,
  ]);
  return { name: "python", input: { cells: [{ code }] } };
}

/** @returns what did not hold; empty when everything did. */
export async function runRandomSession(seed: number, { directory, venv }: RandomPlace): Promise<string[]> {
  const dice = chance(seed);
  const [home, project] = [join(directory, "home"), join(directory, "project")];
  for (const path of [home, project]) mkdirSync(path, { recursive: true });
  const kinds = [fileCall, bashCall, shellCall, ...(venv === undefined ? [] : [cellCall, cellCall])];
  const prompts = 2 + dice.below(4);
  const turns = Array.from({ length: prompts }, () => [
    { toolCalls: Array.from({ length: 1 + dice.below(3) }, () => dice.pick(kinds)(dice, project)) },
    { text: "Done." },
  ]).flat();
  const script = join(home, "script.json");
  writeFileSync(script, JSON.stringify({ turns }));
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
  const { signal } = new AbortController();
  const warnings: string[] = [];
  const noteWarning = ({ name, message }: Error) => void warnings.push(`${name}: ${message}`);
  process.on("warning", noteWarning);
  const look = async (): Promise<State> => ({
    files: stateOf(project, { except: [".git", "a.log"] }),
    variables:
      venv === undefined ? "" : await outputOf(session, "python", { cells: [{ code: SHOW }] }, signal),
    shell: await outputOf(session, "bash", { command: SHELL_STATE }, signal),
  });
  try {
    const states: State[] = [];
    for (let number = 1; number <= prompts; number += 1) {
      states.push(await look());
      for await (const event of session.run(userMessage(`prompt ${number}`), signal)) void event;
    }
    const last = await look();
    const chosen = dice.pick(session.rewind.prompts() ?? []);
    const seen = await session.rewind.preview(chosen, signal);
    await session.rewind.perform(seen, EVERYTHING, signal);
    const problems = differences(
      `after going back to prompt ${chosen.number}`,
      await look(),
      states[chosen.number - 1],
    );
    const back = await session.rewind.previewUndo(signal);
    if (back === undefined) return [...problems, "there is nothing to undo"];
    await session.rewind.perform(back, EVERYTHING, signal);
    const left = session.rewind.prompts()?.length;
    return [
      ...problems,
      ...warnings,
      ...differences("after the undo", await look(), last),
      ...(left === prompts ? [] : [`after the undo there are ${left} prompts of ${prompts}`]),
    ];
  } finally {
    process.off("warning", noteWarning);
    await session.close();
  }
}

/** With which names are of one object, and what `random` would draw next. */
const SHOW = `import random as _random
_named = sorted((n, v) for n, v in globals().items() if len(n) == 2 and n[0] == "v")
print([(n, repr(v), [m for m, w in _named if w is v and v is not None]) for n, v in _named], hash(_random.getstate()))
print("step" in globals() and step.__closure__[0].cell_contents)`;
const SHELL_STATE =
  "pwd; declare -p plain EXPORTED list map 2>&1; declare -f greet; set -o | grep pipefail; shopt -p nullglob; true";

async function outputOf(
  { services }: AgentSession,
  name: string,
  input: object,
  signal: AbortSignal,
): Promise<string> {
  const call = { name, input, dryRun: false, signal, onUpdate: () => undefined, onBug: () => undefined };
  const { output, isError } = await callTool(services, call);
  if (isError) throw new Error(output);
  return output;
}

function differences(when: string, now: State, then: State | undefined): string[] {
  const names = [...new Set([...Object.keys(now.files), ...Object.keys(then?.files ?? {})])];
  const other = names.filter((name) => now.files[name] !== then?.files[name]);
  const texts = (["variables", "shell"] as const).filter((part) => now[part] !== then?.[part]);
  return [
    ...other.map((name) => `${when}, ${name} is ${now.files[name]} and was ${then?.files[name]}`),
    ...texts.map((part) => `${when}, of the ${part} there is ${now[part]} and there was ${then?.[part]}`),
  ];
}
