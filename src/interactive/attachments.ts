/**
 * What a prompt names and does not hold: pictures (`[Image #1]` for one that was pasted, dropped or in the clipboard, `@plot.png` for a file),
 * and large inputs (`[Pasted text #1 +900 lines]`, `@data.csv`).
 */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { AgentSession } from "../app/agent-session.ts";
import { MAX_PROMPT_BYTES } from "../app/input-limit.ts";
import { PICTURE_NAME, pictureOf, readPicture } from "../app/picture-file.ts";
import {
  type ImageContent,
  OmpError,
  type TextContent,
  type UserMessage,
  userMessage,
} from "../protocol/index.ts";
import type { Invocation } from "../protocol/invocation.ts";
import { PASTE_PLACEHOLDER, pastePlaceholder } from "../ui/editor/paste.ts";

const MENTION = /\[Image #\d+\]|(?:^|\s)@\S/;
const MENTIONED = /\[Image #(\d+)\]|(?:^|\s)@(\S+)/g;

export interface PreparedMessage {
  readonly message: UserMessage;
  /** What could not be attached, and why: one line each. */
  readonly problems: readonly string[];
}

export class Attachments {
  readonly #invocation: Invocation;
  readonly #pictures: (() => Promise<ImageContent>)[] = [];
  /** Texts that are too large for a prompt, by what stands for them. */
  readonly #texts = new Map<string, string>();
  #lastText = 0;
  /** What a session has of them already. */
  readonly #kept = new WeakMap<AgentSession, Map<string, TextContent>>();

  constructor(invocation: Invocation) {
    this.#invocation = invocation;
  }

  /** Paths of pictures, and what is too large. @param last the highest number in the prompt. @returns what stands for it there. */
  addPaste(pasted: string, last: number): string | undefined {
    return Buffer.byteLength(pasted) > MAX_PROMPT_BYTES
      ? this.#addText(pasted, last)
      : this.#addPaths(pasted);
  }

  /** The text with what was pasted. */
  unfolded(text: string): string {
    return text.replace(new RegExp(PASTE_PLACEHOLDER, "g"), (found) => this.#texts.get(found) ?? found);
  }

  #addText(text: string, last: number): string {
    this.#lastText = Math.max(this.#lastText, last) + 1;
    const placeholder = pastePlaceholder(this.#lastText, text);
    this.#texts.set(placeholder, text);
    return placeholder;
  }

  #addPaths(pasted: string): string | undefined {
    const paths = pastedPaths(pasted).map((path) => this.#located(path));
    if (paths.length === 0 || !paths.every((path) => PICTURE_NAME.test(path) && existsSync(path)))
      return undefined;
    return paths.map((path) => this.addFile(path)).join(" ");
  }

  addFile(path: string): string {
    const file = this.#located(path);
    return this.#add(() => readPicture(file));
  }

  addBytes(bytes: Uint8Array): string {
    return this.#add(() => pictureOf(bytes, "the clipboard"));
  }

  /** Whether the text may name something. */
  mentions(text: string): boolean {
    return MENTION.test(text) || this.unfolded(text) !== text;
  }

  /** The message with what its text names. */
  async messageFor(text: string, session: AgentSession): Promise<PreparedMessage> {
    const problems: string[] = [];
    const parts: (TextContent | ImageContent)[] = [];
    const pictures = this.#mentioned(text);
    for (const load of [...pictures, ...this.#inputs(text, session)]) {
      try {
        parts.push(...[await load()].flat());
      } catch (error) {
        if (!(error instanceof OmpError)) throw error;
        problems.push(error.message);
      }
    }
    const { name, acceptsImages } = session.model.facts;
    if (parts.some(({ type }) => type === "image") && !acceptsImages)
      problems.push(`${name} does not accept images; it is only told that there was one.`);
    const message = userMessage(text);
    return { message: { ...message, content: [...message.content, ...parts] }, problems };
  }

  /** Kept for the session when the text is sent, and only once. */
  #inputs(text: string, session: AgentSession): (() => TextContent | TextContent[])[] {
    const kept = this.#kept.get(session) ?? new Map<string, TextContent>();
    this.#kept.set(session, kept);
    const pasted = [...new Set(text.match(new RegExp(PASTE_PLACEHOLDER, "g")))].flatMap((placeholder) => {
      const whole = this.#texts.get(placeholder);
      if (whole === undefined) return [];
      return () => {
        const part = kept.get(placeholder) ?? session.inputs.paste(whole, placeholder);
        kept.set(placeholder, part);
        return part;
      };
    });
    return [...pasted, () => session.inputs.files(text)];
  }

  #mentioned(text: string): (() => Promise<ImageContent>)[] {
    return [...text.matchAll(MENTIONED)].flatMap(([, number, path = ""]) => {
      if (number !== undefined) return this.#pictures[Number(number) - 1] ?? [];
      const file = this.#located(path);
      return PICTURE_NAME.test(path) && existsSync(file) ? () => readPicture(file) : [];
    });
  }

  #add(load: () => Promise<ImageContent>): string {
    this.#pictures.push(load);
    return `[Image #${this.#pictures.length}]`;
  }

  #located(path: string): string {
    const home = this.#invocation.env["HOME"];
    return resolve(this.#invocation.cwd, home ? path.replace(/^~(?=\/)/, home) : path);
  }
}

/** As terminals and file managers write them: quoted, with backslashes, or as addresses; several by spaces or lines. */
function pastedPaths(text: string): string[] {
  const words = text.trim().match(/'[^']*'|"[^"]*"|(?:\\.|[^\s\\])+/g) ?? [];
  // A file whose name has plain spaces.
  if (
    words.length > 1 &&
    /^(?:\/|~\/)[^\n]*$/.test(text.trim()) &&
    !words.every((word) => PICTURE_NAME.test(word))
  )
    return [text.trim()];
  return words.map((word) => {
    const bare = word.replace(/^(['"])(.*)\1$/, "$2");
    if (bare.startsWith("file://")) return URL.canParse(bare) ? fileURLToPath(bare) : bare;
    return bare === word ? word.replace(/\\(.)/g, "$1") : bare;
  });
}
