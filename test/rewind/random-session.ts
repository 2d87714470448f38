/**
 * One session, all of it decided by a seed: a scripted model edits files, runs commands and cells; then it is taken back to a random
 * prompt, and that is undone. What must hold: the files and the variables are those of that moment, and then those of the end.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentSession, openAgentSession } from "../../src/app/agent-session.ts";
import { callTool } from "../../src/app/tool-call.ts";
import { userMessage } from "../../src/protocol/index.ts";
import { chance } from "../support/chance.ts";
import { stateOf } from "../worktree/trees.ts";

export interface RandomPlace {
  readonly directory: string;
  /** Without one there are no cells. */
  readonly venv: string | undefined;
}

interface State {
  readonly files: Readonly<Record<string, string>>;
  /** The kernel's variables, as text. */
  readonly variables: string;
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

function bashCall({ below, pick }: Chance): Call {
  const [one, two] = [pick(files), pick(files)];
  const command = pick([
    `mkdir -p src/deep && echo ${below(100)} >> '${one}'`,
    `rm -f '${one}'`,
    `mkdir -p src/deep; [ -e '${one}' ] && [ '${one}' != '${two}' ] && mv '${one}' '${two}'; true`,
    `chmod +x '${one}' 2>/dev/null; true`,
    `rm -rf src`,
    `ln -sfn '${one}' link-${below(2)}`,
    `mkdir -p made-${below(3)} && : > made-${below(3)}/empty; true`,
    `head -c ${below(5_000)} /dev/urandom > noise.bin`,
    `git init -q . 2>/dev/null; printf '*.log\\n' > .gitignore; echo x > a.log`,
    `n=${below(9)}; cd /tmp; cd - >/dev/null`,
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
    `${name} = {"k": ${below(9)}}\nopen("cell.txt", "a").write(str(${name}))`,
  ]);
  return { name: "python", input: { cells: [{ code }] } };
}

/** @returns what did not hold; empty when everything did. */
export async function runRandomSession(seed: number, { directory, venv }: RandomPlace): Promise<string[]> {
  const dice = chance(seed);
  const [home, project] = [join(directory, "home"), join(directory, "project")];
  for (const path of [home, project]) mkdirSync(path, { recursive: true });
  const kinds = venv === undefined ? [fileCall, bashCall] : [fileCall, bashCall, cellCall];
  const prompts = 2 + dice.below(4);
  const turns = Array.from({ length: prompts }, () => [
    { toolCalls: Array.from({ length: 1 + dice.below(3) }, () => dice.pick(kinds)(dice)) },
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
  const look = async (): Promise<State> => ({
    files: stateOf(project, { except: [".git", "a.log"] }),
    variables: venv === undefined ? "" : await variablesOf(session, signal),
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
      ...differences("after the undo", await look(), last),
      ...(left === prompts ? [] : [`after the undo there are ${left} prompts of ${prompts}`]),
    ];
  } finally {
    await session.close();
  }
}

const SHOW = 'print(sorted((n, repr(v)) for n, v in list(globals().items()) if len(n) == 2 and n[0] == "v"))';

async function variablesOf({ services }: AgentSession, signal: AbortSignal): Promise<string> {
  const input = { cells: [{ code: SHOW }] };
  const call = {
    name: "python",
    input,
    dryRun: false,
    signal,
    onUpdate: () => undefined,
    onBug: () => undefined,
  };
  const { output, isError } = await callTool(services, call);
  if (isError) throw new Error(output);
  return output;
}

function differences(when: string, now: State, then: State | undefined): string[] {
  const names = [...new Set([...Object.keys(now.files), ...Object.keys(then?.files ?? {})])];
  const other = names.filter((name) => now.files[name] !== then?.files[name]);
  return [
    ...other.map((name) => `${when}, ${name} is ${now.files[name]} and was ${then?.files[name]}`),
    ...(now.variables === then?.variables
      ? []
      : [`${when}, variables are ${now.variables} and were ${then?.variables}`]),
  ];
}
