/** What code asks omp while it runs: whether a command may run, and calls of its own. */

import { expect, test } from "bun:test";
import { until } from "../support/until.ts";
import type { SharedKernel } from "./kernel-contract.ts";
import { promptContract } from "./kernel-prompts.ts";
import { reachContract } from "./kernel-reach.ts";

export function questionContract(kernel: SharedKernel): void {
  test("code that asks is answered while it runs, and nothing of that is in its output", async () => {
    const asked: unknown[] = [];
    const answer = async ({ about, command }: Readonly<Record<string, unknown>>) => {
      asked.push([about, command]);
      return { refusal: command === "echo two" ? "not that one" : null };
    };
    const { outputs, stdout, stderr, error, evalue } = await kernel.run(
      "!echo one\nimport os\nos.system('true')\nbash('echo three', show=False)\nbash('echo two')",
      { answer },
    );
    expect(asked).toEqual([
      ["command", "echo one"],
      ["command", "true"],
      ["command", "echo three"],
      ["command", "echo two"],
    ]);
    expect([stdout.replaceAll("\r", ""), stderr, error, evalue]).toEqual([
      "one\n",
      "",
      "CommandBlocked",
      "not that one",
    ]);
    expect(outputs.filter((kind) => !["stdout", "display_data", "error"].includes(kind))).toEqual([]);
  });

  test("every way to start a shell is asked about, and none runs that is refused", async () => {
    const asked: unknown[] = [];
    const answer = async ({ command }: Readonly<Record<string, unknown>>) => {
      asked.push(String(command).trim());
      return { refusal: "not that one" };
    };
    const shell = "get_ipython()";
    const ways = [
      "!touch made",
      "made = !touch made",
      "%%bash\ntouch made",
      "%%!\ntouch made",
      "%sx touch made",
      `${shell}.system('touch made')`,
      `${shell}.getoutput('touch made')`,
      "import os; os.popen('touch made').read()",
      "import subprocess; subprocess.run('touch made', shell=True)",
      "bash('touch made')",
    ];
    for (const code of ways)
      expect([code, (await kernel.run(code, { answer })).evalue]).toEqual([code, "not that one"]);
    expect(asked).toEqual(ways.map(() => expect.stringContaining("touch made")));
    expect((await kernel.run("import os; os.path.exists('made')")).value).toBe("False");
  });
  callContract(kernel);
}

