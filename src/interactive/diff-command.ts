/** `/diff`: what this session changed, in the pager. */

import { count } from "../format/numbers.ts";
import type { CallItem } from "../ui/store/state.ts";
import { inform, type OpenCall } from "./command.ts";

const NOTHING = "No files have changed in this session.";

export async function diff(call: OpenCall): Promise<void> {
  const { session, screen } = call;
  const { workspace } = session.services;
  const { sessionDiff } = await import("../app/session-diff.ts");
  const since = session.startedAt;
  const env = workspace.childEnv(undefined);
  const found = (await sessionDiff({ root: workspace.project.root, env, since })) ?? callDiffs(call);
  if (found === "") return inform(call, NOTHING);
  const { colorCode } = await import("../ui/markdown/code-colors.ts");
  const { plainText } = await import("../ui/text/lines.ts");
  const text = colorCode(plainText(found), "diff", screen.look.themes.get());
  await screen.showPager({ text, title: `Changed in this session: ${sizeOf(found)}` });
}

/** Without git: what the file tools did, in order. */
function callDiffs({ conversation }: OpenCall): string {
  const calls = conversation.store.get().finished.filter((item): item is CallItem => item.kind === "call");
  return calls
    .map(({ result }) => (typeof result?.details["diff"] === "string" ? result.details["diff"] : ""))
    .join("");
}

/** `2 files, +12 −4`. */
function sizeOf(diff: string): string {
  const lines = diff.split("\n");
  const named = (start: string) => new Set(lines.filter((line) => line.startsWith(start))).size;
  // An empty file has no other lines than git's own.
  const files = named("diff --git ") || named("+++ ");
  const added = lines.filter((line) => /^\+(?!\+\+ )/.test(line)).length;
  const removed = lines.filter((line) => /^-(?!-- )/.test(line)).length;
  return `${count(files, "file")}, +${added} -${removed}`;
}
