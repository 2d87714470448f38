/** `/server:prompt argument …`: how the prompts of MCP servers are called, and what one gives to the model. */

import { unlessAborted } from "../async/abort.ts";
import { nearestName } from "../format/nearest.ts";
import { OmpError } from "../protocol/index.ts";
import type { McpPrompt, McpPromptMessage } from "../protocol/mcp.ts";
import type { SessionMcp } from "./mcp.ts";
import { contentPart, type MessagePart } from "./mcp-content.ts";

/** A path has a slash where a server's name ends. */
const CALL = /^\/([A-Za-z0-9][\w.-]*):(\S+)(?:\s+([\s\S]*))?$/;
/** Words as in a shell: apart by blanks, unless they are quoted. */
const WORD = /(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+?)(?=["']|\s|$))/;
const PREVIEW_CHARS = 100;
const NAMED = /^([\w.-]+)=(?=\S)/;

/** What is typed for it, without the slash: a name that has blanks could not be. */
export function promptCommand({ server, name }: Pick<McpPrompt, "server" | "name">): string {
  return `${server}:${name.replace(/\s+/g, "_")}`;
}

/** `<city> [state]`. */
export function argumentHint({ arguments: declared }: McpPrompt): string {
  return declared.map(({ name, isRequired }) => (isRequired ? `<${name}>` : `[${name}]`)).join(" ");
}

/** Whether the text calls a prompt of a server that there is. */
export function isPromptCall(text: string, mcp: Pick<SessionMcp, "servers"> | undefined): boolean {
  const [, server] = CALL.exec(text) ?? [];
  return server !== undefined && (mcp?.servers.some(({ name }) => name === server) ?? false);
}

/** What the prompt that a text calls gives to the model. Throws OmpError, in one line. */
export async function promptParts(
  text: string,
  mcp: SessionMcp,
  signal: AbortSignal,
): Promise<readonly MessagePart[]> {
  const [, server = "", called = "", rest = ""] = CALL.exec(text) ?? [];
  const connection = await mcp.connection(server);
  // Throws where the server cannot be reached.
  await unlessAborted(connection.connect(), signal);
  const prompt = findPrompt(`${server}:${called}`, connection.status.prompts);
  const messages = await connection.prompt(prompt.name, readArguments(rest, prompt), signal);
  if (messages.length === 0)
    throw promptError(`${server}:${called}`, "the server gave no messages", "EMPTY_PROMPT");
  return await Promise.all(messages.map(partOf));
}

/** What only the model reads: the person knows what they have called, and is shown how it begins. */
async function partOf({ role, content }: McpPromptMessage): Promise<MessagePart> {
  const part = await contentPart(content);
  if (part.type === "image") return part;
  // One message is sent, so what the model is to have said before is marked.
  const text = role === "user" ? part.text : `<assistant>\n${part.text}\n</assistant>`;
  const from = content.type === "text" ? content.uri : undefined;
  return { ...part, text, notice: from ?? preview(part.text) };
}

function preview(text: string): string {
  const [first = "", ...more] = text.trim().split("\n");
  return first.length > PREVIEW_CHARS || more.length > 0 ? `${first.slice(0, PREVIEW_CHARS)} …` : first;
}

function findPrompt(called: string, prompts: readonly McpPrompt[]): McpPrompt {
  const found = prompts.find((prompt) => promptCommand(prompt) === called);
  if (found !== undefined) return found;
  const names = prompts.map(promptCommand);
  const nearest = nearestName(called, names);
  const advice =
    nearest !== undefined
      ? `did you mean /${nearest}?`
      : names.length === 0
        ? "the server has none"
        : `there are ${names.map((name) => `/${name}`).join(", ")}`;
  throw promptError(called, `there is no such prompt; ${advice}`, "UNKNOWN_PROMPT");
}

/** By name (`city=Paris`), and the others in order; the last one takes what is left of the line. Throws OmpError. */
export function readArguments(text: string, prompt: McpPrompt): Record<string, string> {
  const called = promptCommand(prompt);
  const usage = `/${called} ${argumentHint(prompt)}`.trim();
  const names = prompt.arguments.map(({ name }) => name);
  const given: Record<string, string> = {};
  let left = text.trim();
  while (left !== "") {
    const [, name] = NAMED.exec(left) ?? [];
    const free = names.filter((each) => given[each] === undefined);
    if (name !== undefined && names.includes(name)) {
      const { word, after } = nextWord(left.slice(name.length + 1));
      given[name] = word;
      left = after;
      continue;
    }
    if (name !== undefined && nearestName(name, names) !== undefined)
      throw promptError(called, `there is no argument '${name}': ${usage}`, "BAD_ARGUMENT");
    const [next] = free;
    if (next === undefined) throw promptError(called, `'${left}' is one too many: ${usage}`, "BAD_ARGUMENT");
    const { word, after } = nextWord(left);
    const isLast = free.length === 1 && !NAMED.test(after);
    given[next] = isLast && after !== "" ? left : word;
    left = isLast ? "" : after;
  }
  const missing = prompt.arguments.filter(({ name, isRequired }) => isRequired && given[name] === undefined);
  if (missing.length > 0)
    throw promptError(
      called,
      `needs ${missing.map(({ name }) => name).join(", ")}: ${usage}`,
      "BAD_ARGUMENT",
    );
  return given;
}

function nextWord(text: string): { readonly word: string; readonly after: string } {
  let word = "";
  let left = text;
  do {
    const [all = "", double, single, plain] = WORD.exec(left) ?? [left, undefined, undefined, left];
    word += double?.replace(/\\(.)/gs, "$1") ?? single ?? plain ?? "";
    left = left.slice(all.length);
  } while (left !== "" && !/^\s/.test(left));
  return { word, after: left.trimStart() };
}

function promptError(called: string, issue: string, code: string): OmpError {
  return new OmpError({ operation: `/${called}`, issue, code });
}
