/**
 * The settings, as far as they can be read: a broken file is reported and left out, so that everything else can still be checked.
 */

import { type OmpEnvironment, readEnvironment } from "../config/environment.ts";
import { ConfigError } from "../config/errors.ts";
import type { EnvironmentVariables } from "../config/paths.ts";
import type { Settings } from "../config/schema.ts";
import {
  loadSettings,
  readSettingsText,
  type SettingsFiles,
  type settingsFiles,
} from "../config/settings.ts";
import { type Project, untrustedNotice } from "../config/trust.ts";
import { type Check, list } from "./check.ts";

export interface ReadSettings {
  readonly settings: Settings;
  readonly checks: readonly Check[];
}

export async function readSettingsFiles(files: ReturnType<typeof settingsFiles>): Promise<ReadSettings> {
  const { globalFile, projectFile, warnings } = files;
  const only = { globalFile: undefined, projectFile: undefined };
  const global = await checkFile("global settings", globalFile, { ...only, globalFile });
  const project = await checkFile("project settings", projectFile, { ...only, projectFile });
  // A stranger's mistake keeps nothing from working.
  const shown: Check =
    project.status === "fail" && !files.isProjectTrusted ? { ...project, status: "warn" } : project;
  const settings = await loadSettings({
    ...files,
    globalFile: global.status === "ok" ? globalFile : undefined,
    projectFile: project.status === "ok" ? projectFile : undefined,
  });
  const lost = warnings.map((value): Check => ({ name: "lost settings", status: "warn", value }));
  return { settings, checks: [global, ...lost, shown] };
}

export function checkTrust(project: Project): Check {
  const { trust, isTrusted, root } = project;
  const value = trust.state === "nothing" ? "nothing in the project to run or follow" : trust.state;
  const details = { root, state: trust.state, wants: trust.wants, changes: trust.changes };
  const notice = untrustedNotice(project);
  if (isTrusted || notice === undefined) return { name: "trust", status: "ok", value, details };
  return { name: "trust", status: "warn", value: notice, fix: "omp trust", details };
}

async function checkFile(name: string, file: string, alone: SettingsFiles): Promise<Check> {
  try {
    const exists = readSettingsText(file) !== undefined;
    if (exists) await loadSettings(alone);
    const details = { file, exists, valid: true };
    return { name, status: "ok", value: exists ? file : `${file} (not there; the defaults apply)`, details };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const { line, column } = error.position ?? {};
    return {
      name,
      status: "fail",
      value: error.message,
      fix: fixFor(error, file),
      details: { file, exists: true, valid: false, line, column },
    };
  }
}

function fixFor({ kind, position }: ConfigError, file: string): string {
  if (kind === "unreadable") return `make ${file} readable`;
  return position === undefined ? `fix ${file}` : `fix line ${position.line} of ${file}`;
}

export interface ReadVariables {
  /** Undefined when omp could not start with them. */
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
      fix: "fix or unset the variable",
    }));
    if (checks.length === 0 && set.length > 0) checks.push({ name, status: "ok", value: list(set.sort()) });
    return { environment, checks };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const fix = "fix or unset the variable";
    return { environment: undefined, checks: [{ name, status: "fail", value: error.message, fix }] };
  }
}
