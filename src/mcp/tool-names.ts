/** What a server's tools are called to the model: providers accept letters, digits, `_` and `-`, at most 64 of them. */

const MAX_LENGTH = 64;
const HASH_LENGTH = 6;

/** The same name gives the same result, so that sessions can be resumed; two names never give one. */
export function fullToolName(server: string, tool: string): string {
  const plain = `mcp__${server}__${tool}`;
  const accepted = plain.replace(/[^A-Za-z0-9_-]/g, "_");
  if (accepted === plain && accepted.length <= MAX_LENGTH) return plain;
  const hash = Bun.hash(plain).toString(36).slice(0, HASH_LENGTH);
  return `${accepted.slice(0, MAX_LENGTH - HASH_LENGTH - 1)}_${hash}`;
}
