/** What a question is about: the command or the file, where links in it lead, and how far a yes reaches. */

import { resolve } from "node:path";
import { asRecord } from "../../protocol/record.ts";
import {
  literalArguments,
  patternsFor,
  type Reading,
  type Script,
  type ShellPlace,
} from "../../shell/safety/index.ts";
import { realPath } from "../../shell/safety/project-limit.ts";
import { expandHome } from "../paths.ts";
import type { ApprovalSubject, PathLink } from "./grants.ts";

export interface SubjectCall {
  readonly tool: string;
  readonly summary: string;
  readonly input: unknown;
  readonly place: ShellPlace;
  /** The one that the call asks for, where that is another. */
  readonly directory: string | undefined;
  /** Of a call that is one command and nothing else. */
  readonly whole:
    | { readonly command: string; readonly reading: Reading; readonly script: Script | undefined }
    | undefined;
}

export function subjectOf({ tool, summary, input, place, directory, whole }: SubjectCall): ApprovalSubject {
  const { cwd, home } = place;
  const linksIn = (paths: readonly string[]) => findLinks(paths, cwd, home);
  if (whole !== undefined) {
    const { command, reading, script } = whole;
    // Words do not say where they run.
    const patterns = script && directory === undefined ? patternsFor(script, place) : undefined;
    const links = linksIn(literalArguments(reading));
    const key = [`${tool} ${command}`, ...(directory === undefined ? [] : [directory])].join("\0");
    return { tool, summary, directory, command, patterns, covers: undefined, key, links };
  }
  const { path } = asRecord(input);
  // What an MCP server does with a path is its own affair: a yes to it says nothing about our own tools, nor theirs about it.
  const isFile = typeof path === "string" && !tool.startsWith("mcp__");
  const file = isFile ? realPath(resolve(cwd, expandHome(path, home))) : undefined;
  return {
    tool,
    summary,
    directory,
    input: describeInput(input),
    ...(isFile ? { path } : {}),
    command: undefined,
    patterns: undefined,
    covers: isFile ? "this file" : tool === "python" ? "any cell" : `any ${tool} call`,
    key: file === undefined ? tool : `file ${file}`,
    links: isFile ? linksIn([path]) : [],
  };
}

/** All of it: code as it is, the rest by name. */
function describeInput(input: unknown): string {
  const { cells, ...fields } = asRecord(input);
  const codes = Array.isArray(cells) ? cells.map((cell) => asRecord(cell)["code"]) : [];
  const named = Object.entries(fields).filter(([, value]) => value !== undefined);
  const lines = named.map(
    ([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return [...codes.filter((code) => typeof code === "string"), ...lines].join("\n");
}

/** The working directory itself may be behind a link: that is where the user works. */
function findLinks(paths: readonly string[], cwd: string, home: string): PathLink[] {
  const here = realPath(cwd);
  return [...new Set(paths)].flatMap((path) => {
    const expanded = resolve(here, expandHome(path, home));
    const target = realPath(expanded);
    return target === expanded ? [] : [{ path, target }];
  });
}
