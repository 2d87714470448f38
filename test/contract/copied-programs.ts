/**
 * A random program in a kernel, decided by a seed, and what must hold of copies of it: after a branch ran anything at all, the kernel is as it
 * was; what is woken later is as the kernel was then; or what is not had been said when the copy was made.
 */

import type { Kernel, ParkedKernel } from "../../src/kernel/kernel.ts";
import type { LocalKernels } from "../../src/kernel/local/local-kernels.ts";
import { asRecord } from "../../src/protocol/record.ts";
import { chance } from "../support/chance.ts";

/** `$` stands for the statement's number, so that one program may have several of a kind. */
interface Piece {
  readonly make: string;
  /** An expression that tells its state and changes nothing. */
  readonly look: string;
  readonly change: string;
  /** What a checkpoint says about it; without it everything comes back. */
  readonly said?: RegExp;
}

const pieces: readonly Piece[] = [
  { make: "a$ = [$, 'x']", look: "a$", change: "a$.append(len(a$)); a$[0] = None" },
  { make: "d$ = {'k': {'n': $}}", look: "d$", change: "d$['k']['n'] += 1; d$.update(z=2)" },
  { make: "s$ = {1, $ + 2}; t$ = s$", look: "(s$, t$ is s$)", change: "s$.add(99); t$ = None" },
  {
    make: "def counter$():\n    n = $\n    def step():\n        nonlocal n\n        n += 1\n        return n\n    return step\nc$ = counter$(); _ = c$()",
    look: "c$.__closure__[0].cell_contents",
    change: "c$(); c$()",
  },
  {
    make: "g$ = (n * n for n in range(100)); _ = next(g$)",
    look: "(g$.gi_frame.f_lasti, g$.gi_frame.f_locals.get('n')) if g$.gi_frame else 'over'",
    change: "next(g$); list(g$)",
  },
  {
    make: "class P$:\n    shared = [$]\n    def __init__(self): self.x = $\np$ = P$()",
    look: "(p$.x, P$.shared, type(p$) is P$, hasattr(P$, 'late'))",
    change: "p$.x = 'no'; P$.shared.clear(); P$.late = 1",
  },
  {
    make: "import numpy\nn$ = numpy.arange(12.0).reshape(3, 4) + $; v$ = n$[1]",
    look: "(n$.tolist(), v$.base is not None, (n$ @ n$.T).sum())",
    change: "n$ *= 2; v$[:] = 0",
  },
  {
    make: "import pandas\nf$ = pandas.DataFrame({'a': [$, 2], 'b': ['x', 'y']})",
    look: "f$.to_dict()",
    change: "f$.loc[0, 'a'] = -1; f$['c'] = 1; f$.drop(columns='b', inplace=True)",
  },
  { make: "import random\nrandom.seed($)", look: "hash(random.getstate())", change: "random.random()" },
  {
    make: "import os\nos.environ['V$'] = 'yes'; os.makedirs('d$', exist_ok=True)",
    look: "(os.environ.get('V$'), os.path.basename(os.getcwd()))",
    change: "os.environ['V$'] = 'no'; os.chdir('d$' if os.path.isdir('d$') else '/')",
  },
  {
    make: "with open('r$.txt', 'w') as file: _ = file.write('one\\ntwo\\nthree\\n')\nr$ = open('r$.txt'); _ = r$.readline(); file = None",
    look: "r$.closed or r$.tell()",
    change: "r$.readline(); r$.seek(0); r$.close()",
  },
  {
    make: "w$ = open('w$.txt', 'w'); _ = w$.write('abc')",
    look: "True",
    change: "w$.write('def'); w$.flush()",
    said: /what is written to the open file .*w\$\.txt/,
  },
  {
    make: "import threading\ne$ = threading.Event(); h$ = threading.Thread(target=e$.wait, name='T$', daemon=True); h$.start()",
    look: "True",
    change: "e$.set(); e$ = None",
    said: /the thread T\$/,
  },
  {
    make: "import asyncio\nasync def wait$(): await asyncio.sleep(1000)\nk$ = asyncio.get_running_loop().create_task(wait$(), name='K$')",
    look: "True",
    change: "k$.cancel()",
    said: /the asyncio task K\$/,
  },
  {
    make: "import subprocess\nq$ = subprocess.Popen(['sleep', '1000'])",
    look: "q$.pid",
    change: "q$.args = None",
    said: /the child process \d+ \(sleep\)/,
  },
];

