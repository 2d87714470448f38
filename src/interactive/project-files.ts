/** The files that `@` completes: ripgrep lists them, as .gitignore has it, when the first `@` is typed. */

import type { Invocation } from "../protocol/invocation.ts";
import type { FileList } from "../ui/complete/file-list.ts";
import type { Actions } from "../ui/store/actions.ts";

const OFFERED = 30;

/** @param onListing told when the list begins to be made, and when it is there. */
export function projectFiles(place: Invocation, onListing: (isGoing: boolean) => void): Actions["findFiles"] {
  let opened: Promise<FileList> | undefined;
  return async function* find(query, signal) {
    opened ??= openList(place, onListing);
    const list = await opened;
    for await (const { matches } of list.search(query, { limit: OFFERED, signal }))
      yield matches.map(({ path }) => path);
  };
}

async function openList({ env, cwd }: Invocation, onListing: (isGoing: boolean) => void): Promise<FileList> {
  const [{ FileList: List }, { findRipgrep }] = await Promise.all([
    import("../ui/complete/file-list.ts"),
    import("../tools/ripgrep.ts"),
  ]);
  const program = findRipgrep(env["PATH"]);
  return new List({ source: (signal) => told(listed(program, cwd, signal), onListing) });
}

async function* told(
  paths: AsyncIterable<string>,
  onListing: (isGoing: boolean) => void,
): AsyncGenerator<string> {
  onListing(true);
  try {
    yield* paths;
  } finally {
    onListing(false);
  }
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
