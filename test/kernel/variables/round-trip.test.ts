import { expect, test } from "bun:test";
import { join } from "node:path";
import type { Kernel } from "../../../src/kernel/kernel.ts";
import { keptNames } from "../../../src/kernel/variables/kept-index.ts";
import { temporaryDirectory } from "../../support/home.ts";
import { kernelEnvironment, localKernels, runCell } from "../../support/kernels.ts";
import { describeWithPython, pythonsUnderTest, testPython } from "../../support/python.ts";
import { failuresOf, fixture, keepIn, modeOf, readIn, restoreIn } from "./variables.ts";

const checks = fixture("kinds_checks.py").trim().split("\n");

/** Kernels of one file, started one after the other from a fork server. */
function kernelsOf(python = testPython) {
  const { kernels, home } = localKernels(
    {
      python: python.path,
      env: kernelEnvironment(temporaryDirectory({ lasts: "file" }), python),
      useForkServer: true,
    },
    { lasts: "file" },
  );
  return async (code = ""): Promise<Kernel> => {
    const kernel = await kernels.start({ cwd: home });
    if (code !== "") expect((await runCell(kernel, code)).error).toBeUndefined();
    return kernel;
  };
}

for (const python of pythonsUnderTest) {
  // The second one has no cloudpickle of its own: it is lent.
  describeWithPython(python, `variables with ${python.name}`, () => {
    const start = kernelsOf(python);

    test("about sixty kinds of values come back as they were, and what cannot be kept is named with the reason", async () => {
      const directory = temporaryDirectory();
      const { index } = await keepIn(directory, await start(fixture("kinds.py")));
      expect(index.notKept.map(({ name, type, why }) => `${name} (${type}): ${why}`)).toEqual([
        "conn (Connection): cannot pickle 'sqlite3.Connection' object",
        "fh (TextIOWrapper): it is an open file",
        "g (generator): cannot pickle 'generator' object",
        "holds_lock (dict): it holds lock, which was not kept",
        "lock (lock): cannot pickle '_thread.lock' object",
        "thread (Thread): cannot pickle '_thread.lock' object",
      ]);
      expect(index.notes).toEqual(["the arrays arr and strided and view shared memory, and do not any more"]);
      expect(index.pickler).toStartWith("cloudpickle 3.");
      expect([modeOf(join(directory, "kept")), modeOf(join(directory, "key"))]).toEqual(["600", "600"]);
      const kernel = await start();
      await restoreIn(directory, kernel);
      expect(await failuresOf(kernel, checks)).toEqual([]);
    });

    test("variables that were not loaded are kept again, with what was done to the others", async () => {
      const directory = temporaryDirectory();
      const before = await keepIn(directory, await start(fixture("kinds.py")));
      const second = await start();
      await restoreIn(directory, second);
      expect((await runCell(second, "lst.append(9); new = 5; del dt; d = {'a': 1}")).error).toBeUndefined();
      const after = await keepIn(directory, second);
      const expected = [...keptNames(before.index), "new"].filter((name) => name !== "dt").sort();
      expect(keptNames(after.index)).toEqual(expected);
      const third = await start();
      await restoreIn(directory, third);
      const rest = checks.filter((code) => !code.includes("dt.year") && !code.includes('nested["d"]'));
      expect(
        await failuresOf(third, [...rest, "assert nested['l'] is lst and lst[3] == 9 and new == 5"]),
      ).toEqual([]);
      expect((await runCell(third, "dt")).error).toBe("NameError");
    });
  });
}