/** What a branch may do beyond changing what it has. */
const havoc = [
  "for name in [each for each in globals() if not each.startswith('_') and each not in ('In', 'Out', 'omp', 'get_ipython')]: del globals()[name]",
  "import sys, gc; sys.modules.pop('numpy', None); gc.collect()",
  "import os\nfor number in range(3, 8):\n    try: os.lseek(number, 0, 0)\n    except OSError: pass",
  "import os; os._exit(1)",
  "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
  "1 / 0",
  "import subprocess, sys; subprocess.run(['true']); sys.setrecursionlimit(3000)",
];

const signal = new AbortController().signal;

export interface ProgramRun {
  readonly what: string;
  readonly problems: readonly string[];
}

export async function runProgram(
  seed: number,
  kernels: LocalKernels,
  directory: string,
): Promise<ProgramRun> {
  const random = chance(seed);
  for (let skip = 0; skip < 5; skip += 1) random.below(2);
  const count = 2 + random.below(5);
  const chosen = Array.from({ length: count }, (_, index) => numbered(random.pick(pieces), index));
  const kernel = await kernels.start({ cwd: directory });
  try {
    for (const { make } of chosen) await run(kernel, make);
    const problems: string[] = [];
    const expected = await look(kernel, chosen);
    const parked = await park(kernel);
    for (const { said } of chosen)
      if (said !== undefined && !parked.notHeld.some((each) => said.test(each)))
        problems.push(`not said: ${said}; only ${parked.notHeld.join(", ")}`);
    const before = await parked.digests(signal);
    const branch = await parked.wake(signal);
    for (const { change } of chosen) await run(branch, change, { mayFail: true });
    await run(branch, random.pick(havoc), { mayFail: true });
    await branch.shutdown({ graceMs: 0 });
    problems.push(...differences("the kernel after a branch", expected, await look(kernel, chosen)));
    const after = await park(kernel);
    problems.push(...changedNames(before, await after.digests(signal)));
    for (const { change } of chosen) await run(kernel, change, { mayFail: true });
    const restored = await parked.wake(signal);
    problems.push(...differences("what is restored", expected, await look(restored, chosen)));
    await restored.shutdown({ graceMs: 0 });
    for (const each of [parked, after]) each.drop();
    await Promise.all([parked.exited, after.exited]);
    return { what: `${count} statements`, problems };
  } finally {
    await kernel.shutdown({ graceMs: 0 });
  }
}

function numbered({ make, look, change, said }: Piece, index: number): Piece {
  const put = (text: string) => text.replaceAll("$", String(index));
  const about = said && new RegExp(said.source.replaceAll("\\$", String(index)));
  return { make: put(make), look: put(look), change: put(change), ...(about && { said: about }) };
}

async function park(kernel: Kernel): Promise<ParkedKernel> {
  const parking = await kernel.park?.(signal);
  if (parking?.kind !== "parked") throw new Error(`not parked: ${parking?.reason}`);
  return parking.parked;
}

/** What the statements' expressions show, one after the other. */
async function look(kernel: Kernel, chosen: readonly Piece[]): Promise<readonly string[]> {
  const seen: string[] = [];
  for (const piece of chosen) seen.push(await run(kernel, `repr(${piece.look})`));
  return seen;
}

async function run(kernel: Kernel, code: string, { mayFail = false } = {}): Promise<string> {
  let [value, failure] = ["", ""];
  try {
    for await (const { header, content } of kernel.execute(code)) {
      if (header.msg_type === "execute_result") value = String(asRecord(content["data"])["text/plain"]);
      if (header.msg_type === "error") failure = `${content["ename"]}: ${content["evalue"]}`;
    }
  } catch (error) {
    // Some of what a branch does ends it.
    if (mayFail) return "";
    throw error;
  }
  if (failure !== "" && !mayFail) throw new Error(`${code}: ${failure}`);
  return value;
}

function differences(where: string, expected: readonly string[], seen: readonly string[]): string[] {
  return expected.flatMap((each, index) =>
    each === seen[index] ? [] : [`${where}: ${seen[index]} instead of ${each}`],
  );
}

/** Of the whole namespace: names that are new, gone, or have another content. */
function changedNames(before: ReadonlyMap<string, string | null>, after: typeof before): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  const changed = [...names].filter((name) => before.get(name) !== after.get(name));
  return changed.length === 0 ? [] : [`the kernel after a branch: ${changed.join(", ")} changed`];
}
