/** Pictures for the model: `[Image #1]` for one that was pasted, dropped or in the clipboard, and `@plot.png` for a file. */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { PICTURE_NAME, pictureOf, readPicture } from "../app/picture-file.ts";
import { type ImageContent, OmpError, type UserMessage, userMessage } from "../protocol/index.ts";
import type { Invocation } from "../protocol/invocation.ts";

const MENTIONED = /\[Image #(\d+)\]|(?:^|\s)@(\S+)/g;

export interface PreparedMessage {
  readonly message: UserMessage;
  /** What could not be attached, and why: one line each. */
  readonly problems: readonly string[];
}

export class Attachments {
  readonly #invocation: Invocation;
  readonly #pictures: (() => Promise<ImageContent>)[] = [];

  constructor(invocation: Invocation) {
    this.#invocation = invocation;
  }

  /** @returns what stands for the pictures in the prompt; undefined for a text that is not paths of pictures. */
  addPaths(pasted: string): string | undefined {
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

  /** Whether the text may name pictures. */
  mentions(text: string): boolean {
    return this.#mentioned(text).length > 0;
  }

  /** The message with the pictures that its text names. */
  async messageFor(text: string): Promise<PreparedMessage> {
    const problems: string[] = [];
    const images: ImageContent[] = [];
    for (const load of this.#mentioned(text)) {
      try {
        images.push(await load());
      } catch (error) {
        if (!(error instanceof OmpError)) throw error;
        problems.push(error.message);
      }
    }
    const message = userMessage(text);
    return { message: { ...message, content: [...message.content, ...images] }, problems };
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