describeWithPython(testPython, "variables", () => {
  const start = kernelsOf();

  test("a kernel that does not see the file gives and gets the bytes through its messages", async () => {
    const directory = temporaryDirectory();
    const big = "import numpy as np\nbig = np.arange(1_000_000)\nname = 'x'";
    await keepIn(directory, await start(big), { isVisible: false });
    const kernel = await start();
    await restoreIn(directory, kernel, { isVisible: false });
    expect(await failuresOf(kernel, ["assert big.sum() == 499999500000 and name == 'x'"])).toEqual([]);
  });

  test("nothing is loaded before a cell names it, and a function brings what it looks up", async () => {
    const directory = temporaryDirectory();
    const code = `
class Loud:
    def __init__(self, name): self.name = name
    def __setstate__(self, state):
        self.__dict__.update(state)
        print("loaded", self.name)
a, b, c, unused = Loud("a"), Loud("b"), Loud("c"), Loud("unused")
def outer(): return inner()
def inner(): return a.name
`;
    await keepIn(directory, await start(code));
    const kernel = await start();
    await restoreIn(directory, kernel);
    const printed = async (cell: string) => (await runCell(kernel, cell)).stdout;
    expect(await printed("print([name for name in dir() if len(name) == 1 and name.isalpha()])")).toBe(
      "['a', 'b', 'c']\n",
    );
    expect(await printed("unrelated = 1; b = 2")).toBe("");
    expect(await printed("print(outer())")).toBe("loaded a\na\n");
    expect(await printed("%timeit -n1 -r1 c")).toStartWith("loaded c\n");
    expect(await printed("print(b)")).toBe("2\n");
    expect(await printed("del unused")).toBe("");
    expect((await runCell(kernel, "unused")).error).toBe("NameError");
  });

  test("plots, tables and what they share come back", async () => {
    const directory = temporaryDirectory();
    await keepIn(directory, await start(fixture("tables.py")));
    const kernel = await start();
    await restoreIn(directory, kernel);
    expect(await failuresOf(kernel, fixture("tables_checks.py").trim().split("\n"))).toEqual([]);
  });

  test("a value that cannot be loaded is said once, its name is gone, and the others work", async () => {
    const directory = temporaryDirectory();
    const module =
      "import sys, types\nmade = sys.modules['gone'] = types.ModuleType('gone')\nmade.G = type('G', (), {'__module__': 'gone'})\n";
    await keepIn(directory, await start(`${module}g = made.G(); h = [g]; fine = 1; del made`));
    const kernel = await start();
    await restoreIn(directory, kernel);
    const { error, stderr } = await runCell(kernel, "g");
    expect([error, stderr]).toEqual([
      "NameError",
      "omp: g could not be restored: ModuleNotFoundError: No module named 'gone'\n",
    ]);
    expect((await runCell(kernel, "h")).stderr).toContain("omp: h could not be restored");
    expect((await runCell(kernel, "fine")).value).toBe("1");
    // Where the module is there again, so are they.
    await keepIn(directory, kernel);
    const later = await start();
    await restoreIn(directory, later);
    expect(await failuresOf(later, [module, "assert h[0] is g"])).toEqual([]);
  });

  test("code of another version of Python is not loaded, and data is", async () => {
    const directory = temporaryDirectory();
    const code = "def f(): return 1\nclass C:\n  def m(self): return 2\nc = C(); data = {'a': [1]}";
    await keepIn(directory, await start(code));
    const kernel = await start();
    await restoreIn(directory, kernel);
    await runCell(kernel, "import sys; own = sys.version_info; sys.version_info = (3, 99, 0)");
    const lineOf = (name: string) =>
      new RegExp(
        `^omp: ${name} could not be restored: .*is of Python 3\\.\\d+, and this is Python 3\\.99\\n`,
      );
    expect((await runCell(kernel, "f")).stderr).toMatch(lineOf("f"));
    expect((await runCell(kernel, "c")).stderr).toMatch(lineOf("(?:C, )?c"));
    expect(await failuresOf(kernel, ["sys.version_info = own", "assert data == {'a': [1]}"])).toEqual([]);
  });

  test("without cloudpickle, functions of cells are kept, and classes of cells are not", async () => {
    const directory = temporaryDirectory();
    const code = "class C: pass\nc = C(); factor = 3\ndef f(v): return v * factor\ng = [f, lambda: f(2)]";
    const hide = "import sys; sys.modules['cloudpickle'] = None";
    const { index } = await keepIn(directory, await start(`${hide}\n${code}`), { lent: undefined });
    const why = "the class C is of a cell, and there is no cloudpickle here";
    expect(index.notKept).toEqual([
      { name: "C", type: "type", why },
      { name: "c", type: "C", why: expect.stringMatching(/^(?:the class C is|it holds C)/) },
    ]);
    expect(index.pickler).toBe("pickle");
    const kernel = await start();
    await restoreIn(directory, kernel);
    expect(await failuresOf(kernel, ["assert g[0] is f and g[1]() == 6"])).toEqual([]);
  });

  test("limits by size and time leave out the largest values, and say so", async () => {
    const directory = temporaryDirectory();
    const kernel = await start(
      "import numpy as np\nsmall = [1]\nmiddle = np.ones(50_000)\nlarge = np.ones(1_000_000)\n",
    );
    const why = async (options: object) =>
      (await keepIn(directory, kernel, options)).index.notKept.map((each) => `${each.name}: ${each.why}`);
    expect(await why({ valueBytes: 1e6 })).toEqual(["large: it is larger than 1 MB"]);
    expect(await why({ totalBytes: 300_000 })).toEqual([
      "large: there was no room for it in 0.3 MB",
      "middle: there was no room for it in 0.3 MB",
    ]);
    const slow =
      "import time\nclass Slow:\n  def __reduce__(self):\n    time.sleep(0.6)\n    return Slow, ()\nslow = Slow()";
    await runCell(kernel, slow);
    expect(await why({ seconds: 0.5 })).toContain("large: the 0.5 seconds for it were over");
  });

  test("a file that omp did not write, or that others can reach, is refused", async () => {
    const { chmodSync, readFileSync, writeFileSync } = await import("node:fs");
    const directory = temporaryDirectory();
    await keepIn(directory, await start("a = list('abc'); b = {'k': 'v'}"));
    const path = join(directory, "kept");
    const bytes = readFileSync(path);
    const refusedWith = (changed: Buffer) => {
      writeFileSync(path, changed);
      return readIn(directory);
    };
    const swapped = Buffer.from(bytes);
    swapped.write('"x"', bytes.lastIndexOf('"a"'));
    expect(refusedWith(swapped)).toEqual({ refused: `${path} was not written by this omp` });
    expect(refusedWith(bytes.subarray(0, -1))).toEqual({ refused: `${path} is damaged` });
    expect(refusedWith(Buffer.alloc(0))).toEqual({ refused: `${path} is damaged` });
    writeFileSync(path, bytes);
    chmodSync(path, 0o640);
    expect(readIn(directory)).toEqual({ refused: `${path} is not private: others can read or change it` });
    chmodSync(path, 0o600);
    // The values are checked one by one, before they are unpickled.
    const other = Buffer.from(bytes);
    other.write("X", bytes.indexOf("v"));
    writeFileSync(path, other);
    const kernel = await start();
    await restoreIn(directory, kernel);
    const { error, stderr } = await runCell(kernel, "b");
    expect([error, stderr]).toEqual([
      "NameError",
      "omp: b could not be restored: its bytes are not those that were kept\n",
    ]);
    expect((await runCell(kernel, "a")).value).toBe("['a', 'b', 'c']");
  });
});
