/**
 * The kinds of projects that people have: in each of them `python` works at the first call, everything that runs code is in the same
 * environment, and nothing is written into it.
 */

import { beforeAll, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openServices } from "../../src/app/services.ts";
import { probeInterpreter } from "../../src/python/probe.ts";
import { addPackage, bareEnvironment, contentsOf, wholePython } from "../support/environments.ts";
import { type TestPlace, temporaryPlace } from "../support/home.ts";
import { slow } from "../support/limits.ts";
import { userEnvironment } from "../support/omp.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { indexOutOfReach } from "../support/wheel.ts";

interface Kind {
  /** The prefix of everything that runs; its packages must not change. */
  readonly prefix: string;
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  readonly isTrusted?: false;
  /** Lines that the user reads. */
  readonly said?: readonly string[];
  /** The managed environment is made with the first kernel, and the user reads how far it is. */
  readonly isMade?: true;
  /** Where ipykernel is; the managed environment unless given. */
  readonly kernelFrom?: string;
}

type At = (path: string) => string;

const MADE = "no environment at all, not even omp's, and the system's Python is PEP 668's";
const OLD = "raise ImportError('this is the old one')\n";

/** In the home: what `omp setup` has made. */
function managed(place: TestPlace, directory = ".omp/python-env"): string {
  const path = join(place.home, directory);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  symlinkSync(testPython.venv, path);
  return path;
}

