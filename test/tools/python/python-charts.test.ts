/** Charts of Plotly, Altair and Bokeh, by renderers that are installed beside the kernel. */

import { beforeAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../../support/home.ts";
import { describeWithPython, testPython } from "../../support/python.ts";
import { type PythonSession, pythonSession } from "./python-session.ts";

describeWithPython(
  testPython,
  "charts",
  () => {
    let python: PythonSession;
    let site: string;
    beforeAll(async () => {
      site = temporaryDirectory({ lasts: "file" });
      python = await chartSession("file");
    });

    async function chartSession(lasts: "test" | "file"): Promise<PythonSession> {
      const session = await pythonSession({ python: testPython, lasts });
      await session.run(
        `from IPython.display import *\nimport sys\nsys.path.append(${JSON.stringify(site)})`,
      );
      return session;
    }

    /** A module that is installed. */
    function put(name: string, source: string): void {
      const path = join(site, name);
      mkdirSync(join(path, ".."), { recursive: true });
      writeFileSync(path, source);
    }

    const plotly = `display({"application/vnd.plotly.v1+json": {"data": [{"type": "bar", "name": "a", "x": [1, 2]}], "layout": {"title": {"text": "Sales"}}}, "text/html": "<div></div>"}, raw=True)`;
    const altair = [
      "class Chart:",
      "    def _repr_mimebundle_(self, include=None, exclude=None):",
      `        spec = {"mark": "point", "encoding": {"x": {"field": "a"}}, "data": {"values": [{"a": 1}]}}`,
      `        return {"application/vnd.vegalite.v5+json": spec, "text/plain": "alt.Chart(...)"}`,
      "Chart()",
    ].join("\n");

    test("are a line of text without a renderer", async () => {
      const { output, images } = await python.run(plotly, altair);
      expect(images).toBeUndefined();
      expect(output).toBe(
        '[1/2]\n[plotly chart "Sales": bar "a" (2 points)]\n[2/2]\n[vega chart: point (x: a); 1 row]',
      );
    });

    test("are pictures where one is installed; one that fails is not tried again", async () => {
      put("kaleido.py", "");
      put("plotly/__init__.py", "");
      put(
        "plotly/io.py",
        "asked = 0\ndef to_image(figure, format, validate):\n    global asked\n    asked += 1\n    raise OSError('no browser')\n",
      );
      put(
        "vl_convert.py",
        "import io\nfrom PIL import Image\ndef vegalite_to_png(spec):\n    data = io.BytesIO(); Image.new('L', (7, 5)).save(data, 'PNG'); return data.getvalue()\n",
      );
      const { output, images } = await python.run(
        altair,
        plotly,
        plotly,
        "import plotly.io\nplotly.io.asked",
      );
      expect(images).toHaveLength(1);
      expect(output.replace(/artifact:\/\/\w+/, "a").split("\n")).toEqual([
        "[1/4]",
        "[image 1: image/png, 7×5; original: a]",
        "[2/4]",
        '[plotly chart "Sales": bar "a" (2 points)]',
        "[3/4]",
        '[plotly chart "Sales": bar "a" (2 points)]',
        "[4/4]",
        "1",
      ]);
    });

    test("one that takes too long is waited for once, and used again when it is done", async () => {
      put(
        "vl_convert.py",
        "import io, os, time\nfrom PIL import Image\ndef vegalite_to_png(spec):\n    while not os.path.exists('go'): time.sleep(0.01)\n    data = io.BytesIO(); Image.new('L', (7, 5)).save(data, 'PNG'); return data.getvalue()\n",
      );
      const session = await chartSession("test");
      const summary = "[vega chart: point (x: a); 1 row]";
      await session.run("pictures = sys.modules['_omp.pictures']\npictures.RENDER_SECONDS = 0.05");
      expect((await session.run(altair)).output).toBe(summary);
      await session.run("pictures.RENDER_SECONDS = 600");
      expect((await session.run(altair)).output).toBe(summary);
      const done = "open('go', 'w').close()\npictures._late['vl_convert'].join()";
      expect((await session.run(done, altair)).images).toHaveLength(1);
    });

    test("Plotly shows its figures without nbformat, and without its JavaScript", async () => {
      put("plotly/__init__.py", "");
      put("plotly/io/__init__.py", "");
      put(
        "plotly/io/_renderers.py",
        [
          "from types import SimpleNamespace",
          "from IPython.display import display",
          "nbformat = None",
          "renderers = SimpleNamespace(default='plotly_mimetype+notebook')",
          "def show():",
          "    if not nbformat: raise ValueError('nbformat is not installed')",
          "    print(renderers.default, nbformat.__version__ >= '4.2.0')",
        ].join("\n"),
      );
      const { output } = await python.run(
        "import sys\nfor name in [each for each in sys.modules if each.split('.')[0] == 'plotly']: del sys.modules[name]",
        "import plotly.io._renderers as plots\nplots.show()",
      );
      expect(output).toBe("[1/2]\n[2/2]\nplotly_mimetype True");
    });

    test("one browser draws all figures of a session that come soon after each other", async () => {
      put(
        "plotly/io/__init__.py",
        "from types import SimpleNamespace\ndefaults = SimpleNamespace(plotlyjs=None, mathjax=None, topojson=None, default_scale=1, default_width=30, default_height=20)\n",
      );
      put(
        "kaleido.py",
        [
          "import io",
          "from PIL import Image",
          "started = []",
          "class Kaleido:",
          "    def __init__(self, **options): started.append(options)",
          "    async def __aenter__(self): return self",
          "    async def __aexit__(self, *problem): pass",
          "    async def calc_fig(self, figure, opts, topojson):",
          "        data = io.BytesIO(); Image.new('L', (opts['width'], opts['height'])).save(data, 'PNG'); return data.getvalue()",
        ].join("\n"),
      );
      const session = await chartSession("test");
      const { output } = await session.run(`${plotly}\n${plotly}`, "import kaleido\nkaleido.started");
      expect(output.replaceAll(/artifact:\/\/\w+/g, "a").split("\n")).toEqual([
        "[1/2]",
        "[image 1: image/png, 30×20; original: a]",
        "[image 2: image/png, 30×20; original: a]",
        "[2/2]",
        "[{'n': 1, 'plotlyjs': None, 'mathjax': False}]",
      ]);
    });

    test("Bokeh's figure is found by the id in its bundle, other SVG is drawn by cairosvg", async () => {
      const png = (width: number) =>
        `    data = io.BytesIO(); Image.new('L', (${width}, 2)).save(data, 'PNG'); return data.getvalue()\n`;
      put("selenium.py", "");
      put("bokeh/__init__.py", "");
      put("bokeh/model.py", "class Model:\n    def __init__(self, id): self.id = id\n");
      put("bokeh/io/__init__.py", "");
      put(
        "bokeh/io/export.py",
        "from PIL import Image\ndef get_screenshot_as_png(model, driver):\n    return Image.new('L', (int(model.id), driver))\n",
      );
      put(
        "bokeh/io/webdriver.py",
        "def create_chromium_webdriver(options): raise OSError('no such browser')\nclass Height(int):\n    def quit(self): pass\ndef create_firefox_webdriver(): return Height(2)\n",
      );
      put(
        "cairosvg.py",
        `import io\nfrom PIL import Image\ndef svg2png(bytestring):\n    assert b'<svg' in bytestring\n${png(4)}`,
      );
      const bundle = `{"application/vnd.bokehjs_exec.v0+json": "", "application/javascript": "draw()"}`;
      const { output, images } = await python.run(
        [
          "import bokeh.model",
          `display({"application/vnd.bokehjs_load.v0+json": "", "application/javascript": "load()"}, raw=True)`,
          "one, other = bokeh.model.Model('8'), bokeh.model.Model('9')",
          `display(${bundle}, metadata={"application/vnd.bokehjs_exec.v0+json": {"id": "9"}}, raw=True)`,
          'SVG(\'<svg xmlns="http://www.w3.org/2000/svg" width="4" height="2"></svg>\')',
        ].join("\n"),
      );
      expect(images).toHaveLength(2);
      expect(output.replaceAll(/; original: artifact:\/\/\w+/g, "").split("\n")).toEqual([
        "[image 1: image/png, 9×2]",
        "[image 2: image/png, 4×2]",
      ]);
    });
  },
  ["pillow"],
);
