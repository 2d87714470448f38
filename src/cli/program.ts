/** The command tree. */
export async function runCli(_args: readonly string[], _version: string): Promise<number> {
  return 0;
}
