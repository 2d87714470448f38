/** The files that `@` completes: ripgrep lists them, as .gitignore has it, when the first `@` is typed. */

import type { Actions } from "../../ui/actions.ts";
import type { FileList } from "../../ui/complete/file-list.ts";
import type { ModePlace } from "../io.ts";

const OFFERED = 30;

export function projectFiles(place: ModePlace): Actions["findFiles"] {
  let opened: Promise<FileList> | undefined;
  return async function* find(query, signal) {
    opened ??= openList(place);
    const list = await opened;
    for await (const { matches } of list.search(query, { limit: OFFERED, signal }))
      yield matches.map(({ path }) => path);
  };
}

async function openList({ env, cwd }: ModePlace): Promise<FileList> {
  const [{ FileList: List }, { findRipgrep }] = await Promise.all([
    import("../../ui/complete/file-list.ts"),
    import("../../tools/files/ripgrep.ts"),
  ]);
  const program = findRipgrep(env["PATH"]);
  return new List({ source: (signal) => listed(program, cwd, signal) });
}

async function* listed(
  program: string | undefined,
  cwd: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
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
