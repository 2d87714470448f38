/** The files of a project, as .gitignore has it: ripgrep lists them. */

import { dirname } from "node:path";
import { ompPaths } from "../config/paths.ts";
import type { Invocation } from "../protocol/invocation.ts";
import { findRipgrep } from "../tools/find-ripgrep.ts";

/** Paths relative to the directory; none where there is no ripgrep. */
export async function* listProjectFiles(
  { env, cwd }: Invocation,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const program = findRipgrep({
    searchPath: env["PATH"],
    cache: dirname(ompPaths({ env }).interpreterCache),
  });
  if (program === undefined) return;
  const argv = [program, "--files", "--no-config", "--no-require-git", "--hidden", "--glob=!.git", "--null"];
  const child = Bun.spawn(argv, { cwd, stdin: "ignore", stdout: "pipe", stderr: "ignore", env: {}, signal });
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of child.stdout) {
    const paths = (rest + decoder.decode(chunk, { stream: true })).split("\0");
    rest = paths.pop() ?? "";
    yield* paths;
  }
}
