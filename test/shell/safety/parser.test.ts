import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { loadParser, namedChildren, type SyntaxNode, textOf } from "../../../src/shell/safety/parser.ts";
import { temporaryDirectory } from "../../support/home.ts";
import { checkout } from "../../support/omp.ts";

function shape(node: SyntaxNode): unknown {
  const children = namedChildren(node);
  return children.length === 0 ? textOf(node) : { [node.type]: children.map(shape) };
}

test("a command becomes a plain tree with its text", async () => {
  const parsed = (await loadParser())("cd src && rm 'ä b'");
  expect(parsed?.complete).toBe(true);
  expect(parsed === undefined ? undefined : shape(parsed.root)).toEqual({
    program: [
      {
        list: [
          { command: [{ command_name: ["cd"] }, "src"] },
          { command: [{ command_name: ["rm"] }, "'ä b'"] },
        ],
      },
    ],
  });
});

test("the parser is loaded once", () => {
  expect(loadParser()).toBe(loadParser());
});

test.each(["ls; )", "if then fi", 'echo "open', "cat <<EOF\nopen"])(
  "%j is not shell, and marked",
  async (source) => {
    const parsed = (await loadParser())(source);
    expect(parsed?.complete).toBe(false);
    expect(parsed === undefined ? undefined : textOf(parsed.root)).toBe(source);
  },
);

test.each([
  ["deep", "$(echo ".repeat(500) + ")".repeat(500)],
  ["large", "a; ".repeat(100_000)],
])("a source that is too %s gives no tree", async (_, source) => {
  expect((await loadParser())(source)).toBeUndefined();
});

test("after one that took too long the next is as good as new", async () => {
  const parse = await loadParser();
  parse('"'.repeat(300_001));
  expect(parse("ls")?.complete).toBe(true);
});

describe("the grammar is found", () => {
  /** Prints the reason of a danger: everything had to be loaded for that. */
  const program = `
    import { findDanger } from ${JSON.stringify(join(checkout, "src/shell/safety/find-danger.ts"))};
    console.log((await findDanger("sudo rm -rf /", { home: "/home/ann", cwd: "/" }))?.reason);`;

  async function outputOf(command: string[], cwd: string): Promise<string> {
    const child = Bun.spawn(command, { cwd, stdout: "pipe", stderr: "inherit" });
    const output = await new Response(child.stdout).text();
    expect(await child.exited).toBe(0);
    return output;
  }

  test("from the bundle, wherever it stands and is started from", async () => {
    const directory = temporaryDirectory();
    await Bun.write(join(directory, "main.ts"), program);
    const built = await Bun.build({
      entrypoints: [join(directory, "main.ts")],
      outdir: join(directory, "out"),
      naming: { entry: "main.js", chunk: "part-[hash].js", asset: "[name]-[hash].[ext]" },
      target: "bun",
      splitting: true,
      minify: true,
    });
    expect(built.success).toBe(true);
    const output = await outputOf([process.execPath, join(directory, "out/main.js")], "/");
    expect(output).toBe("it would delete /\n");
  });

  test("from the compiled program", async () => {
    const directory = temporaryDirectory();
    await Bun.write(join(directory, "main.ts"), program);
    const built = await Bun.build({
      entrypoints: [join(directory, "main.ts")],
      target: "bun",
      minify: true,
      compile: { outfile: join(directory, "program") },
    });
    expect(built.success).toBe(true);
    expect(await outputOf([join(directory, "program")], "/")).toBe("it would delete /\n");
  });
});
