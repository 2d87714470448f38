/**
 * The settings in force: the project's file over the user's file over the defaults, as a frozen value.
 * Without any file the defaults are returned as they are, and neither zod nor the JSON parser is loaded.
 */

import { readFileSync } from "node:fs";
import { systemCode } from "../protocol/error.ts";
import type { Invocation } from "../protocol/invocation.ts";
import { isRecord, type UnknownRecord } from "../protocol/record.ts";
import { deepFreeze, defaultSettings } from "./defaults.ts";
import { ConfigError } from "./errors.ts";
import { ompPaths, projectPaths } from "./paths.ts";
import type { Settings } from "./schema.ts";
import { combineValues, refuseForeignSecrets } from "./stricter.ts";

export interface SettingsFiles {
  /** Undefined: not read. */
  readonly globalFile: string | undefined;
  readonly projectFile: string | undefined;
}

export type SettingOrigin = "default" | "global" | "project";

export interface LoadedSettings {
  readonly settings: Settings;
  /** Where a dotted key's value comes from. */
  origin(key: string): SettingOrigin;
}

/** Throws ConfigError. Missing files are fine. */
export async function loadSettings(files: SettingsFiles): Promise<Settings> {
  return (await loadSettingsWithOrigins(files)).settings;
}

/** The user's settings and those of the project that omp was started in. Throws ConfigError. */
export async function loadSettingsFor({ env, cwd }: Invocation): Promise<Settings> {
  const paths = ompPaths({ env });
  const projectFile = projectPaths(cwd, paths).settingsFile;
  return await loadSettings({ globalFile: paths.settingsFile, projectFile });
}

export async function loadSettingsWithOrigins({
  globalFile,
  projectFile,
}: SettingsFiles): Promise<LoadedSettings> {
  const globalText = globalFile === undefined ? undefined : readSettingsText(globalFile);
  const projectText = projectFile === undefined ? undefined : readSettingsText(projectFile);
  if (globalText === undefined && projectText === undefined) {
    return { settings: defaultSettings, origin: () => "default" };
  }

  const { readDocument } = await import("./document.ts");
  const { settingsSchema } = await import("./schema.ts");
  const merged: UnknownRecord = {};
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
        if (combined === value || combined !== own) origins.set(key, origin);
        onto[name] = combined;
      }
    }
  };
  if (globalText !== undefined && globalFile !== undefined)
    merge(readDocument(globalText, globalFile), merged, "global", "");
  if (projectText !== undefined && projectFile !== undefined) {
    const project = readDocument(projectText, projectFile);
    refuseForeignSecrets(project, projectFile);
    merge(project, merged, "project", "");
  }
  return {
    settings: deepFreeze(settingsSchema.parse(merged)),
    origin: (key) => origins.get(key) ?? "default",
  };
}

/** A settings file's text, without a byte order mark; undefined when there is no such file. */
export function readSettingsText(file: string): string | undefined {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    const code = systemCode(error);
    // ENOTDIR: there is an unrelated file called `.omp`.
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new ConfigError({ kind: "unreadable", code, issue: `cannot read ${file}`, cause: error });
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    // Decoding leniently would let `omp config set` write replacement characters back.
    throw new ConfigError({ kind: "syntax-error", issue: `${file} is not UTF-8 text`, cause: error });
  }
}
