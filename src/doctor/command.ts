/** Which `omp` the user gets by typing it: oh-my-pi installs a command of the same name. */

import { readFileSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { attempt } from "../protocol/error.ts";
import type { Invocation } from "../protocol/invocation.ts";
import { asRecord, parseJson } from "../protocol/record.ts";
import { executableProblem } from "../python/executable.ts";
import type { Check } from "./check.ts";

export interface OwnProgram {
  /** Of our npm package. */
  readonly name: string;
  /** What runs now; the command itself where omp is a single file. */
  readonly program: string;
}

interface Found {
  readonly path: string;
  /** The npm package that it belongs to, if any. */
  readonly package: string | undefined;
  readonly isOurs: boolean;
}

export function checkCommand({ env }: Pick<Invocation, "env">, own: OwnProgram): Check {
  const name = "command";
  const found = findCommands(env["PATH"] ?? "", own);
  const details = { found };
  const [first, ...others] = found;
  if (first === undefined) return { name, status: "ok", value: "omp is not on PATH", details };
  const foreign = found.filter(({ isOurs }) => !isOurs);
  const value = `omp is ${describe(first)}`;
  const notes = others.map((other) => `also on PATH: ${describe(other)}`);
  if (foreign.length === 0) return { name, status: "ok", value, notes, details };
  const ours = found.find(({ isOurs }) => isOurs);
  const fix = first.isOurs
    ? "nothing to do; ompy always runs this one"
    : ours === undefined
      ? "run this one as ompy"
      : `run this one as ompy, or put ${dirname(ours.path)} first on PATH`;
  return { name, status: "warn", value, notes, fix, details };
}

function describe({ path, package: name, isOurs }: Found): string {
  return `${path} (${isOurs ? "this program" : (name ?? "another program")})`;
}

/** One that is on PATH under several names is one. */
function findCommands(path: string, own: OwnProgram): Found[] {
  const seen = new Set<string>();
  return path.split(delimiter).flatMap((directory) => {
    const file = join(directory, "omp");
    if (directory === "" || executableProblem(file) !== undefined) return [];
    const real = realpathSync(file);
    if (seen.has(real)) return [];
    seen.add(real);
    const packageName = packageOf(dirname(real));
    const isOurs = packageName === own.name || real === attempt(() => realpathSync(own.program));
    return [{ path: file, package: packageName, isOurs }];
  });
}

function packageOf(directory: string): string | undefined {
  const text = attempt(() => readFileSync(join(directory, "package.json"), "utf8"));
  const name = asRecord(parseJson(text ?? ""))["name"];
  if (typeof name === "string") return name;
  return dirname(directory) === directory ? undefined : packageOf(dirname(directory));
}
