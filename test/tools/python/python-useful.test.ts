/** What libraries show in notebooks, as text and pictures that a model can use. */

import { beforeAll, describe, expect, test } from "bun:test";
import { describeWithPython, testPython } from "../../support/python.ts";
import { cellsOf, type PythonSession, pythonSession } from "./python-session.ts";

describeWithPython(
  testPython,
  "useful text from libraries",
  () => {
    let python: PythonSession;
    beforeAll(async () => {
      python = await pythonSession({ python: testPython, lasts: "file" });
      await python.run("from IPython.display import *\nimport ipywidgets as widgets");
    });

    describe("tables", () => {
      test("a Styler is its table, not its address", async () => {
        const { output } = await python.run(
          "import pandas as pd\npd.DataFrame({'a': [1, 2], 'b': [0.123, 2]}).style.format(precision=1)",
        );
        expect(output).toBe("| | a | b |\n| --- | --- | --- |\n| 0 | 1 | 0.1 |\n| 1 | 2 | 2.0 |");
      });

      test("a long one keeps its column names and both ends, and the artifact has all of it", async () => {
        const result = await python.run(
          "pd.set_option('display.max_rows', None)\npd.DataFrame({'first': range(5000), 'second': range(5000)})",
        );
        const lines = result.output.split("\n");
        expect(lines[0]).toMatch(/^ +first +second$/);
        expect(lines[1]).toMatch(/^0 +0 +0$/);
        expect(lines.at(-1)).toMatch(/^4999 +4999 +4999$/);
        expect(result.output).toContain(`left out; all of it: artifact://${result.details.artifact} …]`);
        expect(result.details).toMatchObject({ truncated: true, totalLines: 5001 });
        expect(python.artifact(result.details.artifact)).toMatch(/^2500 +2500 +2500$/m);
        const after = await python.run("pd.DataFrame({'x': range(3000)})\nprint('printed')", "print('next')");
        expect(after.output).toEndWith("[2/2]\nnext");
        await python.run("pd.reset_option('display.max_rows')");
      });

      test("a long one that is printed does, too, and pictures of what was left out are above it", async () => {
        const result = await python.run(
          "from PIL import Image as Picture\nprint('two tables')\ndisplay(Picture.new('L', (1, 1)))",
          "display(Picture.new('L', (2, 1)))\nprint(pd.DataFrame({'first': range(5000), 'second': range(5000)}).to_string())\ndisplay(Picture.new('L', (3, 1)))",
        );
        const lines = result.output.split("\n");
        expect(lines.slice(0, 2).map((line) => line.slice(0, 25))).toEqual([
          "[image 1: image/png, 1×1;",
          "[image 2: image/png, 2×1;",
        ]);
        expect(lines[2]).toMatch(/^ +first +second$/);
        expect(lines[3]).toMatch(/^0 +0 +0$/);
        expect(lines[22]).toMatch(/^\[… [\d,]+ lines of the table left out …\]$/);
        expect(lines.at(-3)).toMatch(/^4999 +4999 +4999$/);
        expect(lines.at(-2)).toStartWith("[image 3: image/png, 3×1;");
        expect(lines.at(-1)).toStartWith("[output cut: showing the first 20 lines of a table and the last ");
        expect(result.details).toMatchObject({ truncated: true, totalLines: 5004 });
      });
    });

    describe("pictures", () => {
      test("stand in the text where they were shown, in each cell", async () => {
        const figure = (n: number) =>
          `print('before ${n}')\nfrom PIL import Image as Picture\ndisplay(Picture.new('L', (${n}, 1)))\nprint('after ${n}')`;
        const { output } = await python.run(figure(1), figure(2));
        expect(output.replaceAll(/artifact:\/\/\w+/g, "a")).toBe(
          [
            "[1/2]",
            "before 1",
            "[image 1: image/png, 1×1; original: a]",
            "after 1",
            "[2/2]",
            "before 2",
            "[image 2: image/png, 2×1; original: a]",
            "after 2",
          ].join("\n"),
        );
      });

      test("and before all of the text when the text around them was cut", async () => {
        const { output } = await python.run(
          "display(Picture.new('L', (1, 1)))\nfor i in range(5000): print(i)",
        );
        const [image, first, ...rest] = output.split("\n");
        expect(rest.at(-1)).toStartWith("[output cut:");
        expect(image).toStartWith("[image 1: image/png, 1×1");
        expect(first).toBe("3000");
      });

      test("a figure in SVG comes with a PNG, which is what the model gets", async () => {
        const { output, images } = await python.run(
          [
            "import matplotlib.pyplot as plt",
            "%config InlineBackend.figure_formats = ['svg']",
            "plt.figure(figsize=(4.608, 3.456))",
            "_ = plt.plot([1, 2])",
          ].join("\n"),
        );
        expect(images?.map(({ mediaType }) => mediaType)).toEqual(["image/png"]);
        expect(output).toMatch(/^\[image 1: image\/png, \d+×\d+; original: artifact:\/\/\w+\]$/);
        await python.run("%config InlineBackend.figure_formats = ['png']");
      });

      test("a figure of uneven size has no placeholder beside it", async () => {
        const { output } = await python.run("plt.figure(figsize=(4.608, 3.456))\nplt.plot([1])\nplt.show()");
        expect(output).toMatch(/^\[image 1: image\/png, [^\n]*\]$/);
      });

      test("those elsewhere are their addresses, sounds their type", async () => {
        const { output } = await python.run(
          "display(Image(url='https://example.org/cat.png'))\nAudio([0.0, 0.5] * 400, rate=8000)",
        );
        expect(output).toBe("![](https://example.org/cat.png)\n[audio: audio/wav, 1.6 kB]");
      });
    });

    describe("progress and widgets", () => {
      const bar = "bar_format='{l_bar}{bar}{n_fmt}/{total_fmt}'";

      test.each(["notebook", "auto"])("tqdm.%s ends with its last state", async (kind) => {
        const { output } = await python.run(
          `import warnings; warnings.simplefilter('ignore')\nfrom tqdm.${kind} import tqdm\nfor i in tqdm(range(3), desc='load', ${bar}): print(i)`,
        );
        expect(output).toBe("0\n1\n2\nload: 100% |██████████| 3/3");
      });

      test("rich.progress ends with its last state", async () => {
        const { output } = await python.run(
          [
            "from rich.progress import Progress, TextColumn, MofNCompleteColumn",
            "with Progress(TextColumn('{task.description}'), MofNCompleteColumn(), auto_refresh=False) as progress:",
            "    job = progress.add_task('work', total=3)",
            "    for i in range(3):",
            "        progress.advance(job); progress.refresh()",
            "print('done')",
          ].join("\n"),
        );
        expect(output.split("\n").map((line) => line.trim())).toEqual(["done", "work 3/3"]);
      });

      describe("without ipywidgets", () => {
        const hide = [
          "import sys",
          "for name in [name for name in sys.modules if name.partition('.')[0] in ('tqdm', 'rich')]: del sys.modules[name]",
          "sys.modules['ipywidgets'] = None",
          "from _omp import progress_bars; progress_bars.install()",
        ].join("\n");

        test.each(["notebook", "auto"])("tqdm.%s is a bar of text, and warns of nothing", async (kind) => {
          const { output } = await python.run(
            `${hide}\nfrom tqdm.${kind} import tqdm, trange\nfor i in tqdm(range(3), desc='load', ${bar}): pass\nfor i in trange(2, ${bar}): pass`,
          );
          expect(output).toBe("load: 100%|██████████3/3\n100%|██████████2/2");
        });

        test("rich.progress is a line that is written again, and all of it at the end", async () => {
          const { output } = await python.run(
            [
              hide,
              "from rich.progress import Progress, TextColumn, MofNCompleteColumn",
              "with Progress(TextColumn('{task.description}'), MofNCompleteColumn()) as progress:",
              "    jobs = [progress.add_task(name, total=3) for name in ('one', 'two')]",
              "    for i in range(3):",
              "        for job in jobs: progress.advance(job); progress.refresh()",
              "print('done')",
            ].join("\n"),
          );
          expect(output.split("\n").map((line) => line.trim())).toEqual(["one 3/3", "two 3/3", "done"]);
        });
      });

      test("a widget is told again where it changed, also in a later call", async () => {
        const first = await python.run(
          "slider = widgets.IntSlider(value=1, description='n')\ndisplay(slider)\nprint('below')",
        );
        expect(first.output).toBe(`IntSlider(value=1, description='n')\nbelow`);
        const changed = await python.run("slider.value = 5\nprint('printed')");
        expect(changed.output).toBe('printed\nIntSlider(description="n", value=5)');
        expect((await python.run("print('quiet')")).output).toBe("quiet");
      });

      test("clearing inside an Output widget clears only the widget's", async () => {
        const { output } = await python.run(
          [
            "print('kept')",
            "out = widgets.Output()",
            "display(out)",
            "for i in range(3):",
            "    with out:",
            "        clear_output(wait=True)",
            "        print('frame', i)",
            "print('kept, too')",
          ].join("\n"),
        );
        expect(output).toBe("kept\nkept, too\nframe 2");
      });

      test("what an Output widget takes is told, with its pictures, whether it is shown or not", async () => {
        const result = await python.run(
          "hidden = widgets.Output()\nwith hidden:\n    print('taken')\n    display(Picture.new('L', (3, 1)))\nprint('outside')",
        );
        expect(result.output.replace(/artifact:\/\/\w+/, "a")).toBe(
          "outside\ntaken\n[image 1: image/png, 3×1; original: a]",
        );
        expect((await python.run("hidden")).output).toContain("taken");
      });
    });

    describe("errors and bytes", () => {
      test("frames of an endless recursion are collapsed", async () => {
        const direct = await python.run("def down(n):\n    return down(n + 1)\ndown(0)");
        const mutual = await python.run(
          "def a(n):\n    return b(n)\ndef b(n):\n    return c(n)\ndef c(n):\n    return a(n)\na(0)",
        );
        const inside = await python.run(
          "class Loop:\n    def __getattr__(self, name):\n        return getattr(self, name + 'x')\nLoop().y",
        );
        for (const { output, isError } of [direct, mutual, inside]) {
          expect(isError).toBe(true);
          expect(output.split("\n").length).toBeLessThan(60);
          expect(output).toContain("RecursionError: maximum recursion depth exceeded");
        }
      });

      test("NULs hide nothing around them", async () => {
        const { output } = await python.run("for i in range(50): print(f'row {i}\\0{i}')");
        expect(output.split("\n")).toEqual(Array.from({ length: 50 }, (_, row) => `row ${row}␀${row}`));
      });
    });

    test("what a display shows is in its details", async () => {
      const result = await python.run("display(widgets.Label('text'))");
      expect(cellsOf(result)[0]?.displays).toMatchObject([{ line: 0, lines: 1, format: "text" }]);
    });
  },
  ["matplotlib", "pandas", "pillow", "ipywidgets", "tqdm", "rich"],
);
