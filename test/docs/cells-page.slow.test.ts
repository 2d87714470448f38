/** The recipes of docs/cells.md run as they are written, one after the other in one kernel. */

import { expect, test } from "bun:test";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lookAtFile } from "../../src/app/input-sample.ts";
import { openServices } from "../../src/app/services.ts";
import { callTool } from "../../src/app/tool-call.ts";
import { openModel } from "../../src/models/open-model.ts";
import { temporaryPlace } from "../support/home.ts";
import { checkout, userEnvironment } from "../support/omp.ts";
import { describeWithPython, testPython } from "../support/python.ts";

const page = readFileSync(join(checkout, "docs/cells.md"), "utf8");
const recipes = [...page.slice(page.indexOf("## Recipes")).matchAll(/```python\n([\s\S]*?)```/g)].map(
  ([, code = ""]) => code,
);

const printed = [
  "[('os', 2), ('sys', 1)]",
  "{'alpha': 2, 'beta': 2}",
  "9",
  "{'bad.py': 1}",
  "one.py\n4:word = 'color'",
  "{'one.py': 'Code.', 'two.py': 'Code.'}",
  "40057 [(3001, 'ERROR no disk')] bye",
  "Finding(line=1, why='no name')",
];

/** Each request takes the next. */
const turns = [
  { error: { status: 400, message: "too short" } },
  { text: "Code." },
  { text: "Code." },
  { text: '{"line": 1, "why": "no name"}' },
];

describeWithPython(testPython, "docs/cells.md", () => {
  test("every recipe prints what it should", async () => {
    const place = temporaryPlace();
    const files = {
      "one.py": "import os\nimport sys\nalpha = 1\nword = 'colour'\n",
      "two.py": "import os\nbeta = 2\n",
      "bad.py": "def broken(:\n\n\n",
    };
    const script = join(place.home, "script.json");
    writeFileSync(script, JSON.stringify({ turns }));
    const model = await openModel(`script:${script}`, { env: {}, cwd: place.home, endpoints: [] });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(place.project, name), text);
    const env = userEnvironment(place, { VIRTUAL_ENV: testPython.venv });
    const services = await openServices({ env, cwd: place.project }, { stderr: () => undefined });
    const log = join(place.home, "log");
    writeFileSync(
      log,
      `${"fine today.\n".repeat(3_000)}ERROR no disk\n${"4".repeat(4_000)}\n${"5".repeat(38)}\nbye`,
    );
    services.inputs.adopt({ path: log, facts: lookAtFile(log, statSync(log).size) });
    try {
      const outputs: string[] = [];
      for (const code of recipes) {
        const { output } = await callTool(services, {
          ...{ id: "recipe", name: "python", input: { cells: [{ code }] }, dryRun: false },
          ...{ signal: new AbortController().signal, onUpdate: () => undefined },
          openModel: async () => model,
          onBug: (report) => expect(report).toBe(""),
        });
        outputs.push(output);
      }
      expect(outputs).toEqual(printed);
    } finally {
      await services.close();
    }
  });
});
