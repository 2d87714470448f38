/**
 * Settings from before omp had file names of its own. oh-my-pi, another program, uses the name `settings.json` in the same places, and
 * renames the user's to `settings.json.bak` when it finds it. So such a file is used only if all of its keys are ours. What else has
 * keys of ours may still make omp stricter: a lost `read-only` must not silently become `auto`. Nothing here changes a file.
 */

import { asRecord, isRecord, type UnknownRecord } from "../protocol/record.ts";
import { defaultSettings } from "./defaults.ts";
import type { OmpPaths, ProjectPaths } from "./paths.ts";
import { readProjectFile } from "./project-file.ts";
import { combineValues, settingAt, strictKeys, strictValues, usersOwn } from "./stricter.ts";

/** The settings file in use, and what else counts until the user decides. */
export interface FileInUse {
  readonly file: string;
  /** Settings of ours in files that are not used otherwise, as far as they make omp stricter. */
  readonly held: UnknownRecord;
  /** Lines for the user. */
  readonly warnings: readonly string[];
}

/** The user's. Once there is a file of our own name, no other counts. */
export function ownFileInUse(paths: OmpPaths): FileInUse {
  const { settingsFile: file, earlierSettingsFile: earlier, renamedSettingsFile: renamed } = paths;
  if (look(file) !== "missing") return { file, held: {}, warnings: [] };
  const found = look(earlier);
  const lost = look(renamed);
  // A file that cannot be read or parsed may be ours: the error is better than settings that are ignored.
  if (found === "unreadable" || isBroken(found)) return { file: earlier, held: strictIn(lost), warnings: [] };
  const isUsed = isOurs(found);
  const decided = isUsed ? settingsIn(found) : {};
  const mixed = isUsed ? {} : strictIn(found);
  const held = undecided(strictIn(lost), decided);
  return {
    file: isUsed ? earlier : file,
    held: merged(mixed, held),
    warnings: [
      ...(isEmpty(mixed) ? [] : [mixedText(earlier, mixed, file)]),
      ...(isEmpty(held) && (isUsed || !isOurs(lost)) ? [] : [renamedText(renamed, held, file)]),
    ],
  };
}

/** The project's. A file that is not ours is no error. */
export function projectFileInUse(project: ProjectPaths): FileInUse {
  const { root, settingsFile: file, earlierSettingsFile: earlier } = project;
  if (look(file, root) !== "missing") return { file, held: {}, warnings: [] };
  const found = look(earlier, root);
  if (isOurs(found) && !usersOwn.some(([key]) => settingAt(settingsIn(found), key) !== undefined))
    return { file: earlier, held: {}, warnings: [] };
  return { file, held: strictIn(found), warnings: [] };
}

/** What a project's settings file says, checked by nobody; nothing where it says nothing that can be read. */
export function uncheckedSettings(file: string, root: string): UnknownRecord {
  return settingsIn(look(file, root));
}

/** What is found under a name. `value` is undefined for what is not JSON. */
type Found = "missing" | "unreadable" | { readonly text: string; readonly value: unknown };

const MAX_BYTES = 1_000_000;

function look(file: string, root?: string): Found {
  const read = readProjectFile(file, { root, maxBytes: MAX_BYTES });
  if (read === undefined) return "missing";
  if (!("bytes" in read) || read.isCut) return "unreadable";
  const text = new TextDecoder().decode(read.bytes);
  return { text, value: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    // Not the parser of our own files, which takes long to load.
    return text.trim() === "" ? {} : Bun.JSONC.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

function settingsIn(found: Found): UnknownRecord {
  return typeof found === "string" ? {} : asRecord(found.value);
}

function isBroken(found: Found): boolean {
  return typeof found !== "string" && found.value === undefined;
}

/** Settings that have no default, and so are not among the defaults. */
const withoutDefault: Readonly<Record<string, readonly string[]>> = {
  python: ["interpreter", "gateway", "kernelSpec"],
};

/** All of its keys are ours, and it has some. */
function isOurs(found: Found): boolean {
  const entries = Object.entries(settingsIn(found)).filter(([name]) => name !== "$schema");
  return entries.length > 0 && entries.every(([name, value]) => isKnown(name, value));
}

function isKnown(name: string, value: unknown): boolean {
  if (name === "model") return typeof value === "string";
  const group = asRecord(defaultSettings)[name];
  if (!isRecord(group)) return Object.hasOwn(defaultSettings, name);
  const keys = [...Object.keys(group), ...(withoutDefault[name] ?? [])];
  return isRecord(value) && Object.keys(value).every((key) => keys.includes(key));
}

function strictIn(found: Found): UnknownRecord {
  if (typeof found === "string") return {};
  if (!isBroken(found)) return strictValues(asRecord(found.value));
  const approval = /"approval"\s*:\s*"([a-z-]+)"/.exec(found.text)?.[1];
  return strictValues({ approval });
}

/** What is held and not decided by the settings in use. */
export function undecided(strict: UnknownRecord, decided: UnknownRecord): UnknownRecord {
  return fromKeys((key) => (settingAt(decided, key) === undefined ? settingAt(strict, key) : undefined));
}

function merged(one: UnknownRecord, other: UnknownRecord): UnknownRecord {
  return fromKeys((key) => {
    const [a, b] = [settingAt(one, key), settingAt(other, key)];
    return a === undefined || b === undefined ? (a ?? b) : combineValues(key, a, b);
  });
}

function fromKeys(valueFor: (key: string) => unknown): UnknownRecord {
  const value: UnknownRecord = {};
  for (const key of strictKeys) {
    const own = valueFor(key);
    const [group = "", name] = key.split(".");
    if (own !== undefined)
      value[group] = name === undefined ? own : { ...asRecord(value[group]), [name]: own };
  }
  return value;
}

function mixedText(earlier: string, held: UnknownRecord, file: string): string {
  return `settings: ${earlier} has settings of omp among others that omp does not know; omp uses only ${words(held)} from it; copy yours to ${file} (MIXED)`;
}

function renamedText(renamed: string, held: UnknownRecord, file: string): string {
  const used = isEmpty(held)
    ? "omp uses none of them"
    : `until you decide, omp uses only ${words(held)} from it`;
  const anew = isEmpty(held) ? `delete ${renamed}` : "omp config set approval auto|ask|read-only";
  return `settings: ${renamed} has your settings of omp, renamed by another program (oh-my-pi does this); ${used}; to use them: cp ${renamed} ${file}, to start over: ${anew} (RENAMED)`;
}

function words(held: UnknownRecord): string {
  return strictKeys
    .flatMap((key) => {
      const value = settingAt(held, key);
      return value === undefined ? [] : [`${key} = ${JSON.stringify(value)}`];
    })
    .join(", ");
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}
