/** The sessions that are recorded. The model's words are scripted; the kernel, the shell, the files and the screen are real. */

import type { RecordedTerminal } from "./terminal.ts";

export interface Scene {
  /** Of the file. */
  readonly name: string;
  /** For those who cannot see it. */
  readonly title: string;
  readonly columns: number;
  readonly rows: number;
  readonly args?: readonly string[];
  readonly turns: readonly unknown[];
  /** Each call of `keep` is a frame of the recording, which stays for that long. */
  readonly play: (terminal: RecordedTerminal, keep: (ms: number) => void) => Promise<void>;
}

const python = (...cells: readonly string[]) => ({
  name: "python",
  input: { cells: cells.map((code) => ({ code })) },
});
const bash = (command: string) => ({ name: "bash", input: { command } });

const LOAD = 'import pandas as pd\ndf = pd.read_csv("orders.csv", parse_dates=["month"])\ndf.tail(4)';
const PLOT = `import matplotlib.pyplot as plt
df.pivot(index="month", columns="region", values="revenue").plot(figsize=(7, 3), lw=3)
plt.show()`;

const TEST = "python -m unittest -q 2>&1 | tail -n 5";

const lookAtData = [
  { text: "First a look at the data.", toolCalls: [python(LOAD)] },
  { text: "One line for each region.", toolCalls: [python(PLOT)] },
  { text: "**North** grows fastest: from 100 to 210 in a year. South shrinks a little." },
];

const fixTest = [
  { text: "I run the tests first.", toolCalls: [bash(TEST)] },
  {
    text: "`growth` divides by the last value instead of the first.",
    toolCalls: [
      {
        name: "edit",
        input: {
          path: "growth.py",
          edits: [{ old_text: "/ values[-1]", new_text: "/ values[0]" }],
        },
      },
      bash(TEST),
    ],
  },
  { text: "Fixed: growth is measured against the first value. All tests pass." },
];

const PLOT_IT = "which region grows fastest? plot it";
const FIX_IT = "the tests fail: find out why and fix it";

interface Answered extends Pick<Scene, "name" | "title" | "rows" | "turns"> {
  readonly prompt: string;
  /** What the screen shows at the end. */
  readonly answer: string;
}

/** One prompt, and the screen when it is answered. */
function still({ prompt, answer, ...scene }: Answered): Scene {
  return {
    ...scene,
    columns: 90,
    async play(terminal, keep) {
      await terminal.shows("Ask anything");
      await terminal.type(`${prompt}\r`);
      await terminal.shows(answer);
      keep(0);
    },
  };
}

export const scenes: readonly Scene[] = [
  {
    name: "tour",
    title:
      "A session: omp loads a table, plots it, finds and fixes a bug; then the user looks at the same table in the same kernel.",
    columns: 90,
    rows: 30,
    turns: [...lookAtData, ...fixTest],
    async play(terminal, keep) {
      await terminal.shows("Ask anything");
      keep(1_200);
      await terminal.type(PLOT_IT);
      keep(1_200);
      await terminal.type("\r");
      await terminal.shows("North grows fastest");
      keep(6_000);
      await terminal.type(FIX_IT);
      keep(1_200);
      await terminal.type("\r");
      await terminal.shows("All tests pass.");
      keep(6_000);
      await terminal.type("$df.groupby('region').revenue.describe()");
      keep(1_200);
      await terminal.type("\r");
      await terminal.shows("75%");
      keep(6_000);
    },
  },
  still({
    name: "data-frame",
    title: "A data frame is a table, and a plot is drawn below the cell.",
    rows: 36,
    turns: lookAtData,
    prompt: PLOT_IT,
    answer: "North grows fastest",
  }),
  still({
    name: "fixed-test",
    title: "Tests fail, an edit is shown as a diff, tests pass.",
    rows: 32,
    turns: fixTest,
    prompt: FIX_IT,
    answer: "All tests pass.",
  }),
  {
    name: "question",
    title: "With --approval ask, a command that is not known to be harmless is a question.",
    columns: 80,
    rows: 24,
    args: ["--approval", "ask"],
    turns: [{ text: "I make room for the new build.", toolCalls: [bash("rm -r build && mkdir build")] }],
    async play(terminal, keep) {
      await terminal.shows("Ask anything");
      await terminal.type("start from a clean build directory\r");
      await terminal.shows("mkdir build");
      await terminal.shows("❯ Yes");
      keep(0);
    },
  },
  still({
    name: "demo",
    title: "/demo: a tour of the real tools without a model.",
    rows: 64,
    turns: [],
    prompt: "/demo",
    answer: "To work with a model",
  }),
  {
    name: "notebook",
    title: "$ runs Python in the agent's kernel with live completion, ! runs a command in its shell.",
    columns: 80,
    rows: 24,
    turns: [],
    async play(terminal, keep) {
      await terminal.shows("Ask anything");
      await terminal.type("!echo '# notes' >> growth.py; git diff --stat\r");
      await terminal.shows("1 insertion");
      await terminal.type("$import pandas as pd; df = pd.read_csv('orders.csv'); df.head(3)\r");
      await terminal.shows("region");
      await terminal.type("$df.revenue.me\t");
      await terminal.shows("median");
      keep(0);
    },
  },
];
