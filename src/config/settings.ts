/**
 * The settings that hold: defaults, under the user's file, under the project's file. A frozen value.
 * With no file at all the defaults are returned as they are, and neither zod nor the JSON parser is loaded.
 */

import { readFileSync } from "node:fs";
import { systemCode } from "../protocol/error.ts";
import type { Invocation } from "../protocol/invocation.ts";
import { defaultSettings } from "./defaults.ts";
import type { PlainObject } from "./document.ts";
import { ConfigError } from "./errors.ts";
import { deepFreeze } from "./freeze.ts";
import { ompPaths, projectPaths } from "./paths.ts";
import type { Settings } from "./schema.ts";
import { askedSecret, holdingValue } from "./stricter.ts";

export interface SettingsFiles {
  /** Undefined, as the other one, when it is to be left out. */
  readonly globalFile: string | undefined;
  readonly projectFile: string | undefined;
}

export type SettingOrigin = "default" | "global" | "project";

export interface LoadedSettings {
  readonly settings: Settings;
  /** Where a dotted key's value comes from. */
  origin(key: string): SettingOrigin;
}

/** Throws ConfigError. A file that is not there is fine. */
export async function loadSettings(files: SettingsFiles): Promise<Settings> {
  return (await loadSettingsWithOrigins(files)).settings;
}

/** Those of the user and of the project that omp was started in. Throws ConfigError. */
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

  const { isPlainObject, readDocument } = await import("./document.ts");
  const { settingsSchema } = await import("./schema.ts");
  const merged: PlainObject = {};
  const origins = new Map<string, SettingOrigin>();
  const lay = (from: PlainObject, onto: PlainObject, origin: SettingOrigin, prefix: string) => {
    for (const [name, value] of Object.entries(from)) {
      const key = prefix + name;
      if (isPlainObject(value)) {
        const group = onto[name];
        const inner = isPlainObject(group) ? group : {};
        onto[name] = inner;
        lay(value, inner, origin, `${key}.`);
      } else if (key !== "$schema") {
        const own = onto[name];
        const holds = Object.hasOwn(onto, name) ? holdingValue(key, own, value) : value;
        if (holds === value || holds !== own) origins.set(key, origin);
        onto[name] = holds;
      }
    }
  };
  if (globalText !== undefined && globalFile !== undefined)
    lay(readDocument(globalText, globalFile), merged, "global", "");
  if (projectText !== undefined && projectFile !== undefined) {
    const project = readDocument(projectText, projectFile);
    refuseForeignSecrets(project, projectFile);
    lay(project, merged, "project", "");
  }
  return {
    settings: deepFreeze(settingsSchema.parse(merged)),
    origin: (key) => origins.get(key) ?? "default",
  };
}

/** An address that came with the project gets nothing of the user's. */
function refuseForeignSecrets(project: PlainObject, file: string): void {
  const asked = askedSecret(project);
  if (asked === undefined) return;
  const { key, field, name } = asked;
  const what = key === "gateways" ? "gateway" : "endpoint";
  const why = `it would send your ${key === "gateways" ? "token" : "key"} to the project's address`;
  throw new ConfigError({
    kind: "invalid-value",
    key,
    issue: `the ${what} '${name}' in the project's ${file} may not name ${field === "apiKeyEnv" ? "an" : "a"} ${field}: ${why}; move the ${what} to your own settings`,
  });
}

/** A settings file's text, without a byte order mark; undefined when there is no such file. */
export function readSettingsText(file: string): string | undefined {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    const code = systemCode(error);
    // ENOTDIR: somebody else's file is called `.omp`; ours is as missing as with ENOENT.
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new ConfigError({ kind: "unreadable", code, issue: `cannot read ${file}`, cause: error });
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    // Replaced letters would be written back by `omp config set`.
    throw new ConfigError({ kind: "syntax", issue: `${file} is not UTF-8 text`, cause: error });
  }
}
