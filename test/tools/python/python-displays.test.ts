import { beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { describeWithPython, testPython } from "../../support/python.ts";
import { cellsOf, type PythonSession, pythonSession } from "./python-session.ts";

const PLOT = "import matplotlib.pyplot as plt\n";

describeWithPython(
  testPython,
  "what the python tool shows",
  () => {
    let python: PythonSession;
    beforeAll(async () => {
      python = await pythonSession({ python: testPython, lasts: "file" });
    });

    async function imageFacts(base64: string) {
      const bytes = Buffer.from(base64, "base64");
      const { width, height, format } = await new Bun.Image(bytes).metadata();
      return { width, height, format };
    }

    describe("pictures", () => {
      test("a figure is an image for the model, without its placeholder text", async () => {
        const result = await python.run(
          `${PLOT}fig = plt.figure(figsize=(4, 3))\nplt.plot([1, 2, 3])\nplt.show()`,
        );
        expect(result.isError).toBe(false);
        expect(result.images).toHaveLength(1);
        expect(result.images?.[0]?.mediaType).toBe("image/png");
        const { width, height } = await imageFacts(result.images?.[0]?.base64 ?? "");
        expect(Math.max(width, height)).toBeLessThanOrEqual(1568);
        expect(result.output).not.toContain("<Figure");
        expect(result.output).toContain(`[image 1: image/png, ${width}×${height}`);
        const [display] = cellsOf(result)[0]?.displays ?? [];
        expect(display?.["image"]).toMatchObject({ mediaType: "image/png", width, height, part: 0 });
      });

      test("a figure at the end of a cell is shown without being asked for", async () => {
        const result = await python.run(`${PLOT}_ = plt.plot([1, 2])`);
        expect(result.images).toHaveLength(1);
      });

      test("a figure of 4000 by 3000 is scaled, and its original is kept", async () => {
        const result = await python.run(
          `${PLOT}fig = plt.figure(figsize=(40, 30), dpi=100)\nplt.plot([1, 2, 3])\nplt.show()`,
        );
        const facts = await imageFacts(result.images?.[0]?.base64 ?? "");
        expect(Math.max(facts.width, facts.height)).toBe(1568);
        expect(Math.abs(facts.width / facts.height - 4 / 3)).toBeLessThan(0.05);
        const [display] = cellsOf(result)[0]?.displays ?? [];
        const image = display?.["image"] as Record<string, unknown>;
        const original = readFileSync(python.artifacts.find(String(image["artifact"])) ?? "");
        expect(original.byteLength).toBe(Number(image["bytes"]));
        const { width } = await new Bun.Image(original).metadata();
        expect(width).toBeGreaterThan(2000);
        expect(result.output).toContain(`artifact://${image["artifact"]}`);
      });

      test("JPEG stays JPEG; SVG is noted and kept", async () => {
        const result = await python.run(
          [
            "import io",
            "from PIL import Image as Picture",
            "from IPython.display import Image, SVG, display",
            "data = io.BytesIO(); Picture.new('RGB', (64, 48), 'red').save(data, 'JPEG')",
            "display(Image(data.getvalue(), format='jpeg'))",
            'display(SVG(\'<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect width="5" height="5"/></svg>\'))',
          ].join("\n"),
        );
        expect(result.images?.map(({ mediaType }) => mediaType)).toEqual(["image/jpeg"]);
        expect(await imageFacts(result.images?.[0]?.base64 ?? "")).toMatchObject({ width: 64, height: 48 });
        expect(result.output).toContain("[image 1: image/jpeg, 64×48");
        expect(result.output).toMatch(/\[image 2: image\/svg\+xml, SVG images cannot be shown to the model/);
        const svg = cellsOf(result)[0]?.displays[1]?.["image"] as Record<string, unknown>;
        expect(python.artifact(svg["artifact"])).toContain("<rect");
      });

      test("what is no picture fails nothing", async () => {
        const result = await python.run(
          "display({'image/png': 'bm90IGEgcGljdHVyZQ==', 'text/plain': 'broken'}, raw=True)\n'after'",
        );
        expect(result.isError).toBe(false);
        expect(result.images).toBeUndefined();
        expect(result.output).toContain("cannot be read");
        expect(result.output).toContain("'after'");
      });

      test("more than eight are counted and kept, the first eight are shown", async () => {
        const result = await python.run(
          "from PIL import Image as Picture\nfor i in range(11): display(Picture.new('RGB', (8, 8), (i, 0, 0)))",
        );
        expect(result.images).toHaveLength(8);
        expect(result.output).toContain("[image 11: image/png, not shown");
      });
    });

    describe("text", () => {
      test("markdown goes before plain text, plain text before HTML", async () => {
        const bundle = (data: string) => `display({${data}}, raw=True)`;
        const [markdown, plain, html] = [
          "'text/markdown': '**m**'",
          "'text/plain': 'p'",
          "'text/html': '<b>h</b>'",
        ];
        const result = await python.run(
          [bundle(`${html}, ${plain}, ${markdown}`), bundle(`${html}, ${plain}`), bundle(`${html}`)].join(
            "\n",
          ),
        );
        expect(result.output).toBe("**m**\np\n**h**");
        expect(cellsOf(result)[0]?.displays).toEqual([
          { line: 0, lines: 1, format: "markdown", text: "**m**" },
          { line: 1, lines: 1, format: "text", text: "p" },
          { line: 2, lines: 1, format: "markdown", text: "**h**" },
        ]);
      });

      test("HTML becomes markdown instead of a placeholder", async () => {
        const result = await python.run(
          "from IPython.display import HTML\nHTML('<h2>Title</h2><script>alert(1)</script><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>x &amp; y</td></tr></table><p>See <a href=\"https://example.org\">here</a></p>')",
        );
        expect(result.output).toBe(
          "## Title\n| a | b |\n| --- | --- |\n| 1 | x & y |\nSee [here](https://example.org)",
        );
      });

      test("JSON is kept as a tree", async () => {
        const result = await python.run("from IPython.display import JSON\nJSON({'a': [1, {'b': None}]})");
        expect(cellsOf(result)[0]?.displays[0]).toMatchObject({ json: { a: [1, { b: null }] } });
        expect(JSON.parse(result.output)).toEqual({ a: [1, { b: null }] });
      });

      test("a data frame is its table of text", async () => {
        const result = await python.run(
          "import pandas as pd\npd.DataFrame({'name': ['ä', 'b'], 'n': [1, 2]})",
        );
        expect(result.output).toMatch(/^\s+name\s+n\n0\s+ä\s+1\n1\s+b\s+2$/);
        expect(cellsOf(result)[0]?.displays[0]?.["table"]).toEqual({
          columns: ["", "name", "n"],
          rows: [
            ["0", "ä", "1"],
            ["1", "b", "2"],
          ],
          rowCount: 2,
          columnCount: 3,
        });
      });

      test("a large data frame says how large it is", async () => {
        const result = await python.run("pd.DataFrame({f'c{i}': range(1000) for i in range(30)})");
        const table = cellsOf(result)[0]?.displays[0]?.["table"];
        expect(table).toMatchObject({ rowCount: 1000, columnCount: 30 });
      });

      test("LaTeX is its source instead of a placeholder", async () => {
        const result = await python.run("from IPython.display import Math\nMath(r'\\frac{1}{2}')");
        expect(result.output).toBe("$\\displaystyle \\frac{1}{2}$");
        expect(cellsOf(result)[0]?.displays[0]).toMatchObject({ format: "latex" });
      });

      test("each display says which lines of the output are its own", async () => {
        const result = await python.run(
          [
            "from IPython.display import Markdown, clear_output",
            "print('one\\ntwo', end='')",
            "display(Markdown('a\\nb'))",
            "print('three')",
            "handle = display(Markdown('first'), display_id=True)",
            "display({'image/svg+xml': '<svg/>'}, raw=True)",
            "print('four')",
            "handle.update(Markdown('second'))",
          ].join("\n"),
        );
        const [cell] = cellsOf(result);
        expect(result.output.split("\n")).toEqual([
          "one",
          "two",
          "a",
          "b",
          "three",
          "first",
          expect.stringMatching(/^\[image 1: image\/svg\+xml/),
          "four",
          "second",
        ]);
        expect(cell?.displays.map(({ line, lines }) => [line, lines])).toEqual([
          [2, 2],
          [8, 1],
          [6, 0],
        ]);
        const cleared = await python.run("print('old')\nclear_output()\ndisplay(Markdown('new'))");
        expect(cellsOf(cleared)[0]?.displays).toMatchObject([{ line: 0, lines: 1 }]);
      });

      test("those lines are of the whole output, also when several cells ran or its beginning is cut", async () => {
        const show = (text: string) => `print('before'); display(Markdown('${text}'))`;
        const cells = await python.run(show("one"), "pass", show("three"));
        const lines = cells.output.split("\n");
        const placed = cellsOf(cells).flatMap(({ displays }) =>
          displays.map(({ line }) => lines[Number(line)]),
        );
        expect(placed).toEqual(["one", "three"]);
        const cut = await python.run(`${show("early")}\nfor i in range(5000): print(i)\n${show("late")}`);
        const [early, late] = cellsOf(cut)[0]?.displays ?? [];
        expect(cut.details.truncated).toBe(true);
        expect(early).toEqual({ format: "markdown", text: "early" });
        expect(cut.output.split("\n")[Number(late?.["line"])]).toBe("late");
      });

      test("of a type that nobody knows is named", async () => {
        const result = await python.run("display({'application/x-unknown': 'data'}, raw=True)");
        expect(result.output).toBe("[display: application/x-unknown]");
      });

      test("of a type that nobody knows is shown if it is JSON or text, unless there is better", async () => {
        const result = await python.run(
          [
            "display({'application/geo+json': {'type': 'Point'}, 'text/plain': '<IPython.display.GeoJSON object>'}, raw=True)",
            "display({'text/csv': 'a,b\\n1,2'}, raw=True)",
            "display({'application/vnd.dataresource+json': {'data': [1]}, 'text/plain': 'plain'}, raw=True)",
            "display({'application/vnd.custom+json': 'not an object'}, raw=True)",
          ].join("\n"),
        );
        expect(result.output).toBe(
          '{\n  "type": "Point"\n}\na,b\n1,2\nplain\n[display: application/vnd.custom+json]',
        );
      });

      test("printed before it ends its line first", async () => {
        expect((await python.run("print('no newline', end='')\n42")).output).toBe("no newline\n42");
      });
    });

    describe("change", () => {
      test("an updated display is shown in its last state", async () => {
        const result = await python.run(
          "h = display('first', display_id=True)\nfor i in range(50): h.update(f'state {i}')\nprint('done')",
        );
        expect(cellsOf(result)[0]?.displays).toEqual([
          { line: 2, lines: 1, format: "text", text: "'state 49'" },
        ]);
        expect(result.output).toContain("'state 49'");
        expect(result.output).not.toContain("state 48");
      });

      test("an update of a display of an earlier call is shown where it happens", async () => {
        await python.run("h = display('first', display_id=True)");
        const result = await python.run("h.update('later')\nh.update('last')");
        expect(cellsOf(result)[0]?.displays).toEqual([{ line: 1, lines: 1, format: "text", text: "'last'" }]);
        expect(result.output).toContain("'last'");
      });

      test("cleared output is gone for the model, and whole in the artifact", async () => {
        const result = await python.run(
          "from IPython.display import clear_output\nprint('old')\ndisplay('old display')\nclear_output(wait=True)\nprint('new')",
        );
        expect(result.output).toBe("new");
        expect(cellsOf(result)[0]?.displays).toEqual([]);
        expect(python.artifact(result.details.artifact)).toContain("old");
      });

      test("clearing takes nothing of an earlier cell", async () => {
        const result = await python.run("print('stays')", "print('goes')\nclear_output()\nprint('comes')");
        expect(result.output).toBe("[1/2]\nstays\n[2/2]\ncomes");
      });

      test("clearing with nothing after it waits for ever", async () => {
        expect((await python.run("print('stays')\nclear_output(wait=True)")).output).toBe("stays");
      });
    });

    test("a loop of ten thousand displays stays within its bounds", async () => {
      const result = await python.run("for i in range(10_000): display(i)");
      expect(cellsOf(result)[0]?.displays).toHaveLength(200);
      expect(result.output).toContain("[9800 more displays were not kept]");
      expect(result.output.length).toBeLessThan(31_000);
    });
  },
  ["matplotlib", "pandas", "pillow"],
);
