/** `/branches` lists the copies of the kernel; `/branch` makes one for the user's own cells, leaves it, keeps it or drops it. */

import type { BranchFacts } from "../app/cell-branches.ts";
import type { SessionPython } from "../app/python.ts";
import { formatAge } from "../format/durations.ts";
import { count, formatSize } from "../format/numbers.ts";
import { OmpError, userMessage } from "../protocol/index.ts";
import { answer, type CommandCall, inform, type OpenCall, warn, whileIdle, withSession } from "./command.ts";
import { chooseOwnBranch, ownBranch } from "./own-branch.ts";

/** The session's kernel itself. */
const TRUNK = "main";
const verbs = ["keep", "drop"];
const USAGE = "Write /branch <name>, /branch main, /branch keep <name> or /branch drop <name>.";

export async function branch(call: CommandCall): Promise<void> {
  const [first = "", name = "", ...rest] = call.argument.split(/\s+/);
  if (first === "") return await branches(call);
  const isVerb = verbs.includes(first);
  if (rest.length > 0 || isVerb !== (name !== "")) return warn(call, USAGE);
  await whileIdle((open) =>
    first === "keep" ? keep(open, name) : first === "drop" ? drop(open, name) : choose(open, first),
  )(call);
}

export const branches = withSession(async (call: OpenCall) => {
  const { python } = call.session.services;
  const listed = (await python.knownBranches?.list()) ?? [];
  if (listed.length === 0)
    return inform(
      call,
      "No branches yet. /branch <name> copies the kernel, and your $ cells run in the copy.",
    );
  const own = ownBranch(call.conversation.store) ?? TRUNK;
  const row = (name: string, words: string) =>
    [name, name === own ? `${words}; your $ cells run here` : words] as const;
  answer(call, "Branches of the kernel", [
    row(TRUNK, "the session's kernel"),
    ...listed.map((facts) => row(facts.name, describe(facts))),
  ]);
});

function describe({ madeAt, calls, memory }: BranchFacts): string {
  const size = memory === undefined ? "" : `, ${formatSize(memory.privateBytes)} of its own`;
  return `made ${formatAge(Date.now() - madeAt)}, ${count(calls, "call")}${size}`;
}

async function choose(call: OpenCall, name: string): Promise<void> {
  const { conversation } = call;
  if (name === TRUNK) {
    chooseOwnBranch(conversation.store, undefined);
    return inform(call, "Your $ cells run in the session's kernel.");
  }
  await conversation.alone(`copying the kernel to ${name}`, false, async (signal) => {
    const remarks = await ask(call, (branches) => branches.open(name, signal));
    chooseOwnBranch(conversation.store, name);
    const about = remarks.map((remark) => `${remark}. `).join("");
    inform(call, `${about}Your $ cells run in ${name}; /branch main leaves it.`);
  });
}

async function keep(call: OpenCall, name: string): Promise<void> {
  const { session, conversation } = call;
  await conversation.alone(`keeping ${name}`, false, async (signal) => {
    await ask(call, (branches) => branches.keep(name, signal));
    leave(call, name);
    const notice = `The user has kept the branch ${name}: it is the session's kernel now, in the place of the one before.`;
    session.add(userMessage(`[${notice}]`, { kind: "announcement", notice }));
    inform(call, `${name} is the session's kernel now.`);
  });
}

async function drop(call: OpenCall, name: string): Promise<void> {
  await ask(call, (branches) => branches.drop(name));
  leave(call, name);
  inform(call, `${name} has ended.`);
}

/** An error begins with the command's name: nobody has called the python tool. */
async function ask<T>(
  { session }: OpenCall,
  question: (branches: Awaited<ReturnType<SessionPython["branches"]>>) => Promise<T>,
): Promise<T> {
  try {
    return await question(await session.services.python.branches());
  } catch (error) {
    if (!(error instanceof OmpError)) throw error;
    throw new OmpError({ operation: "/branch", issue: error.issue, code: error.code }, { cause: error });
  }
}

function leave({ conversation: { store } }: OpenCall, name: string): void {
  if (ownBranch(store) === name) chooseOwnBranch(store, undefined);
}
