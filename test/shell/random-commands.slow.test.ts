import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { shellEnvironment } from "../../src/shell/environment.ts";
import { openShells } from "../../src/shell/shells.ts";
import { temporaryDirectory } from "../support/home.ts";
import { slow } from "../support/limits.ts";
import { shellEnv } from "./open-shell.ts";
import { CommandMaker } from "./random-commands.ts";

const count = 1000;
const seed = 20_240_607;

const cwd = temporaryDirectory({ lasts: "file" });
const env = { ...shellEnv, HOME: cwd };
const shells = openShells({ cwd, env });
afterAll(() => shells.close());

interface Result {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
}

/** latin1 keeps bytes that are not UTF-8 apart. */
const text = (chunks: readonly Uint8Array[]) => Buffer.concat(chunks).toString("latin1");

async function inShell(command: string): Promise<Result> {
  const stdout: Uint8Array[] = [];
  const stderr: Uint8Array[] = [];
  const shell = await shells.persistent();
  const { exitCode } = await shell.run(command, {
    timeoutMs: 30_000,
    signal: new AbortController().signal,
    onStdout: (chunk) => stdout.push(chunk),
    onStderr: (chunk) => stderr.push(chunk),
  });
  return { stdout: text(stdout), stderr: text(stderr), exitCode };
}

async function inBashC(command: string): Promise<Result> {
  const child = Bun.spawn(["bash", "-c", command], {
    cwd,
    env: shellEnvironment(env),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).bytes(),
    new Response(child.stderr).bytes(),
    child.exited,
  ]);
  return { stdout: text([stdout]), stderr: text([stderr]), exitCode };
}

/** The one difference that `eval` makes: what it calls itself in a syntax error. */
const nameless = (result: Result) => ({
  ...result,
  stderr: result.stderr.replaceAll(/^bash: (?:-c|eval): /gm, "bash: "),
});

test(
  `${count} random commands give what bash -c gives`,
  async () => {
    writeFileSync(
      join(cwd, "binary"),
      Uint8Array.from({ length: 512 }, (_, index) => index % 256),
    );
    const maker = new CommandMaker(seed);
    for (let index = 0; index < count; index += 1) {
      const command = maker.make();
      const [ours, theirs] = [await inShell(command), await inBashC(command)];
      expect({ index, command, ...nameless(ours) }).toEqual({ index, command, ...nameless(theirs) });
    }
  },
  slow(60, "runs 1000 commands twice"),
);
