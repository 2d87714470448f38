/**
 * The settings in force: the project's file over the user's file over the defaults, as a frozen value.
 * Without any file the defaults are returned as they are, and neither zod nor the JSON parser is loaded.
 */

import { dirname } from "node:path";
import type { Invocation } from "../protocol/invocation.ts";
import { isRecord, type UnknownRecord } from "../protocol/record.ts";
import { deepFreeze, defaultSettings } from "./defaults.ts";
import { ownFileInUse, projectFileInUse, undecided } from "./earlier.ts";
import { ConfigError } from "./errors.ts";
import { ompPaths } from "./paths.ts";
import { readProjectFile } from "./project-file.ts";
import type { Settings } from "./schema.ts";
import { combineValues, onlyStricter, refuseUsersOwn } from "./stricter.ts";
import { openProject } from "./trust.ts";

export interface SettingsFiles {
  /** Undefined: not read. */
  readonly globalFile: string | undefined;
  readonly projectFile: string | undefined;
  /** If false, only what makes omp stricter is taken from the project's file. */
  readonly isProjectTrusted?: boolean;
  /** What holds from files that are not used otherwise; see earlier.ts. The user's file decides over the first. */
  readonly held?: UnknownRecord;
  readonly projectHeld?: UnknownRecord;
  /** Lines about them. */
  readonly warnings?: readonly string[];
}

export type SettingOrigin = "default" | "global" | "project";

export interface LoadedSettings {
  readonly settings: Settings;
  /** Where a dotted key's value comes from. */
  origin(key: string): SettingOrigin;
  /** The loosest approval mode that the project allows. */
  readonly projectApproval: Settings["approval"];
  /** What was left out, one line each. */
  readonly warnings: readonly string[];
}

/** Throws ConfigError. Missing files are fine. */
export async function loadSettings(files: SettingsFiles): Promise<Settings> {
  return (await loadSettingsWithOrigins(files)).settings;
}

/** The user's file in use and that of the project that omp was started in. */
export function settingsFiles(invocation: Invocation) {
  const paths = ompPaths(invocation);
  const project = openProject(invocation, paths);
  const { file: globalFile, held, warnings } = ownFileInUse(paths);
  const { file: projectFile, held: projectHeld } = projectFileInUse(project);
  return { globalFile, projectFile, isProjectTrusted: project.isTrusted, held, projectHeld, warnings };
}

/** Throws ConfigError. */
export async function loadSettingsFor(invocation: Invocation): Promise<Settings> {
  return await loadSettings(settingsFiles(invocation));
}

export async function loadSettingsWithOrigins({
  globalFile,
  projectFile,
  isProjectTrusted = true,
  held = {},
  projectHeld = {},
  warnings: earlierWarnings = [],
}: SettingsFiles): Promise<LoadedSettings> {
  const globalText = globalFile === undefined ? undefined : readSettingsText(globalFile);
  const project = projectFile === undefined ? {} : readProjectText(projectFile, isProjectTrusted);
  const warnings = [...earlierWarnings, ...(project.warning === undefined ? [] : [project.warning])];
  const isHeld = Object.keys({ ...held, ...projectHeld }).length > 0;
  if (globalText === undefined && project.text === undefined && !isHeld) {
    return {
      settings: defaultSettings,
      origin: () => "default",
      projectApproval: defaultSettings.approval,
      warnings,
    };
  }

  const { readDocument } = await import("./document.ts");
  const { settingsSchema } = await import("./schema.ts");
  const readProject = (text: string, file: string): UnknownRecord => {
    try {
      const document = readDocument(text, file);
      if (!isProjectTrusted) return onlyStricter(document);
      refuseUsersOwn(document, file);
      return document;
    } catch (error) {
      // A stranger's mistake must not keep omp from starting.
      if (error instanceof ConfigError && !isProjectTrusted) return {};
      throw error;
    }
  };
  const merged: UnknownRecord = {};
  let projectApproval: unknown = defaultSettings.approval;
  const origins = new Map<string, SettingOrigin>();
  const merge = (from: UnknownRecord, onto: UnknownRecord, origin: SettingOrigin, prefix: string) => {
    for (const [name, value] of Object.entries(from)) {
      const key = prefix + name;
      if (isRecord(value)) {
        const group = onto[name];
        const inner = isRecord(group) ? group : {};
        onto[name] = inner;
        merge(value, inner, origin, `${key}.`);
      } else if (key !== "$schema") {
        const own = onto[name];
        const combined = Object.hasOwn(onto, name) ? combineValues(key, own, value) : value;
        if (key === "approval" && origin === "project")
          projectApproval = combineValues(key, projectApproval, value);
        if (combined === value || combined !== own) origins.set(key, origin);
        onto[name] = combined;
      }
    }
  };
  const own =
    globalText === undefined || globalFile === undefined ? {} : readDocument(globalText, globalFile);
  merge(undecided(held, own), merged, "global", "");
  merge(own, merged, "global", "");
  merge(projectHeld, merged, "project", "");
  if (project.text !== undefined && projectFile !== undefined) {
    merge(readProject(project.text, projectFile), merged, "project", "");
  }
  return {
    settings: deepFreeze(settingsSchema.parse(merged)),
    projectApproval: settingsSchema.shape.approval.parse(projectApproval),
    // A setting whose value is an object comes from where its parts come from.
    origin: (key) =>
      origins.get(key) ?? [...origins].findLast(([part]) => part.startsWith(`${key}.`))?.[1] ?? "default",
    warnings,
  };
}

const MAX_BYTES = 1_000_000;

/** A settings file's text, without a byte order mark; undefined when there is no such file. */
export function readSettingsText(file: string): string | undefined {
  const read = readProjectFile(file, { root: undefined, maxBytes: MAX_BYTES });
  if (read === undefined) return undefined;
  if ("problem" in read)
    throw new ConfigError({ kind: "unreadable", code: read.code, issue: `${file} ${read.problem}` });
  return decode(read, file);
}

/** The same for a project's file. A file that a stranger could use against the user is ignored, with a warning. */
function readProjectText(
  file: string,
  isTrusted: boolean,
): { readonly text?: string | undefined; readonly warning?: string } {
  const root = dirname(dirname(file));
  const read = readProjectFile(file, { root, maxBytes: MAX_BYTES });
  if (read === undefined) return {};
  try {
    if ("bytes" in read) return { text: decode(read, file) };
    const issue = `${file} ${read.problem}`;
    if (read.code.startsWith("E")) throw new ConfigError({ kind: "unreadable", code: read.code, issue });
    return { warning: `settings: ${issue}, so it is not used (${read.code})` };
  } catch (error) {
    // A stranger's mistake must not keep omp from starting; that the file is not used is said anyway.
    if (error instanceof ConfigError && !isTrusted) return {};
    throw error;
  }
}

function decode(
  { bytes, isCut }: { readonly bytes: Uint8Array; readonly isCut: boolean },
  file: string,
): string {
  if (isCut) throw new ConfigError({ kind: "syntax-error", issue: `${file} is larger than 1 MB` });
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    // Decoding leniently would let `omp config set` write replacement characters back.
    throw new ConfigError({ kind: "syntax-error", issue: `${file} is not UTF-8 text`, cause: error });
  }
}
