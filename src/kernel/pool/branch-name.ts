/** What a branch may be called. */

const BRANCH_NAME = /^[\w.-]{1,40}$/;

/** Says what a name must be, after "the name of a branch". */
export const BRANCH_NAME_RULE = "has letters, digits, dots and dashes, 40 at most";

export function isBranchName(name: string): boolean {
  return BRANCH_NAME.test(name);
}
