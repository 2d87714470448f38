/** A package index with one tiny package, to test installing without a network. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "./home.ts";
import { testPython } from "./python.ts";

const makeWheel = `
import sys, zipfile
directory, version = sys.argv[1:]
info = f"omp_tiny-{version}.dist-info"
files = {
    "omp_tiny/__init__.py": f"def main():\\n    print({version!r})\\n",
    f"{info}/METADATA": f"Metadata-Version: 2.1\\nName: omp-tiny\\nVersion: {version}\\n",
    f"{info}/WHEEL": "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
    f"{info}/entry_points.txt": "[console_scripts]\\nomp-tiny = omp_tiny:main\\n",
}
files[f"{info}/RECORD"] = "".join(f"{name},,\\n" for name in [*files, f"{info}/RECORD"])
with zipfile.ZipFile(f"{directory}/omp_tiny-{version}-py3-none-any.whl", "w") as wheel:
    for name, text in files.items():
        wheel.writestr(name, text)
`;

const packPip = `
import os, pip, sys, zipfile
directory = sys.argv[1]
packages = os.path.dirname(os.path.dirname(pip.__file__))
info = f"pip-{pip.__version__}.dist-info"
# What installing it has added.
added = {f"{info}/{name}" for name in ("INSTALLER", "REQUESTED", "RECORD")}
names = []
with zipfile.ZipFile(f"{directory}/pip-{pip.__version__}-py3-none-any.whl", "w") as wheel:
    for top in ("pip", info):
        for folder, _, files in os.walk(os.path.join(packages, top)):
            names += [os.path.relpath(os.path.join(folder, file), packages) for file in files if not file.endswith(".pyc")]
    names = sorted(set(names) - added)
    for name in names:
        wheel.write(os.path.join(packages, name), name)
    wheel.writestr(f"{info}/RECORD", "".join(f"{name},,\\n" for name in [*names, f"{info}/RECORD"]))
`;

/** A directory with pip's wheel, made from the installed one: a distribution's Python brings none. */
export function pipIndex(): string {
  const directory = temporaryDirectory({ lasts: "file" });
  const { success, stderr } = Bun.spawnSync([testPython.path, "-c", packPip, directory]);
  if (!success) throw new Error(`pip's wheel could not be made: ${stderr}`);
  return directory;
}

/** A directory with `omp-tiny` in these versions. Its script `omp-tiny` prints the version. */
export function tinyIndex(...versions: readonly string[]): string {
  const directory = temporaryDirectory({ lasts: "file" });
  for (const version of versions) {
    const { success, stderr } = Bun.spawnSync([testPython.path, "-c", makeWheel, directory, version]);
    if (!success) throw new Error(`the wheel could not be made: ${stderr}`);
  }
  return directory;
}

/** An index at an address that refuses connections. */
export const indexOutOfReach: Readonly<Record<string, string>> = {
  PIP_INDEX_URL: "http://127.0.0.1:9/simple",
  PIP_RETRIES: "0",
  PIP_CONFIG_FILE: "/dev/null",
  UV_DEFAULT_INDEX: "http://127.0.0.1:9/simple",
  UV_HTTP_RETRIES: "0",
};

/** pip sees this directory and nothing else; uv sees no index at all. */
export function onlyFrom(directory: string): Record<string, string> {
  return { ...indexOutOfReach, PIP_NO_INDEX: "1", PIP_FIND_LINKS: directory };
}

/** A directory for PATH with the given programs in it, under the given names. */
export function pathWith(programs: Readonly<Record<string, string>>): string {
  const directory = temporaryDirectory({ lasts: "file" });
  for (const [name, program] of Object.entries(programs)) {
    // Not a link: the python of a virtual environment works only under its own path.
    const file = join(directory, name);
    writeFileSync(file, `#!/bin/sh\nexec '${program}' "$@"\n`, { mode: 0o755 });
  }
  return directory;
}