/** What cells call by the name `omp`. */
export function callContract(kernel: SharedKernel): void {
  promptContract(kernel);
  reachContract(kernel);

  test("calls of omp's tools block, work from threads, and can be awaited side by side", async () => {
    const asked: unknown[] = [];
    const answer = async ({ about, name, input }: Readonly<Record<string, unknown>>) => {
      asked.push([about, name]);
      const image = { mediaType: "image/png", base64: "AAEC" };
      return { text: JSON.stringify(input), details: { size: 3 }, images: [image] };
    };
    const { stdout, error } = await kernel.run(CALLS, { answer });
    expect([stdout, error]).toEqual([
      [
        "{\"path\":\"é\"} {'size': 3} [('image/png', b'\\x00\\x01\\x02')] <read: 12 characters, 1 images>",
        "['{\"n\":0}', '{\"n\":1}', '{\"n\":2}']",
        "['{\"n\":0}', '{\"n\":1}', '{\"n\":2}'] {}",
        "",
      ].join("\n"),
      undefined,
    ]);
    expect(asked).toEqual(
      ["read", "grep", "grep", "grep", "find", "find", "find", "ls"].map((name) => ["tool", name]),
    );
  });

  test("arguments are what JSON can carry, and what it cannot is an error that names them, before anything is asked", async () => {
    const asked: unknown[] = [];
    const answer = async ({ input }: Readonly<Record<string, unknown>>) => {
      asked.push(input);
      return { text: "" };
    };
    const { stdout, error } = await kernel.run(ARGUMENTS, { answer });
    expect([stdout.split("\n"), error]).toEqual([
      [
        "TypeError: omp.tools.read: path is bytes; decode it to a text first",
        "ValueError: omp.tools.read: at[1] is nan, which JSON has no number for",
        "TypeError: omp.tools.read: path is of the type complex; give text, numbers, lists or dicts",
        "ValueError: omp.llm: max_tokens must be a whole number of at least 1, not 'ten'",
        "ValueError: omp.llm: max_tokens must be a whole number of at least 1, not 0",
        "TypeError: omp.llm: model must be a text, not int",
        "TypeError: omp.llm: images must be a list, such as images=['chart.png']",
        "ValueError: omp.llm.map: concurrency must be a whole number of at least 1, not 1.5",
        "TypeError: omp.llm.map: prompt must be a text or a function of an item, not int",
        "TypeError: omp.llm.map: items must be a list, not str",
        "TypeError: omp.llm.map: items is a Table; give one of its columns, or its rows",
        "ValueError: omp.agent: max_turns must be a whole number of at least 1, not -1",
        "",
      ],
      undefined,
    ]);
    expect(asked).toEqual([{ path: "a/b", day: "2026-11-18", many: [1, 2.5, { "3": [true, null] }] }]);
  });

  test("a call that fails raises omp.ToolError", async () => {
    const answer = async () => ({ error: "read: no such file 'x' (ENOENT)", details: { code: "ENOENT" } });
    const code =
      "try: omp.tools.read(path='x')\nexcept omp.ToolError as e: print(e.text, e.details)\nomp.tools['read']()";
    const { stdout, error, evalue } = await kernel.run(code, { answer });
    expect([stdout, error, evalue]).toEqual([
      "read: no such file 'x' (ENOENT) {'code': 'ENOENT'}\n",
      "ToolError",
      "read: no such file 'x' (ENOENT)",
    ]);
  });

  test.each([
    ["a blocking call", "omp.tools.read(path='x')", "KeyboardInterrupt"],
    ["an awaited call", "await omp.tools.read.aio(path='x')", "CancelledError"],
  ])("an interrupt of %s withdraws it", async (_, code, name) => {
    const interrupted = new AbortController();
    const asked: unknown[][] = [];
    const answer = async ({ about, id }: Readonly<Record<string, unknown>>) => {
      asked.push([about, id]);
      if (about === "withdrawn") return {};
      interrupted.abort();
      return await new Promise<never>(() => undefined);
    };
    const { error } = await kernel.run(code, { answer, signal: interrupted.signal });
    expect(error).toBe(name);
    await until("the question is withdrawn", () => asked.length === 2);
    expect(asked).toEqual(["tool", "withdrawn"].map((about) => [about, asked[0]?.[1]]));
    expect((await kernel.run("1 + 1")).value).toBe("2");
  });

  test("a call that was cancelled ends the cell as an interrupt does, and a thread with an error", async () => {
    const answer = async () => ({ error: "omp.tools.read: over (CANCELLED)", cancelled: true });
    const { stdout } = await kernel.run(CANCELLED_IN_THREAD, { answer });
    expect(stdout).toBe("omp.tools.read: over (CANCELLED)\n");
    expect((await kernel.run("omp.tools.read()", { answer })).error).toBe("KeyboardInterrupt");
  });

  test("a call of a task that was cancelled is an error there, and the kernel goes on", async () => {
    const answer = async () => ({ error: "omp.tools.read: over (CANCELLED)", cancelled: true });
    const { stdout, error } = await kernel.run(CANCELLED_IN_TASKS, { answer });
    expect([stdout, error]).toEqual(["omp.tools.read: over (CANCELLED)\n".repeat(4), undefined]);
    expect((await kernel.run("await omp.tools.read.aio()", { answer })).error).toBe("KeyboardInterrupt");
    // What a cell has left to the event loop ends between cells, too.
    await kernel.run("left = asyncio.create_task(block())", { answer });
    const ended = "await asyncio.wait([left])\nprint(left.exception())";
    expect((await kernel.run(ended, { answer })).stdout).toBe("omp.tools.read: over (CANCELLED)\n");
  });

  test("a call does not wait for ever for an omp that is gone", async () => {
    const answer = () => new Promise<never>(() => undefined);
    const code =
      "import _omp.questions as q; q.WAIT_S, before = 0.01, q.WAIT_S\ntry: omp.tools.read()\nfinally: q.WAIT_S = before";
    const { error, evalue } = await kernel.run(code, { answer });
    expect([error, evalue]).toEqual(["TimeoutError", "omp did not answer in time"]);
  });
}

const ARGUMENTS = `
import datetime, pathlib
class Table:  # As pandas has it.
    columns, shape = ["a"], (0, 1)
omp.tools.read(path=pathlib.Path("a/b"), day=datetime.date(2026, 11, 18), many=(1, 2.5, {3: [True, None]}))
for call in (
    lambda: omp.tools.read(path=b"x"),
    lambda: omp.tools.read(at=[1, float("nan")]),
    lambda: omp.tools.read(path=1j),
    lambda: omp.llm("x", max_tokens="ten"),
    lambda: omp.llm("x", max_tokens=0),
    lambda: omp.llm("x", model=5),
    lambda: omp.llm("x", images="chart.png"),
    lambda: omp.llm.map([1], "x", concurrency=1.5),
    lambda: omp.llm.map([1], 5),
    lambda: omp.llm.map("text", "x"),
    lambda: omp.llm.map(Table(), "x"),
    lambda: omp.agent("x", max_turns=-1),
):
    try: call()
    except Exception as error: print(f"{type(error).__name__}: {error}")
`;

const CALLS = `
import asyncio
from concurrent.futures import ThreadPoolExecutor
one = omp.tools.read(path="é")
print(one, one.details, [(each.media_type, each.data) for each in one.images], repr(one))
with ThreadPoolExecutor(1) as pool:
    print([each.text for each in pool.map(lambda n: omp.tools.grep(n=n), range(3))])
many = await asyncio.gather(*(omp.tools.find.aio(n=n) for n in range(3)))
print([each.text for each in many], (await omp.tools.ls()).text)
`;

const CANCELLED_IN_TASKS = `
import asyncio
async def call(): await omp.tools.read.aio()
async def block(): omp.tools.read()
tasks = (asyncio.create_task(call()), call(), omp.tools.read.aio(), block())
for each in await asyncio.gather(*tasks, return_exceptions=True): print(each)
`;

const CANCELLED_IN_THREAD = `
import threading
def call():
    try: omp.tools.read()
    except omp.ToolError as error: print(error)
thread = threading.Thread(target=call); thread.start(); thread.join()
`;
