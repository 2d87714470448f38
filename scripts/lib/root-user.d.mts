/** Types of root-user.mjs, which Node runs before there is a compiler. */

type Variables = Readonly<Record<string, string | undefined>>;

export function environmentOfUser(env: Variables): Variables;
export function giveToOwner(checkout: string, paths: readonly string[]): void;
