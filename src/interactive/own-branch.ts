/** In which branch the user's own `$` cells run: in the session's kernel until one is chosen, and again when that has ended. */

import type { SessionPython } from "../app/python.ts";
import type { Store } from "../ui/store/store.ts";

export function ownBranch(store: Store): string | undefined {
  return store.get().facts.kernel.branch;
}

/** @param name undefined for the session's kernel. */
export function chooseOwnBranch(store: Store, name: string | undefined): void {
  store.dispatch({ type: "kernel", branch: name });
}

/** Also others end branches: the model, its own code, a switch of the sandbox. @returns whether it had ended, which the user is told. */
export function leaveEndedBranch(
  store: Store,
  { knownBranches }: Pick<SessionPython, "knownBranches">,
): boolean {
  const name = ownBranch(store);
  if (name === undefined || knownBranches?.has(name) === true) return false;
  const end = knownBranches?.endOf(name);
  chooseOwnBranch(store, undefined);
  const text = `The branch ${name} has ended${end === undefined ? "" : `: ${end}`}. Your $ cells run in the session's kernel again.`;
  store.dispatch({ type: "notice", tone: "warning", text });
  return true;
}
