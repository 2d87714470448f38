/** What Tab completes besides names of commands, files of the project and Python: arguments of commands, and paths in shell commands. */

import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { settingRows } from "../config/access.ts";
import { ignoreSystemError } from "../protocol/index.ts";
import type { Invocation } from "../protocol/invocation.ts";
import type { CodeCompletions, CodeName } from "../ui/store/code-help.ts";
import { type McpOffers, promptArguments } from "./mcp-offers.ts";
import { effortNames } from "./model-commands.ts";
import { themeNames } from "./settings-commands.ts";

/** What is asked of the session, if there is one. */
export interface CompletionSession {
  listProviders(): Promise<
    readonly { readonly ready: boolean; readonly models: readonly { readonly name: string }[] }[]
  >;
  readonly services: {
    readonly shells: {
      readonly directory: string | undefined;
      background(): readonly { readonly id: string; readonly command: string }[];
    };
    readonly mcp?: McpOffers | undefined;
    readonly python?:
      | { readonly knownBranches: { readonly names: readonly string[] } | undefined }
      | undefined;
  };
}

/** @returns undefined where nothing can be completed. */
export async function completionsAt(
  before: string,
  {
    session,
    invocation,
  }: { readonly session: CompletionSession | undefined; readonly invocation: Invocation },
): Promise<CodeCompletions | undefined> {
  if (before.startsWith("!")) {
    const directory = session?.services.shells.directory ?? invocation.cwd;
    return await shellPaths(before, { directory, home: invocation.env["HOME"] });
  }
  const [, command = "", earlier = "", word = ""] =
    /^\/([\w:.-]+)[ \t]+((?:\S+[ \t]+)*)(\S*)$/.exec(before) ?? [];
  if (command === "") return undefined;
  const mcp = session?.services.mcp;
  const offered = command.includes(":")
    ? await promptArguments({ command, earlier: earlier.trim(), word }, mcp)
    : await argumentsOf(command, earlier.trim(), { session, invocation });
  return { start: before.length - word.length, names: offered.filter(({ text }) => text.startsWith(word)) };
}

async function argumentsOf(
  command: string,
  earlier: string,
  {
    session,
    invocation,
  }: { readonly session: CompletionSession | undefined; readonly invocation: Invocation },
): Promise<readonly CodeName[]> {
  const isFirst = earlier === "";
  switch (command) {
    case "approval":
      return isFirst ? ["auto", "ask", "read-only"].map((text) => ({ text, type: "" })) : [];
    case "effort":
      return isFirst ? effortNames.map(([text, type]) => ({ text, type })) : [];
    case "theme":
      return isFirst ? themeNames.map(([text, type]) => ({ text, type })) : [];
    case "model": {
      const providers = isFirst ? await session?.listProviders() : undefined;
      const models = (providers ?? []).filter(({ ready }) => ready).flatMap((provider) => provider.models);
      return models.map(({ name }) => ({ text: name, type: "" }));
    }
    case "settings": {
      const rows = isFirst ? await settingRows(invocation) : [];
      return rows.map(({ key, text }) => ({ text: key, type: text }));
    }
    case "branch": {
      const names = session?.services.python?.knownBranches?.names ?? [];
      const verbs = [
        { text: "main", type: "the session's kernel" },
        { text: "keep", type: "makes one the session's kernel" },
        { text: "drop", type: "ends one" },
      ];
      const offered = names.map((text) => ({ text, type: "" }));
      return isFirst ? [...offered, ...verbs] : earlier === "keep" || earlier === "drop" ? offered : [];
    }
    case "shells": {
      if (isFirst) return [{ text: "kill", type: "ends one" }];
      const shells = earlier === "kill" ? (session?.services.shells.background() ?? []) : [];
      return shells.map(({ id, command: run }) => ({ text: id, type: run.split("\n")[0] ?? "" }));
    }
    default:
      return [];
  }
}

/** The word before the cursor, as a shell reads it: a blank or a symbol before it, unless escaped or quoted. */
const LAST_WORD = /(?:^!!?|[\s|;&<>()=])((?:\\.|"(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s|;&<>()="'\\])*)$/s;
const MOST_NAMES = 200;

async function shellPaths(
  before: string,
  { directory, home }: { readonly directory: string; readonly home: string | undefined },
): Promise<CodeCompletions | undefined> {
  const written = LAST_WORD.exec(before)?.[1];
  if (written === undefined || /["']/.test(written)) return undefined;
  const plain = written.replace(/\\(.)/gs, "$1");
  const folder = plain.slice(0, plain.lastIndexOf("/") + 1);
  const start = plain.slice(folder.length);
  const names = await namesIn(resolve(directory, inHome(folder, home) || "."), start);
  const head = written.slice(0, written.length - escaped(start).length);
  return {
    start: before.length - written.length,
    names: names.map(({ text, type }) => ({ text: head + escaped(text), type })),
  };
}

/** Paths outside of the project, and those from `.`: what begins as the query does. */
export async function pathsAt(
  query: string,
  { env, cwd }: Invocation,
): Promise<readonly string[] | undefined> {
  if (!/^(?:~|\.{1,2})?\//.test(query)) return undefined;
  const folder = query.slice(0, query.lastIndexOf("/") + 1);
  const names = await namesIn(resolve(cwd, inHome(folder, env["HOME"])), query.slice(folder.length));
  return names.map(({ text }) => folder + text);
}

function inHome(path: string, home: string | undefined): string {
  return home !== undefined && path.startsWith("~/") ? join(home, path.slice(2)) : path;
}

/** Directories end with a slash. Hidden names only when a dot was written. */
async function namesIn(directory: string, start: string): Promise<CodeName[]> {
  const entries = (await readdir(directory, { withFileTypes: true }).catch(ignoreSystemError)) ?? [];
  const small = start.toLowerCase();
  return entries
    .filter(({ name }) => name.startsWith(start) || (start === small && name.toLowerCase().startsWith(small)))
    .filter(({ name }) => !name.startsWith(".") || start.startsWith("."))
    .map((entry) => ({ text: entry.isDirectory() ? `${entry.name}/` : entry.name, type: "" }))
    .sort((one, other) => (one.text < other.text ? -1 : 1))
    .slice(0, MOST_NAMES);
}

function escaped(name: string): string {
  return name.replace(/[\s|;&<>()="'\\$`*?[\]{}!#]/g, "\\$&");
}
