/** Python code as the content of a file. */

/**
 * Python 3.9 reads a long line in pieces and takes half a letter for a wrong encoding, unless the file says that it is UTF-8. The byte order
 * mark says so without another line, which would move the numbers in tracebacks.
 */
export function pythonSource(code: string): string {
  return /^[\0-\x7f]*$/.test(code) ? code : `\ufeff${code}`;
}
