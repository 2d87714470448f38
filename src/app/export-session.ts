/** A session as a document, for `omp sessions export` and `/export`. */

import { writeFileSync } from "node:fs";
import { readSession } from "../history/read.ts";
import { OmpError, systemCode } from "../protocol/index.ts";

/** HTML when `format` or the file's name says so, otherwise Markdown. Throws SessionError. */
export async function exportText(
  path: string,
  { format, file = "" }: { readonly format?: string | undefined; readonly file?: string | undefined },
): Promise<string> {
  const content = readSession(path);
  const isHtml = format === undefined ? /\.html?$/i.test(file) : format === "html";
  return isHtml
    ? (await import("../history/export-html.ts")).htmlOf(content)
    : (await import("../history/export-markdown.ts")).markdownOf(content);
}

export function writeExport(file: string, text: string, operation: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600 });
  } catch (error) {
    const code = systemCode(error) ?? "EIO";
    throw new OmpError({ operation, issue: `cannot write ${file}`, code }, { cause: error });
  }
}
