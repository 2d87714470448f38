/** A session as Markdown: for a bug report, a pull request, or to read on. */

import { callText } from "./call-text.ts";
import { type Passage, passagesOf, plainText, type ToolPassage } from "./conversation.ts";
import type { SessionContent } from "./read.ts";

export interface MarkdownOptions {
  /** Output beyond this many lines is cut in the middle; everything is written when not given. */
  readonly maxOutputLines?: number | undefined;
  /** The session goes on: a call without a result may still get one. */
  readonly isRunning?: boolean;
  /** Numbers the prompts, as a way to name them. */
  readonly numbersPrompts?: boolean;
}

export function markdownOf(
  { header, entries }: Pick<SessionContent, "header" | "entries">,
  options: MarkdownOptions = {},
): string {
  const facts = [
    `- Directory: \`${header.cwd}\``,
    `- Started: ${header.createdAt}`,
    ...(header.parent === undefined
      ? []
      : [`- ${header.agent === undefined ? "Copy" : `Subagent ${header.agent}`} of: ${header.parent}`]),
  ];
  let prompts = 0;
  const passages = passagesOf(entries).map((passage) => {
    if (passage.kind === "user") prompts += 1;
    return sectionOf(passage, options, prompts);
  });
  return plainText(`${[`# Session ${header.id}`, facts.join("\n"), ...passages].join("\n\n")}\n`);
}

function sectionOf(passage: Passage, options: MarkdownOptions, number: number): string {
  switch (passage.kind) {
    case "user": {
      const heading = options.numbersPrompts === true ? `## ${number}. User` : "## User";
      return [heading, passage.text, ...passage.images.map(picture)].join("\n\n");
    }
    case "ran":
      return `## User ran \`${passage.tool}\`\n\n${fenced(passage.text)}`;
    case "assistant":
      return `## Assistant\n\n${passage.text}`;
    case "reasoning":
    case "note":
      return quoted(passage.text);
    case "tool":
      return toolSection(passage, options);
  }
}

function toolSection(passage: ToolPassage, options: MarkdownOptions, caller?: string): string {
  const { text, language } = callText(passage.input);
  const isOpen = passage.output === undefined && options.isRunning === true;
  const output = passage.output ?? (isOpen ? "[it still runs]" : "[no result: omp ended first]");
  const by = caller === undefined ? "" : `, called by \`${caller}\``;
  return [
    `${caller === undefined ? "###" : "####"} \`${passage.name}\`${by}${passage.isError && !isOpen ? " (failed)" : ""}`,
    fenced(text, language),
    fenced(cut(output, options.maxOutputLines)),
    ...passage.images.map(picture),
    ...passage.nested.map((inner) => toolSection(inner, options, passage.name)),
  ].join("\n\n");
}

function quoted(text: string): string {
  return text.replace(/^/gm, "> ").replace(/^> $/gm, ">");
}

/** A fence longer than any in the text: nothing in it can end the block. */
function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

function cut(text: string, maxLines: number | undefined): string {
  const lines = text.split("\n");
  if (maxLines === undefined || lines.length <= maxLines) return text;
  const half = Math.floor(maxLines / 2);
  const left = lines.length - 2 * half;
  return [...lines.slice(0, half), `[… ${left} lines …]`, ...lines.slice(-half)].join("\n");
}

function picture({ mediaType, base64 }: { readonly mediaType: string; readonly base64: string }): string {
  return `[image, ${mediaType}, ${Math.round((base64.length * 3) / 4)} bytes]`;
}
