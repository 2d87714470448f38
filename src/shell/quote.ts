/** One word of a command line, whatever is in it. Everything that omp itself puts into a command line goes through here. */
export function shellQuote(text: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
