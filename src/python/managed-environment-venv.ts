/** A virtual environment, and something that installs packages into it, from a Python that may lack ensurepip, pip or even venv. */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BasePython, packageDirectories } from "./base-pythons.ts";
import { embeddedPip } from "./embedded-pip.ts";
import {
  explain,
  MAKE_TIMEOUT_MS,
  pythonOf,
  recordFailure,
  run,
  type Work,
} from "./managed-environment-work.ts";
import { pipWheels, usualWheels } from "./pip-wheel.ts";
import { isAtLeast } from "./preflight.ts";
import type { CommandResult } from "./run-command.ts";

export interface Installer {
  /** What comes before the packages. */
  readonly argv: readonly string[];
  /** For messages. */
  readonly what: string;
  /** Whether the environment has pip already. */
  readonly hasPip: boolean;
}

/** What `venv --without-pip` makes, without the module: some systems have split it off, too. */
const BY_HAND = `
import os, sys
target = sys.argv[1]
python = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
name = "python%d.%d" % sys.version_info[:2]
os.makedirs(os.path.join(target, "bin"))
os.makedirs(os.path.join(target, "lib", name, "site-packages"))
if sys.maxsize > 2**32 and os.name == "posix" and sys.platform != "darwin":
    os.symlink("lib", os.path.join(target, "lib64"))
os.symlink(python, os.path.join(target, "bin", "python"))
for alias in ("python3", name):
    os.symlink("python", os.path.join(target, "bin", alias))
with open(os.path.join(target, "pyvenv.cfg"), "w") as file:
    file.write("home = %s\\ninclude-system-site-packages = false\\nversion = %s\\n" % (os.path.dirname(python), sys.version.split()[0]))
`;

/** Debian splits ensurepip off into a package of its own, and takes nothing from pip outside of an environment (PEP 668). */
export async function makeVenv(work: Work, base: BasePython): Promise<Installer | undefined> {
  const what = `${base.path} -m pip install`;
  const python = pythonOf(work.directory);
  const made = await run(work, [base.path, "-m", "venv", work.directory], MAKE_TIMEOUT_MS);
  if (made.problem === undefined)
    return { argv: [python, "-m", "pip", "install", "--quiet"], what, hasPip: true };

  const bare = await makeBareVenv(work, base);
  if (bare.problem !== undefined) return recordFailure(work, `${base.path} -m venv`, bare);
  const before = work.tried.length;
  const pip = await findPip(work, base);
  if (pip !== undefined) return { argv: [...pip, "install", "--quiet"], what, hasPip: false };
  // First what is wrong with this Python, then where a pip was looked for.
  work.tried.splice(before, 0, { what: `${base.path} -m venv`, problem: explain(made) });
  rmSync(work.directory, { recursive: true, force: true });
  return undefined;
}

async function makeBareVenv({ directory, ...work }: Work, base: BasePython): Promise<CommandResult> {
  const make = async (...way: readonly string[]) => {
    rmSync(directory, { recursive: true, force: true });
    return await run(work, [base.path, ...way, directory], MAKE_TIMEOUT_MS);
  };
  const made = await make("-m", "venv", "--without-pip");
  return made.problem === undefined ? made : await make("-c", BY_HAND);
}

/** The base's own pip, if it is one that can install elsewhere, or one that need not be installed. */
async function findPip(work: Work, base: BasePython): Promise<readonly string[] | undefined> {
  const { plan, directory, tried } = work;
  const python = pythonOf(directory);
  const own = [base.path, "-m", "pip", "--python", python];
  if ((await run(work, [...own, "--version"], MAKE_TIMEOUT_MS)).problem === undefined) return own;

  if (!isAtLeast(base.version, [3, 10])) doWithoutDistutils(work, base);
  const { requirements, signal, onProgress } = plan;
  const wheels = pipWheels({
    env: plan.env,
    wheels: plan.wheels ?? usualWheels,
    embedded: plan.embeddedPip ?? embeddedPip,
    version: base.version,
    directory: downloads(directory),
    pinned: "pinned" in requirements ? requirements.pinned : undefined,
    signal,
    onProgress,
    onFailure: (attempt) => tried.push(attempt),
  });
  for await (const wheel of wheels) {
    const pip = [python, join(wheel, "pip")];
    const asked = await run(work, [...pip, "--version"], MAKE_TIMEOUT_MS);
    if (asked.problem === undefined) return pip;
    tried.push({ what: `${base.path} ${wheel}`, problem: explain(asked) });
  }
  return undefined;
}

/**
 * Debian 11 has split distutils off, too, which pip takes its paths from up to Python 3.9; later it takes them from sysconfig. pip has
 * this switch for distributors, here and whenever somebody uses the environment's pip.
 */
function doWithoutDistutils({ directory }: Work, { version }: BasePython): void {
  const [packages = directory] = packageDirectories(directory, version);
  writeFileSync(join(packages, "omp-pip.pth"), "import sysconfig; sysconfig._PIP_USE_SYSCONFIG = True\n");
}

/** In the environment's directory, so that whatever happens it is removed with it. */
export function downloads(directory: string): string {
  return join(directory, "omp-downloads");
}
