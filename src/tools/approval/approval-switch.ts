/** The approval mode of a session, which the user may switch: to a stricter one, and no looser than the project allows. */

import type { ApprovalMode } from "./decide.ts";

/** From the loosest to the strictest. */
const approvalModes: readonly ApprovalMode[] = ["auto", "ask", "read-only"];

export class ApprovalSwitch {
  readonly #loosest: ApprovalMode;
  #mode: ApprovalMode;

  /** @param limit the loosest mode that the project allows. What the session starts with is the user's own decision, and allowed. */
  constructor(start: ApprovalMode, limit: ApprovalMode) {
    this.#mode = start;
    this.#loosest = approvalModes.find((mode) => mode === start || mode === limit) ?? start;
  }

  get mode(): ApprovalMode {
    return this.#mode;
  }

  /** The modes that can be chosen, from the loosest to the strictest. */
  get allowed(): readonly ApprovalMode[] {
    return approvalModes.slice(approvalModes.indexOf(this.#loosest));
  }

  /** @returns false when the project does not allow it. */
  set(mode: ApprovalMode): boolean {
    if (!this.allowed.includes(mode)) return false;
    this.#mode = mode;
    return true;
  }

  /** The next stricter mode; after the strictest the loosest. */
  next(): ApprovalMode {
    const { allowed } = this;
    this.#mode = allowed[(allowed.indexOf(this.#mode) + 1) % allowed.length] ?? this.#mode;
    return this.#mode;
  }
}
