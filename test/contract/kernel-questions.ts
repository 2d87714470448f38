/** What code asks omp while it runs: whether a command may run, and calls of its own. */

import { expect, test } from "bun:test";
import { until } from "../support/until.ts";
import type { SharedKernel } from "./kernel-contract.ts";
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

  test("a model is asked for text, and for values of a dataclass", async () => {
    const asked: unknown[] = [];
    const answer = async ({ about, prompt, schema }: Readonly<Record<string, unknown>>) => {
      asked.push([about, prompt, schema]);
      return schema === null ? { text: "Hi." } : { text: "", value: dog };
    };
    const { stdout, error } = await kernel.run(LLM, { answer });
    expect([stdout, error]).toEqual([
      "Hi.\nDog(name='Rex', kind=<Kind.BIG: 'big'>, toys=[Toy(what='ball')], owner=None, weight=3.0)\na cat called Rex\n",
      undefined,
    ]);
    expect(asked).toEqual([
      ["llm", "hello", null],
      ["llm", "which?", dogSchema],
      ["llm", "and?", { title: "Cat" }],
    ]);
  });

  test("many prompts keep their order, twice as many are open as run at a time, and errors are values", async () => {
    let open = 0;
    let most = 0;
    const groups = new Set<unknown>();
    const eight = Promise.withResolvers<void>();
    const last = Promise.withResolvers<void>();
    const answer = async ({ prompt, group, atOnce }: Readonly<Record<string, unknown>>) => {
      groups.add(`${group} ${atOnce}`);
      open += 1;
      most = Math.max(most, open);
      if (open === 8) eight.resolve();
      if (prompt === "say 19") last.resolve();
      await (prompt === "say 0" ? last.promise : eight.promise);
      open -= 1;
      return prompt === "say 3" ? { error: "no (X)" } : { text: String(prompt) };
    };
    const code = "[str(each) for each in omp.llm.map(range(20), lambda n: f'say {n}', concurrency=4)]";
    const { value } = await kernel.run(code, { answer });
    const texts = Array.from({ length: 20 }, (_, n) => (n === 3 ? "'no (X)'" : `'say ${n}'`));
    expect(value?.replaceAll(/\s+/g, " ")).toBe(`[${texts.join(", ")}]`);
    expect([most, [...groups].map(String)]).toEqual([8, [expect.stringMatching(/^[0-9a-f]{32} 4$/)]]);
    const filled = "omp.llm.map(['a'], 'say {item}') + omp.llm.map(['b'], 'say')";
    expect((await kernel.run(filled, { answer })).value).toBe("['say a', 'say\\n\\nb']");
  });

  test("an interrupt of many prompts withdraws those that are open", async () => {
    const interrupted = new AbortController();
    const asked: { readonly about: unknown; readonly id: unknown }[] = [];
    const answer = async ({ about, id }: Readonly<Record<string, unknown>>) => {
      asked.push({ about, id });
      if (about === "withdrawn") return {};
      if (asked.length === 4) interrupted.abort();
      return await new Promise<never>(() => undefined);
    };
    const code = "omp.llm.map(range(10), 'say', concurrency=2)";
    expect((await kernel.run(code, { answer, signal: interrupted.signal })).error).toBe("KeyboardInterrupt");
    await until("all are withdrawn", () => asked.length === 8);
    const idsOf = (what: string) => asked.filter(({ about }) => about === what).map(({ id }) => id);
    expect(idsOf("withdrawn")).toEqual(idsOf("llm"));
    expect((await kernel.run("1 + 1")).value).toBe("2");
  });

  test("a large input that the kernel does not see is read piece by piece", async () => {
    const bytes = Buffer.from(`${"é x\n".repeat(400_000)}the needle\nlast line`);
    const pieces: number[] = [];
    const answer = async ({ about, name, offset, length }: Readonly<Record<string, unknown>>) => {
      expect(about).toBe("inputs");
      const facts = { name: "stdin", path: "/nowhere/stdin", kind: "text", encoding: "utf-8" };
      if (name === undefined)
        return { inputs: [{ ...facts, bytes: bytes.length, lines: 400_002, changed: "1" }] };
      pieces.push(Number(length));
      return { base64: bytes.subarray(Number(offset), Number(offset) + Number(length)).toString("base64") };
    };
    const { stdout, error } = await kernel.run(INPUTS, { answer });
    expect([stdout, error]).toEqual([
      [
        "['stdin'] omp.inputs has no 'other': stdin",
        "<omp.inputs.stdin: text, 2,000,020 bytes, 400,002 lines, on the user's machine: read piece by piece; lines(), head(n), tail(n), grep(regex), 'x' in it, text(), json(), open(), path>",
        "'é x\\n' 'the needle\\nlast line'",
        "True False [(400001, 'the needle')] 400002",
        "stdin 2000020 0o600",
        "",
      ].join("\n"),
      undefined,
    ]);
    expect(Math.max(...pieces)).toBeLessThanOrEqual(1_048_576);
  });

  test("a call does not wait for ever for an omp that is gone", async () => {
    const answer = () => new Promise<never>(() => undefined);
    const code =
      "import _omp.questions as q; q.WAIT_S, before = 0.01, q.WAIT_S\ntry: omp.tools.read()\nfinally: q.WAIT_S = before";
    const { error, evalue } = await kernel.run(code, { answer });
    expect([error, evalue]).toEqual(["TimeoutError", "omp did not answer in time"]);
  });
}

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

const CANCELLED_IN_THREAD = `
import threading
def call():
    try: omp.tools.read()
    except omp.ToolError as error: print(error)
thread = threading.Thread(target=call); thread.start(); thread.join()
`;

const LLM = `
from dataclasses import dataclass, field
from enum import Enum
from typing import List, Optional
class Kind(Enum):
    BIG = "big"
    SMALL = "small"
@dataclass
class Toy:
    what: str
@dataclass
class Dog:
    name: str
    kind: Kind
    toys: List[Toy]
    owner: Optional[Toy] = None
    weight: float = 1.0
print(omp.llm("hello"))
print(omp.llm("which?", schema=Dog))
class Cat:  # As a model of pydantic.
    @classmethod
    def model_json_schema(cls): return {"title": "Cat"}
    @classmethod
    def model_validate(cls, value): return f"a cat called {value['name']}"
print(await omp.llm.aio("and?", schema=Cat))
`;

const dog = { name: "Rex", kind: "big", toys: [{ what: "ball" }], owner: null, weight: 3 };

const toySchema = {
  type: "object",
  properties: { what: { type: "string" } },
  required: ["what"],
  additionalProperties: false,
};

const dogSchema = {
  type: "object",
  properties: {
    name: { type: "string" },
    kind: { enum: ["big", "small"] },
    toys: { type: "array", items: toySchema },
    owner: { anyOf: [toySchema, { type: "null" }] },
    weight: { type: "number" },
  },
  required: ["name", "kind", "toys"],
  additionalProperties: false,
};

const INPUTS = `
import os
try: omp.inputs.other
except AttributeError as e: print(list(omp.inputs), e)
x = omp.inputs.stdin
print(repr(x))
print(repr(x.head(1)), repr(x.tail(2)))
print("needle" in x, "missing" in x, x.grep("need.e"), sum(1 for line in x))
print(os.path.basename(x.path), os.path.getsize(x.path), oct(os.stat(x.path).st_mode & 0o777))
`;
