/** Large inputs as parts of a message: kept for the session, and described to its model. Where no tool could read them, they stay in the prompt. */

import { readFileSync, statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { attempt, OmpError, type TextContent } from "../protocol/index.ts";
import { expandHome } from "../tools/paths.ts";
import { MAX_PROMPT_BYTES } from "./input-limit.ts";
import type { Spooled } from "./input-spool.ts";
import { describeInput, type InputReach } from "./input-words.ts";
import type { LargeInput } from "./inputs.ts";
import { PICTURE_NAME } from "./picture-file.ts";
import type { Services } from "./services.ts";

/** No model could read more, and it would only fill the memory. */
const MAX_WITHOUT_TOOLS = 16_000_000;
const READERS = ["python", "bash", "read", "python_run", "exec"];
const MENTIONED = /(?:^|\s)@(\S+)/g;

export class InputMessages {
  readonly #services: Services;
  readonly #toolNames: () => readonly string[];

  constructor(services: Services, toolNames: () => readonly string[]) {
    this.#services = services;
    this.#toolNames = toolNames;
  }

  /** Throws OmpError. */
  stdin(spooled: Spooled): TextContent {
    if (this.#canRead) return this.#described(this.#services.inputs.adopt(spooled), "stdin");
    const { bytes, encoding } = spooled.facts;
    if (encoding === undefined)
      return { type: "text", text: `[stdin is not text: ${spooled.facts.kind}, ${bytes} bytes]` };
    if (bytes > MAX_WITHOUT_TOOLS) throw tooLargeError();
    return { type: "text", text: stdinBlock(new TextDecoder(encoding).decode(readFileSync(spooled.path))) };
  }

  /** @param placeholder what stands for it in the user's words. Throws OmpError. */
  paste(text: string, placeholder: string): TextContent {
    if (this.#canRead) return this.#described(this.#services.inputs.keepPaste(text), placeholder);
    return { type: "text", text: `${placeholder}:\n${text}`, notice: `${placeholder} is part of the prompt` };
  }

  /** What an MCP server gives to read. @param mention how the user has named it. Throws OmpError. */
  resource(text: string, { uri, mention }: { readonly uri: string; readonly mention: string }): TextContent {
    if (Buffer.byteLength(text) > MAX_PROMPT_BYTES && this.#canRead)
      return this.#described(this.#services.inputs.keepText(basename(uri), text), mention);
    return { type: "text", text: resourceBlock(text, uri), notice: `${mention} is attached` };
  }

  /** The large files that a text names with `@`. Throws OmpError. */
  files(text: string): TextContent[] {
    if (!this.#canRead) return [];
    return mentionedFiles(text, this.#services.workspace).map(({ path, mention }) =>
      this.#described(this.#services.inputs.nameFile(path), mention),
    );
  }

  get #canRead(): boolean {
    return this.#toolNames().some((name) => READERS.includes(name));
  }

  #described(input: LargeInput, source: string): TextContent {
    return describeInput(input, source, this.#reach);
  }

  get #reach(): InputReach {
    const { elsewhere, existing, hasBridge } = this.#services.python.toolFacts;
    const hasCells = this.#toolNames().includes("python") && (existing === undefined || hasBridge);
    return { hasCells, elsewhere };
  }
}

export function resourceBlock(text: string, uri: string): string {
  return `<resource uri="${uri}">\n${text.replace(/\n?$/, "\n")}</resource>`;
}

export function stdinBlock(text: string): string {
  return `<stdin>\n${text.replace(/\n?$/, "\n")}</stdin>`;
}

function mentionedFiles(
  text: string,
  { cwd, paths }: { readonly cwd: string; readonly paths: { readonly userHome: string } },
): { readonly path: string; readonly mention: string }[] {
  const named = [...text.matchAll(MENTIONED)].flatMap(([, word = ""]) => {
    // A comma or a full stop belongs to the sentence, unless there is such a file.
    const found = [word, word.replace(/[,.;:!?)\]}'"]+$/, "")].find((name) => {
      const file = attempt(() => statSync(resolve(cwd, expandHome(name, paths.userHome))));
      return file?.isFile() === true && file.size > MAX_PROMPT_BYTES && !PICTURE_NAME.test(name);
    });
    return found === undefined
      ? []
      : [{ path: resolve(cwd, expandHome(found, paths.userHome)), mention: `@${found}` }];
  });
  return [...new Map(named.map((each) => [each.path, each])).values()];
}

function tooLargeError(): OmpError {
  const issue = `stdin has more than ${MAX_WITHOUT_TOOLS / 1_000_000} MB, and this run has no tool that could read it; allow python, bash or read`;
  return new OmpError({ operation: "omp", issue, code: "TOO_LARGE" });
}
