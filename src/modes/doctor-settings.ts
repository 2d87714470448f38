/**
 * The settings as far as they can be read: a broken file is reported and left out, so that everything else can still be
 * looked at.
 */

import { defaultSettings } from "../config/defaults.ts";
import { type OmpEnvironment, readEnvironment } from "../config/environment.ts";
import { ConfigError } from "../config/errors.ts";
import type { EnvironmentVariables } from "../config/paths.ts";
import type { Settings } from "../config/schema.ts";
import { loadSettings, readSettingsText } from "../config/settings.ts";
import { type Check, list } from "./doctor-check.ts";

export interface ReadSettings {
  readonly settings: Settings;
  readonly checks: readonly Check[];
}

export async function readSettingsFiles(files: { global: string; project: string }): Promise<ReadSettings> {
  const good: string[] = [];
  const checks: Check[] = [];
  for (const [which, file] of Object.entries(files)) {
    const check = await checkFile(`${which} settings`, file);
    checks.push(check);
    if (check.status === "ok") good.push(file);
  }
  const [first, second] = good;
  const settings =
    first === undefined ? defaultSettings : await loadSettings({ globalFile: first, projectFile: second });
  return { settings, checks };
}

async function checkFile(name: string, file: string): Promise<Check> {
  try {
    const exists = readSettingsText(file) !== undefined;
    if (exists) await loadSettings({ globalFile: file, projectFile: undefined });
    const details = { file, exists, valid: true };
    return { name, status: "ok", value: exists ? file : `${file} (not there: defaults hold)`, details };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const { line, column } = error.position ?? {};
    return {
      name,
      status: "fail",
      value: error.message,
      fix: line === undefined ? `make ${file} readable` : `correct ${file} in line ${line}`,
      details: { file, exists: true, valid: false, line, column },
    };
  }
}

export interface ReadVariables {
  /** Undefined when they are wrong in a way that stops omp. */
  readonly environment: OmpEnvironment | undefined;
  readonly checks: readonly Check[];
}

export function readVariables(env: EnvironmentVariables): ReadVariables {
  const name = "PI_ variables";
  try {
    const environment = readEnvironment(env);
    const set = Object.keys(env).filter((key) => key.startsWith("PI_") && env[key] !== undefined);
    const checks: Check[] = environment.warnings.map((value) => ({
      name,
      status: "warn",
      value,
      fix: "correct or unset the variable",
    }));
    if (checks.length === 0 && set.length > 0) checks.push({ name, status: "ok", value: list(set.sort()) });
    return { environment, checks };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const fix = "correct or unset the variable";
    return { environment: undefined, checks: [{ name, status: "fail", value: error.message, fix }] };
  }
}
