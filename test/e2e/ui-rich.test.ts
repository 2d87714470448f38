/** What cells show, on screens of three sizes, kept as text: trees, tables, Markdown, a formula, a picture; collapsed and expanded. */

import { expect, test } from "bun:test";
import { done, ringWhenDone, statusLine, withoutTimes } from "../support/at-rest.ts";
import { temporaryPlace } from "../support/home.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { openScreen } from "../support/screen.ts";
import { scriptModel } from "../support/script-model.ts";

const sizes = [
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
  { columns: 40, rows: 15 },
];

const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="5" height="5"/></svg>`;

const cells = [
  {
    title: "a tree",
    code: [
      "from IPython.display import HTML, JSON, Markdown, Math, SVG",
      "print('before')",
      "display(JSON({'name': 'omp', 'nested': {'a': [1, {'b': None}], 'c': {'d': {'e': True}}}, 'list': list(range(50))}))",
      "print('after')",
      "JSON([{'id': i, 'name': f'record {i}', 'half': i / 2, 'even': i % 2 == 0} for i in range(40)])",
    ].join("\n"),
  },
  {
    title: "a frame",
    code: "import pandas as pd\npd.DataFrame({f'column_{c}': [c * r for r in range(500)] for c in range(25)})",
  },
  {
    title: "words",
    code: [
      "display(Markdown('**Bold** and a list:\\n\\n- one\\n- two'))",
      "display(HTML('<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>'))",
      "display(Math(r'\\frac{1}{2}'))",
      `display(SVG('${svg}'))`,
      "print('z' * 200)",
    ].join("\n"),
  },
];

describeWithPython(
  testPython,
  "what cells show",
  () => {
    for (const { columns, rows } of sizes) {
      test(`${columns} × ${rows}`, async () => {
        const place = temporaryPlace();
        ringWhenDone(place);
        const calls = [{ name: "python", input: { cells } }];
        const screen = openScreen({
          place,
          args: ["-m", scriptModel(place, [{ toolCalls: calls }, { text: "Done." }])],
          env: { VIRTUAL_ENV: testPython.venv },
          columns,
          rows,
        });
        await screen.waitFor("❯ Ask");
        await done(screen, "show");
        expect(screen.text).toMatch(/Done\.\n\n▸ [^\n]*1 call\n\n─+\n❯ Ask[^\n]*\n.*script:/);
        expect(steady(screen.allText)).toMatchSnapshot("collapsed");
        screen.type("\x0f");
        await screen.waitFor(/^Done\.\n[\s\S]*q close/m);
        screen.resize(columns, 500);
        screen.type("g");
        await screen.waitFor(/❯ show\n[\s\S]*^Done\.\n[\s\S]*q close/m);
        const expanded = screen.text.slice(screen.text.indexOf("python 1/3"), screen.text.indexOf("\n~"));
        expect(steady(expanded)).toMatchSnapshot("expanded");
        screen.type("q");
        await screen.waitFor(({ text }) => text.match(/❯ Ask/g)?.length === 1);
      });
    }
  },
  ["pandas"],
);

/** Times and names are others each time. */
function steady(text: string): string {
  return withoutTimes(text)
    .replace(/artifact:\/\/\w+/g, "artifact://ID")
    .replace(/^❯ Ask.*$/gm, "<prompt>")
    .replace(statusLine, "<status>")
    .replace(/\n{3,}/g, "\n\n\n");
}
