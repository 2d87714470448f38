/** `@server:uri` in a prompt: the resources of MCP servers that it names, and their content. */

import { type ImageContent, OmpError, type TextContent } from "../protocol/index.ts";
import type { InputMessages } from "./input-messages.ts";
import type { SessionMcp } from "./mcp.ts";
import { resourcePart } from "./mcp-content.ts";

/** As completion writes it: in quotes where it has a blank or a symbol. */
const MENTIONED = /(?:^|[\s([{"'`,;=])@(?:"((?:[^"\\\n]|\\.)*)"|(\S+))/gu;
const RESOURCE = /^([A-Za-z0-9][\w.-]*):(.+)$/s;

export interface ResourceMention {
  readonly server: string;
  readonly uri: string;
}

/** Each once, in the order of the text. Only of servers that there are: `@types/node:x` is none. */
export function mentionedResources(
  text: string,
  mcp: Pick<SessionMcp, "servers"> | undefined,
): readonly ResourceMention[] {
  const names = new Set(mcp?.servers.map(({ name }) => name));
  if (names.size === 0) return [];
  const found = [...text.matchAll(MENTIONED)].flatMap(([, quoted, plain]) => {
    // A comma or a full stop belongs to the sentence.
    const written = quoted?.replace(/\\(.)/gs, "$1") ?? plain?.replace(/[,.;:!?)\]}'"]+$/, "") ?? "";
    const [, server = "", uri = ""] = RESOURCE.exec(written) ?? [];
    return names.has(server) ? [{ server, uri }] : [];
  });
  return [...new Map(found.map((mention) => [`${mention.server}:${mention.uri}`, mention])).values()];
}

export interface ResourceServices {
  readonly mcp: SessionMcp | undefined;
  readonly inputs: Pick<InputMessages, "resource">;
}

export interface AttachedResources {
  readonly parts: readonly (TextContent | ImageContent)[];
  /** What could not be read, and why. */
  readonly problems: readonly OmpError[];
}

export async function attachResources(
  text: string,
  { mcp, inputs }: ResourceServices,
  signal: AbortSignal,
): Promise<AttachedResources> {
  const read = async ({ server, uri }: ResourceMention): Promise<AttachedResources> => {
    try {
      const connection = await mcp?.connection(server);
      const contents = (await connection?.read(uri, signal)) ?? [];
      const mention = `@${server}:${uri}`;
      const parts = contents.map((content) => resourcePart(content, { mention, inputs }));
      return { parts: await Promise.all(parts), problems: [] };
    } catch (error) {
      if (!(error instanceof OmpError)) throw error;
      const { issue, code } = error;
      return { parts: [], problems: [new OmpError({ operation: `@${server}:${uri}`, issue, code })] };
    }
  };
  const all = await Promise.all(mentionedResources(text, mcp).map(read));
  return { parts: all.flatMap(({ parts }) => parts), problems: all.flatMap(({ problems }) => problems) };
}
