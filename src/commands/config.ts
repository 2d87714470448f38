/** `omp config list|get|set|path`. */

import { ConfigError } from "../config/errors.ts";
import { type EnvironmentVariables, ompPaths, projectPaths } from "../config/paths.ts";
import type { LoadedSettings, SettingOrigin, SettingsFiles } from "../config/settings.ts";
import { asRecord, isRecord } from "../protocol/record.ts";

export type ConfigAction =
  | { readonly name: "list"; readonly json?: boolean | undefined }
  | { readonly name: "get"; readonly key: string; readonly json?: boolean | undefined }
  | {
      readonly name: "set";
      readonly key: string;
      /** As typed: JSON, or a plain string where the setting is one; `null` takes the key out of the file. */
      readonly value: string;
      readonly project?: boolean | undefined;
    }
  | { readonly name: "path"; readonly json?: boolean | undefined };

export interface ConfigIo {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

export interface ConfigPlace {
  readonly env: EnvironmentVariables;
  readonly cwd: string;
}

type FilesThatMayHoldSettings = SettingsFiles & {
  readonly globalFile: string;
  readonly projectFile: string;
};

/** The exit code: 0, or 2 when a key, a value or a settings file is bad. */
export async function runConfig(action: ConfigAction, io: ConfigIo, place: ConfigPlace): Promise<number> {
  const paths = ompPaths({ env: place.env });
  const files = {
    globalFile: paths.settingsFile,
    projectFile: projectPaths(place.cwd, paths).settingsFile,
  };
  try {
    switch (action.name) {
      case "list":
        await list(files, action, io);
        break;
      case "get":
        await get(files, action, io);
        break;
      case "set":
        await set(files, action, io);
        break;
      case "path":
        io.stdout(
          action.json
            ? jsonText({ global: files.globalFile, project: files.projectFile })
            : `global   ${files.globalFile}\nproject  ${files.projectFile}\n`,
        );
    }
    return 0;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    io.stderr(`${error.message}\n`);
    return 2;
  }
}

export interface SettingRow {
  readonly key: string;
  readonly value: unknown;
  /** The value as JSON, or that there is none. */
  readonly text: string;
  readonly origin: SettingOrigin;
}

/** Every setting with the value that holds in a place, and who set it. Throws ConfigError. */
export async function settingRows({ env, cwd }: ConfigPlace): Promise<SettingRow[]> {
  const paths = ompPaths({ env });
  const projectFile = projectPaths(cwd, paths).settingsFile;
  return await rowsOf({ globalFile: paths.settingsFile, projectFile });
}

async function rowsOf(files: SettingsFiles): Promise<SettingRow[]> {
  const { loadSettingsWithOrigins } = await import("../config/settings.ts");
  const { settingKeys } = await import("../config/keys.ts");
  const loaded = await loadSettingsWithOrigins(files);
  return settingKeys().map(({ key, path }) => {
    const value = valueAt(loaded, path);
    return { key, value, text: JSON.stringify(value) ?? "not set", origin: loaded.origin(key) };
  });
}

async function list(files: SettingsFiles, { json }: { readonly json?: boolean | undefined }, io: ConfigIo) {
  const rows = await rowsOf(files);
  if (json) {
    io.stdout(
      jsonText(
        Object.fromEntries(rows.map(({ key, value, origin }) => [key, { value: value ?? null, origin }])),
      ),
    );
    return;
  }
  const cells = rows.map(({ key, text, origin }) => [key, text, origin]);
  const width = (column: number) => Math.max(...cells.map((row) => row[column]?.length ?? 0));
  const widths = [width(0), width(1), 0];
  for (const row of cells) {
    io.stdout(`${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}\n`);
  }
}

async function get(
  files: SettingsFiles,
  { key, json }: { readonly key: string; readonly json?: boolean | undefined },
  io: ConfigIo,
) {
  const { loadSettingsWithOrigins } = await import("../config/settings.ts");
  const { settingKey } = await import("../config/keys.ts");
  const { path } = settingKey(key);
  const value = valueAt(await loadSettingsWithOrigins(files), path);
  if (json) io.stdout(jsonText(value ?? null));
  else io.stdout(`${typeof value === "string" ? value : (JSON.stringify(value) ?? "")}\n`);
}

async function set(
  files: FilesThatMayHoldSettings,
  action: { readonly key: string; readonly value: string; readonly project?: boolean | undefined },
  io: ConfigIo,
) {
  const { settingKey } = await import("../config/keys.ts");
  const { saveSetting, valueProblem } = await import("../config/save.ts");
  const setting = settingKey(action.key);
  const file = action.project ? files.projectFile : files.globalFile;
  const value = typedValue(action.value, (candidate) => valueProblem(setting, candidate) === undefined);
  saveSetting({ file, setting, value });
  const shown = setting.key === "gateways" ? withoutTokens(value) : value;
  io.stdout(`${setting.key} = ${JSON.stringify(shown) ?? "not set"} in ${file}\n`);
  if (!action.project) await noteOverride(files, setting.key, io);
}

/** What the user typed, as JSON where that fits the setting, else as the string that it is. */
function typedValue(typed: string, isGood: (value: unknown) => boolean): unknown {
  const parsed = parsedJson(typed);
  if (parsed === null) return undefined;
  // `3.11` is a number in JSON, and yet may be meant as a string. What fits neither way is reported as it was read.
  return parsed !== undefined && (isGood(parsed) || !isGood(typed)) ? parsed : typed;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // A word such as `bash-only`, or a path, typed without quotes.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Setting something that the project's file overrides has no effect here, and the user should know. */
async function noteOverride(files: FilesThatMayHoldSettings, key: string, io: ConfigIo) {
  const { loadSettingsWithOrigins } = await import("../config/settings.ts");
  try {
    if ((await loadSettingsWithOrigins(files)).origin(key) === "project") {
      io.stderr(`config: the project sets '${key}' too, and wins here: ${files.projectFile} (OVERRIDDEN)\n`);
    }
  } catch (error) {
    // The setting is saved; that the project's own file is broken is worth a line, not a failure.
    if (!(error instanceof ConfigError)) throw error;
    io.stderr(`${error.message}\n`);
  }
}

function valueAt({ settings }: LoadedSettings, path: readonly string[]): unknown {
  let value: unknown = settings;
  for (const name of path) value = asRecord(value)[name];
  return path[0] === "gateways" ? withoutTokens(value) : value;
}

/** A token in a settings file stays there. */
function withoutTokens(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((item: unknown) =>
    isRecord(item) && "token" in item ? { ...item, token: "(not shown)" } : item,
  );
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
