/** `/rewind` with a real kernel: variables go back and come again; where they cannot, the cells that made them are offered, and never run by themselves. */

import { beforeAll, expect, test } from "bun:test";
import type { ScriptedTurn } from "../../src/models/scripted-model.ts";
import { done, ringWhenDone } from "../support/at-rest.ts";
import { startForeignKernel } from "../support/foreign-kernels.ts";
import { startGateway, type TestGateway } from "../support/gateways.ts";
import { temporaryPlace } from "../support/home.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { openScreen, type Screen } from "../support/screen.ts";
import { SecondClient } from "../support/second-client.ts";
import { AgentPlace } from "./agent-place.ts";

const cell = (code: string) => ({ toolCalls: [{ name: "python", input: { cells: [{ code }] } }] });

async function openWith(
  turns: readonly ScriptedTurn[],
  {
    args = [],
    env = { VIRTUAL_ENV: testPython.venv },
  }: Pick<Parameters<typeof openScreen>[0], "args" | "env"> = {},
): Promise<Screen> {
  const place = temporaryPlace();
  ringWhenDone(place);
  const model = new AgentPlace(place).script(...turns);
  const screen = openScreen({ place, args: ["-m", model, ...args], env, columns: 110, rows: 40 });
  await screen.waitFor("script:");
  return screen;
}

describeWithPython(testPython, "variables over time on the screen", () => {
  test("go back by Esc twice, with what will not come back said before, and come again with the undo", async () => {
    const screen = await openWith([
      cell(
        "import threading\nx = [1]\nt = threading.Thread(target=threading.Event().wait, daemon=True, name='Worker')\nt.start()",
      ),
      { text: "Loaded." },
      cell("x.append(2)\nmodel = 'fitted'\nx"),
      { text: "Fitted." },
      { text: "Later." },
    ]);
    await done(screen, "load");
    await done(screen, "fit");
    screen.type("\x1b");
    await screen.waitFor("Press Esc again to go back to an earlier message");
    screen.type("\x1b");
    await screen.waitFor(/❯ fit\n {2}load\n/);
    screen.type("\r");
    await screen.waitFor("── Before: fit");
    expect(screen.text).toMatch(/❯ Everything +files, variables, shell, conversation\n/);
    expect(screen.text).toMatch(
      / {2}Variables and shell +model gone; x as before; t perhaps; without the thread Worker\n/,
    );
    screen.type("\r");
    await screen.waitFor(({ text }) =>
      /Went back: variables, shell, 1 prompt and 1 call left out\./.test(text),
    );
    expect(screen.text).toMatch(/ignored\s+files, the thread Worker\./);
    screen.type("\x15");
    await screen.waitFor(/^❯ Ask/m);
    await done(screen, "$(x, 'model' in globals(), t.is_alive())");
    await screen.waitFor("([1], False, False)");
    screen.type("/rewind undo\r");
    await screen.waitFor(({ text }) => text.includes("Undone: variables, shell, conversation."));
    await done(screen, "$(x, model)");
    await screen.waitFor("([1, 2], 'fitted')");

    // What was said since the rewind is not thrown away without a word.
    await done(screen, "later");
    screen.type("/rewind undo\r");
    await screen.waitFor("── Undo the last rewind");
    expect(screen.text).toMatch(
      / {2}Conversation +what was left out is there again, 2 prompts and 1 call left out\n/,
    );
    await chooseRow(screen, "See the diff", /variables that would be gone: model\n/);
    screen.type("q");
    await screen.waitFor("❯ See the diff");
    screen.type("\x1b");
    await screen.waitFor(/^❯ Ask/m);
    await done(screen, "$(x, model)");
    screen.type("/quit\r");
    expect(await screen.exited).toBe(0);
  });

  test("of a kernel that omp did not start: its cells are offered, and it is not emptied", async () => {
    const foreign = await startForeignKernel();
    const other = await SecondClient.connect(foreign.file);
    await other.run("theirs = 6 * 7");
    const screen = await openWith([cell("mine = 1"), { text: "One." }, cell("mine += 1"), { text: "Two." }], {
      args: ["--kernel", foreign.file],
      env: {},
    });
    await done(screen, "first");
    await done(screen, "second");
    await goBack(screen, "second");
    expect(screen.text).toMatch(
      / {2}Variables and shell +variables not possible: omp did not start this kernel\n/,
    );
    await chooseRow(screen, "Run the cells again", /❯ Read them/);
    expect(screen.text).toMatch(/ {2}Run them +in the kernel as it is; /);
    expect(await other.run("mine")).toMatchObject({ value: "2" });
    await chooseRow(screen, "Run them", /Two\.[\s\S]*✓ python[^✓]*mine = 1/);
    expect(await other.run("(mine, theirs)")).toMatchObject({ value: "(1, 42)" });
    screen.type("/quit\r");
    expect(await screen.exited).toBe(0);
    expect(foreign.isAlive()).toBe(true);
  });

  describeWithGateway();
});

function describeWithGateway(): void {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway("kernel gateway", { lasts: "file" });
  });
  test("of a kernel in a gateway: its cells are offered, and run in an empty kernel after a yes", async () => {
    const screen = await openWith(
      [cell("mine = 1"), { text: "One." }, cell("mine += 1\nextra = 1"), { text: "Two." }],
      {
        env: { PI_PYTHON_GATEWAY_URL: gateway.url, PI_PYTHON_GATEWAY_TOKEN: gateway.token },
      },
    );
    await done(screen, "first");
    await done(screen, "second");
    await goBack(screen, "first");
    // An empty kernel could not be undone.
    expect(screen.text).toMatch(
      /variables not possible: the present ones cannot be kept: the kernel runs in a gateway\n/,
    );
    screen.type("\x1b");
    await screen.waitFor(/^❯ Ask/m);
    await goBack(screen, "second");
    await chooseRow(screen, "Run the cells again", /❯ Read them/);
    await chooseRow(screen, "Run them", /Two\.[\s\S]*✓ python[^✓]*mine = 1/);
    await done(screen, "$(mine, 'extra' in globals())");
    await screen.waitFor("(1, False)");
    screen.type("/quit\r");
    expect(await screen.exited).toBe(0);
  });
}

async function goBack(screen: Screen, prompt: string): Promise<void> {
  screen.type("/rewind\r");
  await screen.waitFor("── Go back to");
  screen.type(`${prompt}\r`);
  await screen.waitFor(`── Before: ${prompt}`);
}

/** @param row how it begins. */
async function chooseRow(screen: Screen, row: string, shown: RegExp): Promise<void> {
  screen.type(row);
  await screen.waitFor(new RegExp(`^ {2}/ ${row}\\n❯ ${row} `, "m"));
  screen.type("\r");
  await screen.waitFor(shown);
}
