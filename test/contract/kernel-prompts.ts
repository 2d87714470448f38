/** What cells ask of models: `omp.llm` and `omp.llm.map`. */

import { expect, test } from "bun:test";
import { until } from "../support/until.ts";
import type { SharedKernel } from "./kernel-contract.ts";

export function promptContract(kernel: SharedKernel): void {
  test("a model is asked for text, and for values of a dataclass", async () => {
    const asked: unknown[] = [];
    const answer = async ({ about, prompt, schema }: Readonly<Record<string, unknown>>) => {
      asked.push([about, prompt, schema]);
      return schema === null ? { text: "Hi." } : { text: "", value: prompt === "many?" ? [dog] : dog };
    };
    const { stdout, error } = await kernel.run(LLM, { answer });
    expect([stdout, error]).toEqual([
      "Hi.\nDog(name='Rex', kind=<Kind.BIG: 'big'>, toys=[Toy(what='ball')], owner=None, weight=3.0)\na cat called Rex\n['a cat called Rex']\n",
      undefined,
    ]);
    expect(asked).toEqual([
      ["llm", "hello", null],
      ["llm", "which?", dogSchema],
      ["llm", "and?", cat],
      [
        "llm",
        "many?",
        { type: "array", items: { title: "Cat", properties: cat.properties }, $defs: cat.$defs },
      ],
    ]);
  });

  test("a dataclass may contain itself", async () => {
    const asked: unknown[] = [];
    const answer = async ({ schema }: Readonly<Record<string, unknown>>) => {
      asked.push(schema);
      return { text: "", value: { tree: { name: "a", below: [{ name: "b" }] } } };
    };
    const { stdout, error } = await kernel.run(TREE, { answer });
    expect([stdout, error]).toEqual([
      "Forest(tree=Tree(name='a', below=[Tree(name='b', below=[])]))\n",
      undefined,
    ]);
    const below = { type: "array", items: { $ref: "#/$defs/Tree" } };
    expect(asked).toEqual([
      {
        ...object({ tree: { $ref: "#/$defs/Tree" } }, ["tree"]),
        $defs: { Tree: object({ name: { type: "string" }, below }, ["name"]) },
      },
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

  test("what fails in the cell's own code for one of many is its value, too", async () => {
    const answer = async ({ prompt }: Readonly<Record<string, unknown>>) => ({ text: "", value: prompt });
    const { stdout, error } = await kernel.run(OWN_FAILURES, { answer });
    expect([stdout, error]).toEqual([
      [
        "(1, 2)",
        "ToolError omp.llm.map: the prompt of item 1 failed: KeyError: 'n' KeyError('n')",
        "ToolError omp.llm.map: the schema's class did not take the answer: ValueError: odd ValueError('odd')",
        "",
      ].join("\n"),
      undefined,
    ]);
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
}

const cat = {
  title: "Cat",
  properties: { paws: { $ref: "#/$defs/Paws" } },
  $defs: { Paws: { type: "integer" } },
};

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
    def model_json_schema(cls): return ${JSON.stringify(cat)}
    @classmethod
    def model_validate(cls, value): return f"a cat called {value['name']}"
print(await omp.llm.aio("and?", schema=Cat))
print(omp.llm("many?", schema=List[Cat]))
`;

const OWN_FAILURES = `
class Even:  # As a model of pydantic, with a check of its own.
    @classmethod
    def model_json_schema(cls): return {}
    @classmethod
    def model_validate(cls, value):
        if int(value) % 2: raise ValueError("odd")
        return int(value)
first, *failed, last = omp.llm.map([{"n": 2}, {}, {"n": 3}, {"n": 4}], lambda row: row["n"], schema=Even)
print((first // 2, last // 2))
for each in failed: print(type(each).__name__, each, repr(each.__cause__))
`;

const dog = { name: "Rex", kind: "big", toys: [{ what: "ball" }], owner: null, weight: 3 };

const object = (properties: object, required: readonly string[]) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

const toySchema = object({ what: { type: "string" } }, ["what"]);

const dogSchema = object(
  {
    name: { type: "string" },
    kind: { enum: ["big", "small"] },
    toys: { type: "array", items: toySchema },
    owner: { anyOf: [toySchema, { type: "null" }] },
    weight: { type: "number" },
  },
  ["name", "kind", "toys"],
);

const TREE = `
from dataclasses import dataclass, field
from typing import List
@dataclass
class Tree:
    name: str
    below: List["Tree"] = field(default_factory=list)
@dataclass
class Forest:
    tree: Tree
print(omp.llm("which?", schema=Forest))
`;

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
