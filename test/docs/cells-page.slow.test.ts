/** The recipes of docs/cells.md run as they are written, one after the other in one kernel of a real session. */

import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openAgentSession } from "../../src/app/agent-session.ts";
import { lookAtFile } from "../../src/app/input-sample.ts";
import { callTool } from "../../src/app/tool-call.ts";
import { temporaryPlace } from "../support/home.ts";
import { checkout, userEnvironment } from "../support/omp.ts";
import { describeWithPython, testPython } from "../support/python.ts";

const page = readFileSync(join(checkout, "docs/cells.md"), "utf8");
const recipes = [...page.slice(page.indexOf("## Recipes")).matchAll(/```python\n([\s\S]*?)```/g)].map(
  ([, code = ""]) => code,
);

const files = {
  "sales/01-jan.csv": "city,amount\nOslo,10\nRome,30\n",
  "sales/02-feb.csv": "city,amount\nOslo,20\nRome,50\n",
  "reviews.csv": "text\nGreat!\nFine by me.\nI like it.\n",
  "invoice.txt": "Invoice A-7, total 12.50 EUR\n",
  "load.py": "import pandas\npandas.read_table('x')\n",
  "bad.py": "def broken(:\n",
};

/** Each request takes the next. */
const turns = [
  { error: { status: 400, message: "too short" } },
  { text: '"good"' },
  { text: '"good"' },
  { text: '{"number": "A-7", "total": 12.5}' },
  { text: "Rome sells most." },
  { text: '{"sql": "select city from sales group by city order by sum(amount) desc"}' },
  { text: "No." },
  { text: "No." },
];

const printed = [
  "{'Oslo': 30, 'Rome': 80}",
  "{'good': 2, nan: 1}",
  "Invoice(number='A-7', total=12.5, paid=False)",
  expect.stringMatching(/^Rome sells most\.\n\[image 1: image\/png, .*\]$/),
  "select city from sales group by city order by sum(amount) desc -> Rome",
  "{'rain': 15.0, 'sun': 40.0}",
  "40057 [(3001, 'ERROR no disk')] bye",
  "{'sales/01-jan.csv': 3, 'sales/02-feb.csv': 3}",
  "{'bad.py': 1}",
  "load.py\n2:pandas.read_csv('x')",
  "{'Are there duplicates in sales/?': 'No.', 'Is a month missing in sales/?': 'No.'}",
];

describeWithPython(testPython, "docs/cells.md", () => {
  test("every recipe prints what it should", async () => {
    const place = temporaryPlace();
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(place.project, name)), { recursive: true });
      writeFileSync(join(place.project, name), text);
    }
    const script = join(place.home, "script.json");
    writeFileSync(script, JSON.stringify({ turns }));
    const server = { command: process.execPath, args: [join(import.meta.dir, "weather-server.mjs")] };
    mkdirSync(join(place.home, ".omp", "agent"), { recursive: true });
    const servers = join(place.home, ".omp", "agent", "omp-mcp.json");
    writeFileSync(servers, JSON.stringify({ mcpServers: { weather: server } }));
    const session = await openAgentSession(
      { session: { kind: "new" }, model: `script:${script}`, maxTurns: 5 },
      { stdout: () => undefined, stderr: () => undefined },
      { env: userEnvironment(place, { VIRTUAL_ENV: testPython.venv }), cwd: place.project },
    );
    const log = join(place.home, "log");
    const lines = ["fine today.\n".repeat(3_000), "ERROR no disk\n", `${"4".repeat(4_000)}\n`];
    writeFileSync(log, `${lines.join("")}${"5".repeat(38)}\nbye`);
    session.services.inputs.adopt({ path: log, facts: lookAtFile(log, statSync(log).size) });
    const { signal } = new AbortController();
    try {
      await session.ready(signal);
      const outputs: string[] = [];
      for (const code of recipes) {
        const { output } = await callTool(
          { ...session.services, tools: session.tools },
          {
            ...{ id: "recipe", name: "python", dryRun: false, signal },
            input: { cells: [{ code }], timeout: 600 },
            onUpdate: () => undefined,
            openModel: session.openModel,
            agents: session.subagents,
            onBug: (report) => expect(report).toBe(""),
          },
        );
        outputs.push(output);
      }
      expect(outputs).toEqual(printed);
    } finally {
      await session.close();
    }
  });
});
