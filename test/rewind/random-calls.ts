/** What a scripted model does in a random session: it writes files, runs commands and cells, and changes the shell; all of it decided by a seed. */

import type { chance } from "../support/chance.ts";

export type Chance = ReturnType<typeof chance>;
interface Call {
  readonly name: string;
  readonly input: object;
}

const files = ["a.txt", "b.py", "src/c.txt", "src/deep/d.md", "e with space", "ü.txt"] as const;

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

/** A few calls for each prompt. Without cells there are none. */
export function randomTurns(
  dice: Chance,
  { prompts, project, hasCells }: { prompts: number; project: string; hasCells: boolean },
): object[][] {
  const kinds = [fileCall, bashCall, shellCall, ...(hasCells ? [cellCall, cellCall] : [])];
  return Array.from({ length: prompts }, () => [
    { toolCalls: Array.from({ length: 1 + dice.below(3) }, () => dice.pick(kinds)(dice, project)) },
    { text: "Done." },
  ]);
}
