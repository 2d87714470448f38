/** Kernels of an interpreter without ipykernel, which is lent the packages of another. */

import { beforeAll, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeLoan, type Loan } from "../../../src/python/loan.ts";
import { probeInterpreter } from "../../../src/python/probe.ts";
import { addPackage, bareEnvironment, contentsOf } from "../../support/environments.ts";
import { temporaryDirectory } from "../../support/home.ts";
import { kernelEnvironment, localKernels, runCell } from "../../support/kernels.ts";
import { describeWithPython, pythonsUnderTest } from "../../support/python.ts";

for (const lender of pythonsUnderTest) {
  describeWithPython(lender, `a loan of ${lender.name}`, () => {
    let lenderPaths: readonly string[];
    beforeAll(async () => {
      lenderPaths = (await probeInterpreter(lender.path, { env: kernelEnvironment("/") })).paths;
    });

    async function borrow(python: string): Promise<Loan> {
      const cacheFile = join(temporaryDirectory(), "loans.json");
      const loan = await describeLoan(python, { env: kernelEnvironment("/"), cacheFile, lenderPaths });
      if ("problem" in loan) throw new Error(loan.problem);
      return loan;
    }
    const bare = () => bareEnvironment(join(temporaryDirectory(), "bare"), { from: lender });

    const FACTS = `
import importlib.metadata, importlib.util, json, multiprocessing, os, subprocess, sys
child = subprocess.run([sys.executable, "-c", "import importlib.util as u; print(u.find_spec('ipykernel'))"], capture_output=True, text=True)
with multiprocessing.get_context("spawn").Pool(1) as pool:
    spawned = pool.apply(importlib.util.find_spec, ("ipykernel",))
# Its semaphores are files in /dev/shm, which a killed kernel would leave there.
pool.join()
del pool
print(json.dumps({
    "prefix": sys.prefix,
    "path": [entry for entry in sys.path if "site-packages" in entry],
    "PYTHONPATH": os.environ.get("PYTHONPATH"),
    "ipykernel": importlib.metadata.version("ipykernel"),
    "own": __import__("wcwidth").__version__,
    "lent": sys.modules["traitlets"].__file__.startswith(sys.prefix),
    "numpy": importlib.util.find_spec("numpy"),
    "child": child.stdout.strip(),
    "spawned": spawned,
}))`;

    const OWN_WCWIDTH = `
__version__ = "own"
def wcwidth(character, unicode_version="auto"): return 1
def wcswidth(text, n=None, unicode_version="auto"): return len(text)
`;

    test("is found after the interpreter's own packages, and neither seen on sys.path nor inherited; nothing is written", async () => {
      const { directory, python, packages } = bare();
      // One of those that the kernel needs; without byte code.
      addPackage(packages, "wcwidth", "99.0", OWN_WCWIDTH);
      const before = contentsOf(directory);
      const loan = await borrow(python);
      expect({ first: loan.first, own: loan.own, conflicts: loan.conflicts }).toEqual({
        first: false,
        own: ["wcwidth"],
        conflicts: [],
      });
      const problems: string[] = [];
      const trace = (line: string) => void (line.startsWith("python: fork server") && problems.push(line));
      const { kernels, home } = localKernels({ python, loan, useForkServer: true, trace });
      const plain = await runCell(await kernels.start({ cwd: home }), FACTS);
      const expected = {
        prefix: directory,
        path: [packages],
        PYTHONPATH: null,
        ipykernel: lender.packages["ipykernel"],
        own: "own",
        lent: false,
        // It is installed beside the lent ipykernel, which does not need it.
        numpy: null,
        child: "None",
        spawned: null,
      };
      expect([JSON.parse(plain.stdout), plain.error]).toEqual([expected, undefined]);
      await kernels.warmUp();
      expect(problems).toEqual([]);
      const forked = await runCell(await kernels.start({ cwd: home }), FACTS);
      expect([JSON.parse(forked.stdout), forked.error]).toEqual([expected, undefined]);
      expect(contentsOf(directory)).toBe(before);
    });

    test("does not let the project's modules in where the kernel itself imports", async () => {
      const { python } = bare();
      const { kernels, home } = localKernels({ python, loan: await borrow(python) });
      const marks = join(home, "imported");
      const mark = `open(${JSON.stringify(marks)}, "a").write(__name__)\n`;
      for (const name of ["stack_data", "psutil", "wcwidth"]) writeFileSync(join(home, `${name}.py`), mark);
      const kernel = await kernels.start({ cwd: home });
      expect((await runCell(kernel, "1 / 0")).error).toBe("ZeroDivisionError");
      expect(existsSync(marks)).toBe(false);
    });

    test("goes first where the interpreter's own packages are too old for it", async () => {
      const { directory, python, packages } = bare();
      addPackage(packages, "traitlets", "4.3.3", "raise ImportError('this is the old one')\n");
      addPackage(packages, "ipykernel", "5.5.6", "raise ImportError('this is the old one')\n");
      const before = contentsOf(directory);
      const loan = await borrow(python);
      expect({ first: loan.first, own: loan.own }).toEqual({ first: true, own: ["ipykernel", "traitlets"] });
      expect(loan.conflicts).toContainEqual(
        expect.stringMatching(/^traitlets 4\.3\.3 \(ipykernel needs >=5/),
      );
      const { kernels, home } = localKernels({ python, loan, useForkServer: true });
      const code =
        "import importlib.metadata, traitlets; importlib.metadata.version('traitlets') == traitlets.__version__";
      expect((await runCell(await kernels.start({ cwd: home }), code)).value).toBe("True");
      await kernels.warmUp();
      expect((await runCell(await kernels.start({ cwd: home }), code)).value).toBe("True");
      expect(contentsOf(directory)).toBe(before);
    });

    test("goes first after a start with the interpreter's own packages has failed", async () => {
      const { python, packages } = bare();
      // Without metadata nothing says that it does not fit.
      writeFileSync(join(packages, "comm.py"), "raise ImportError('not the comm that is meant')\n");
      const loan = await borrow(python);
      expect([loan.first, loan.own]).toEqual([false, ["comm"]]);
      const lines: string[] = [];
      const { kernels, home } = localKernels({ python, loan, trace: (line) => lines.push(line) });
      const kernel = await kernels.start({ cwd: home });
      expect((await runCell(kernel, "1 + 1")).value).toBe("2");
      expect(lines.filter((line) => line.startsWith("lent packages: "))).toEqual([
        expect.stringMatching(/not the comm that is meant.*; trying with all of them$/),
      ]);
    });
  });
}