function program(path: string, script: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

function settings(place: TestPlace, python: object): void {
  mkdirSync(join(place.home, ".omp/agent"), { recursive: true });
  writeFileSync(join(place.home, ".omp/agent/omp.jsonc"), JSON.stringify({ python }));
}

function conda(directory: string): string {
  wholePython(directory);
  mkdirSync(join(directory, "conda-meta"));
  return directory;
}

/** What its own command or a wheel has put there, without byte code, as uv leaves it. */
function withPackages(packages: string): void {
  addPackage(packages, "wcwidth", "0.2.13", "def wcwidth(c): return 1\ndef wcswidth(s): return len(s)\n");
  addPackage(packages, "demo", "1.0", "answer = 42\n");
}

const kinds: Record<string, (place: TestPlace, project: At, home: At) => Kind> = {
  "a bare .venv": (place, project) => {
    managed(place);
    return { prefix: bareEnvironment(project(".venv")).directory };
  },
  "a .venv with ipykernel of its own": (_, project) => {
    const { directory, packages } = bareEnvironment(project(".venv"));
    const own = join(testPython.venv, "lib", packages.split("/").at(-2) ?? "", "site-packages");
    writeFileSync(join(packages, "own.pth"), `${own}\n`);
    return { prefix: directory, kernelFrom: own };
  },
  "a .venv that uv made": (place, project) => {
    managed(place);
    const { directory, packages } = bareEnvironment(project(".venv"));
    writeFileSync(project(".venv/pyvenv.cfg"), `${readFileSync(project(".venv/pyvenv.cfg"))}uv = 0.9.0\n`);
    withPackages(packages);
    return { prefix: directory };
  },
  "a parent's .venv, from src": (place, project) => {
    managed(place);
    mkdirSync(project(".git"));
    mkdirSync(project("src/deep"), { recursive: true });
    return { prefix: bareEnvironment(project(".venv")).directory, cwd: project("src/deep") };
  },
  "an environment called venv": (place, project) => {
    managed(place);
    return { prefix: bareEnvironment(project("venv")).directory };
  },
  "an active environment elsewhere": (place, project, home) => {
    managed(place);
    bareEnvironment(project(".venv"));
    const { directory } = bareEnvironment(home("envs/active"));
    return { prefix: directory, env: { VIRTUAL_ENV: directory } };
  },
  "a VIRTUAL_ENV that is gone": (place, project, home) => {
    managed(place);
    return {
      prefix: bareEnvironment(project(".venv")).directory,
      env: { VIRTUAL_ENV: home("gone") },
      said: [`omp: VIRTUAL_ENV is not used: ${home("gone")} does not exist\n`],
    };
  },
  "an active conda environment": (place, _, home) => {
    managed(place);
    const prefix = conda(home("miniconda/envs/data"));
    return { prefix, env: { CONDA_PREFIX: prefix, CONDA_DEFAULT_ENV: "data" } };
  },
  "conda's base active, and a .venv": (place, project, home) => {
    managed(place);
    const prefix = bareEnvironment(project(".venv")).directory;
    return { prefix, env: { CONDA_PREFIX: conda(home("miniconda")), CONDA_DEFAULT_ENV: "base" } };
  },
  "pixi's environment": (place, project) => {
    managed(place);
    return { prefix: conda(project(".pixi/envs/default")) };
  },
  "poetry's environment": (place, project, home) => {
    managed(place);
    writeFileSync(project("poetry.lock"), "");
    const { directory } = bareEnvironment(home(".cache/pypoetry/virtualenvs/demo-py3"));
    program(
      home("bin/poetry"),
      `[ "$*" = "--no-plugins --no-interaction --no-ansi env info --path" ] && echo ${directory}`,
    );
    return { prefix: directory };
  },
  "uv's environment elsewhere": (place, project, home) => {
    managed(place);
    writeFileSync(project("uv.lock"), "");
    const { directory } = bareEnvironment(home("uv-environment"));
    program(home("bin/uv"), `echo '{"sync": {"environment": {"path": "'$UV_PROJECT_ENVIRONMENT'"}}}'`);
    return { prefix: directory, env: { UV_PROJECT_ENVIRONMENT: directory } };
  },
  // Without an index what is made has the packages of another Python that has ipykernel.
  [MADE]: (_, __, home) => {
    const { python, packages } = wholePython(home("system"));
    writeFileSync(join(dirname(packages), "EXTERNALLY-MANAGED"), "[externally-managed]\n");
    const PATH = [dirname(python), dirname(testPython.path), "/usr/bin", "/bin"].join(":");
    return {
      prefix: home(".omp/python-env"),
      env: { PATH, ...indexOutOfReach },
      kernelFrom: testPython.venv,
      isMade: true,
    };
  },
  "the system's Python of PEP 668, named by the setting": (place, _, home) => {
    managed(place);
    const { directory, python, packages } = wholePython(home("system"));
    writeFileSync(join(dirname(packages), "EXTERNALLY-MANAGED"), "[externally-managed]\n");
    settings(place, { interpreter: python });
    return { prefix: directory };
  },
  "a Python without venv and ensurepip": (place, _, home) => {
    managed(place);
    const { directory, python } = wholePython(home("small"), { without: ["venv", "ensurepip"] });
    settings(place, { interpreter: python });
    return { prefix: directory };
  },
  "a Python of another version than the managed environment's": (place, project, home) => {
    const other = `import sysconfig; sysconfig.get_config_var = (lambda ask: lambda name: "cpython-38-other" if name == "SOABI" else ask(name))(sysconfig.get_config_var)`;
    writeFileSync(home("sitecustomize.py"), `${other}\n`);
    program(home(".omp/python-env/bin/python"), `PYTHONPATH=${place.home} exec ${testPython.path} "$@"`);
    return {
      prefix: bareEnvironment(project(".venv")).directory,
      kernelFrom: managed(place, `.omp/python-loans/${tag}`),
    };
  },
  "a .venv with packages that are too old for ipykernel": (place, project) => {
    managed(place);
    const { directory, packages } = bareEnvironment(project(".venv"));
    addPackage(packages, "traitlets", "4.3.3", OLD);
    addPackage(packages, "tornado", "4.5.3", OLD);
    return { prefix: directory };
  },
  "a .venv with an ipykernel that is too old": (place, project) => {
    managed(place);
    const { directory, packages } = bareEnvironment(project(".venv"));
    addPackage(packages, "ipykernel", "5.5.6", OLD);
    return { prefix: directory };
  },
  "a project that is not trusted": (place, project) => {
    program(project(".venv/bin/python"), `touch ${project("executed")}`);
    writeFileSync(project("poetry.lock"), "");
    return {
      prefix: managed(place),
      isTrusted: false,
      said: [
        "omp: This project is not trusted, so these were not used: .venv/bin/python. To use them: omp trust, or --trust for one run.\n",
      ],
    };
  },
  "a .venv that sees the system's packages": (place, project) => {
    managed(place);
    return { prefix: bareEnvironment(project(".venv"), { seesSystem: true }).directory };
  },
  "an environment that the setting names by its directory": (place, project, home) => {
    managed(place);
    bareEnvironment(project(".venv"));
    settings(place, { interpreter: "~/envs/data" });
    return { prefix: bareEnvironment(home("envs/data")).directory };
  },
};

let tag: string;

describeWithPython(testPython, "one Python in", () => {
  beforeAll(async () => {
    const { PATH = "" } = process.env;
    tag = (await probeInterpreter(testPython.path, { env: { PATH } })).tag ?? "";
  });

  for (const [name, make] of Object.entries(kinds)) {
    test(
      name,
      async () => {
        const place = temporaryPlace();
        // A profile that makes a new PATH, and has its own idea of python.
        writeFileSync(
          join(place.home, ".bash_profile"),
          "PATH=/usr/bin:/bin\nalias python=/usr/bin/false pip=/usr/bin/false\n",
        );
        const kind = make(
          place,
          (path) => join(place.project, path),
          (path) => join(place.home, path),
        );
        // The managed environment is omp's own, and large.
        const isOwn = kind.prefix.startsWith(join(place.home, ".omp"));
        const changes = () => [place.project, ...(isOwn ? [] : [kind.prefix])].map(contentsOf);
        const before = changes();
        const said: string[] = [];
        const PATH = `${join(place.home, "bin")}:${dirname(testPython.path)}:/usr/bin:/bin`;
        const env = { ...userEnvironment(place), SHELL: "/bin/bash", PATH, ...kind.env };
        const invocation = { env, cwd: kind.cwd ?? place.project, isTrusted: kind.isTrusted ?? true };
        const services = await openServices(invocation, { stderr: (text) => said.push(text) });
        const run = async (tool: string, input: unknown) => {
          const { tools, context } = services;
          const { signal } = new AbortController();
          return (
            await tools.run(tool, input, { ...context, signal, onUpdate: () => undefined })
          ).output.trim();
        };
        try {
          const ask = "import sys; print(sys.prefix)";
          const shell = `command -v python | xargs dirname | xargs dirname; python -c "${ask}"`;
          const cells = `${ask}\nr = bash('${shell.replaceAll('"', '\\"')}')\nimport ipykernel; print(ipykernel.__file__)`;
          const [cell = "", first = "", second = "", file = ""] = (
            await run("python", { cells: [{ code: cells }] })
          ).split("\n");
          const prefixes = {
            python: cell,
            "bash()": [first, second],
            bash: (await run("bash", { command: shell })).split("\n"),
            exec: await run("exec", { language: "python", code: ask }),
            "exec bash": (await run("exec", { language: "bash", code: shell })).split("\n"),
            python_run: await run("python_run", { code: ask }),
            pip: await run("bash", { command: "command -v pip" }),
          };
          const both = [kind.prefix, kind.prefix];
          const pip = [join(kind.prefix, "bin"), join(place.home, ".omp/python-loans/bin")]
            .map((programs) => join(programs, "pip"))
            .find(existsSync);
          expect(prefixes).toEqual({
            python: kind.prefix,
            "bash()": both,
            bash: both,
            exec: kind.prefix,
            "exec bash": both,
            python_run: kind.prefix,
            pip: pip ?? "",
          });
          const lender = kind.kernelFrom ?? join(place.home, ".omp/python-env");
          expect(file).toStartWith(lender);
          if (kind.isMade) expect(said[0]).toStartWith("omp: making a Python environment with ");
          else expect(said).toEqual([...(kind.said ?? [])]);
        } finally {
          await services.close();
        }
        expect(changes()).toEqual(before);
      },
      name === MADE ? slow(60, "makes an environment") : undefined,
    );
  }
});
