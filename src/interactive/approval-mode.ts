/** The session's approval mode on the screen, and Shift+Tab, which switches it. */

import type { AgentSession } from "../app/agent-session.ts";
import type { ApprovalMode } from "../app/toolbox.ts";
import type { Store } from "../ui/store/store.ts";

export const approvalMeanings: Readonly<Record<ApprovalMode, string>> = {
  auto: "everything runs except dangerous commands",
  ask: "anything that makes changes needs your approval",
  "read-only": "only tools that make no changes",
};

/** @returns what is now the case, in words. */
export function nextApproval({ services }: AgentSession, store: Store): string {
  const { approval } = services;
  const mode = approval.next();
  showApproval(mode, store);
  const only = approval.allowed.length === 1 ? "; this project allows no looser mode" : "";
  return `Approval: ${mode}, ${approvalMeanings[mode]}${only}`;
}

export function showApproval(mode: ApprovalMode, store: Store): void {
  store.dispatch({ type: "facts", facts: { approval: mode === "auto" ? undefined : mode } });
}
