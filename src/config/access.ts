/** Settings by key: listed, read and changed. What `omp config` and `/settings` share. */

import type { Invocation } from "../protocol/invocation.ts";
import { asRecord, isRecord, parseJson, type UnknownRecord } from "../protocol/record.ts";
import { ConfigError } from "./errors.ts";
import { ompPaths, projectPaths } from "./paths.ts";
import {
  type LoadedSettings,
  loadSettingsWithOrigins,
  type SettingOrigin,
  settingsFiles,
} from "./settings.ts";
import { trustProject } from "./trust.ts";

const NOT_SHOWN = "(not shown)";

export interface SettingRow {
  readonly key: string;
  /** Undefined when the setting has no value. */
  readonly value: unknown;
  /** The value as JSON, or that there is none. */
  readonly text: string;
  readonly origin: SettingOrigin;
}

/** Every setting with its value in this directory and where that comes from. Throws ConfigError. */
export async function settingRows(invocation: Invocation): Promise<SettingRow[]> {
  const { settingKeys } = await import("./keys.ts");
  const loaded = await loadSettingsWithOrigins(settingsFiles(invocation));
  return settingKeys().map(({ key, path }) => {
    const value = valueAt(loaded, path);
    return { key, value, text: JSON.stringify(value) ?? "not set", origin: loaded.origin(key) };
  });
}

export interface SettingChange {
  readonly key: string;
  /** As typed: JSON, or a plain string where the setting is one; `null` removes the key from the file. */
  readonly value: string;
  /** In the project's file instead of the user's. */
  readonly project?: boolean | undefined;
}

/** Throws ConfigError, and has changed nothing then. @returns what was written, and why it may have no effect. */
export async function changeSetting(
  change: SettingChange,
  invocation: Invocation,
): Promise<{ readonly written: string; readonly warning: string | undefined }> {
  const { settingKey } = await import("./keys.ts");
  const { saveSetting, valueProblem } = await import("./save.ts");
  const setting = settingKey(change.key);
  const { globalFile, held, projectFile, isProjectTrusted } = settingsFiles(invocation);
  const paths = ompPaths(invocation);
  const project = projectPaths(invocation.cwd, paths);
  const file = (change.project ? project : paths).settingsFile;
  const value = typedValue(change.value, (candidate) => valueProblem(setting, candidate) === undefined);
  saveSetting({
    file,
    setting,
    value,
    ...(change.project ? { from: projectFile } : { from: globalFile, held }),
  });
  // What the user writes with omp needs no question; what was there before still does.
  if (change.project && isProjectTrusted)
    trustProject({ root: project.root, cwd: invocation.cwd, trustFile: paths.trustFile });
  const shown = value === undefined ? undefined : withoutSecrets(setting.key, value);
  return {
    written: `${setting.key} = ${JSON.stringify(shown) ?? "not set"} in ${file}`,
    warning: change.project
      ? isProjectTrusted
        ? undefined
        : "config: the project is not trusted, so its settings are not used; omp trust allows them (UNTRUSTED)"
      : await overrideWarning(setting.key, invocation),
  };
}

/** What the user typed, as JSON where that fits the setting, otherwise as a string. */
function typedValue(typed: string, isValid: (value: unknown) => boolean): unknown {
  // Not JSON: a word such as `bash-only`, or a path, typed without quotes.
  const parsed = parseJson(typed);
  if (parsed === null) return undefined;
  // `3.11` is a number in JSON but may be meant as a string. If neither is valid, the error is about the parsed value.
  return parsed !== undefined && (isValid(parsed) || !isValid(typed)) ? parsed : typed;
}

/** The user should know that a setting which the project's file overrides has no effect here. */
async function overrideWarning(key: string, invocation: Invocation): Promise<string | undefined> {
  const files = settingsFiles(invocation);
  try {
    if ((await loadSettingsWithOrigins(files)).origin(key) !== "project") return undefined;
    return `config: the project's settings also set '${key}' and take precedence here: ${files.projectFile} (OVERRIDDEN)`;
  } catch (error) {
    // The setting is saved; a broken project file is worth a line, but is no failure.
    if (!(error instanceof ConfigError)) throw error;
    return error.message;
  }
}

function valueAt({ settings }: LoadedSettings, path: readonly string[]): unknown {
  let value: unknown = settings;
  for (const name of path) value = asRecord(value)[name];
  return withoutSecrets(path.join("."), value);
}

/** A token in a settings file is never printed. */
function withoutSecrets(key: string, value: unknown): unknown {
  if (key === "gateways") return withoutTokens(value);
  return key === "mcp.servers" ? withoutValues(asRecord(value)) : value;
}

/** Of variables and headers only the names. */
function withoutValues(servers: UnknownRecord): UnknownRecord {
  const hidden = (values: unknown) =>
    Object.fromEntries(Object.keys(asRecord(values)).map((name) => [name, NOT_SHOWN]));
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => {
      const { env, headers, ...rest } = asRecord(server);
      return [
        name,
        { ...rest, ...(env ? { env: hidden(env) } : {}), ...(headers ? { headers: hidden(headers) } : {}) },
      ];
    }),
  );
}

function withoutTokens(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((item: unknown) =>
    isRecord(item) && "token" in item ? { ...item, token: NOT_SHOWN } : item,
  );
}
