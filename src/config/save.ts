/** Writes one setting into a settings file: checked first, comments kept, and the old file stays until the new one is whole. */

import { randomUUID } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import type * as z from "zod";
import { systemCode } from "../protocol/error.ts";
import { invalidValue, isPlainObject, parseDocument } from "./document.ts";
import { editText } from "./edit.ts";
import { ConfigError } from "./errors.ts";
import { isInsideItem, itemProblem, unknownField } from "./item-problem.ts";
import type { SettingKey } from "./keys.ts";
import { settingsSchema } from "./schema.ts";
import { readSettingsText } from "./settings.ts";

/** `value: undefined` takes the key out. Throws ConfigError, and then nothing was written. */
export function saveSetting({
  file,
  setting,
  value,
}: {
  readonly file: string;
  readonly setting: SettingKey;
  readonly value: unknown;
}): void {
  const problem = value === undefined ? undefined : valueProblem(setting, value);
  if (problem !== undefined) throw problem;
  const text = readSettingsText(file);
  const { problems } = parseDocument(text ?? "", file);
  // A bad value of this very key is what the user is putting right.
  const standing = problems.find(({ kind, key }) => kind !== "invalid-value" || key !== setting.key);
  if (standing !== undefined) throw standing;
  const edited = editText(text ?? "", setting.path, value);
  if (edited === (text ?? "")) return;

  const [broken] = parseDocument(edited, file).problems;
  if (broken !== undefined)
    throw new Error(`the edit of ${setting.key} broke the settings file`, { cause: broken });
  try {
    replaceFile(file, edited);
  } catch (error) {
    throw new ConfigError({
      kind: "unwritable",
      operation: "config",
      code: systemCode(error),
      issue: `cannot write ${file}`,
      cause: error,
    });
  }
}

/** Why the setting cannot have that value, if it cannot. */
export function valueProblem(setting: SettingKey, value: unknown): ConfigError | undefined {
  const nested = setting.path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
  const checked = settingsSchema.safeParse(nested);
  if (checked.success) return undefined;
  return new ConfigError({
    kind: "invalid-value",
    operation: "config",
    key: setting.key,
    issue: issueWords(setting.key, value, checked.error.issues[0]),
  });
}

function issueWords(key: string, value: unknown, issue: z.core.$ZodIssue | undefined): string {
  const path = issue?.path ?? [];
  const inList = path.find((part) => typeof part === "number");
  if (issue?.code === "unrecognized_keys" && inList !== undefined)
    return unknownField(path, issue.keys[0] ?? "");
  const wrong = inList !== undefined && Array.isArray(value) ? value[inList] : value;
  if (!isInsideItem(path)) return invalidValue(key, wrong, inList !== undefined);
  const isMissing = path.length === 3 && isPlainObject(wrong) && !Object.hasOwn(wrong, String(path[2]));
  return itemProblem(path, { isMissing });
}

function replaceFile(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const existing = statSync(file, { throwIfNoEntry: false });
  // Through a symlink, as people who keep their settings in a repository have: the link must survive.
  const target = existing === undefined ? file : realpathSync(file);
  const aside = `${target}.${randomUUID()}.tmp`;
  // A new file is the user's alone; one that is there keeps the permissions that its owner gave it.
  const mode = existing === undefined ? 0o600 : existing.mode & 0o777;
  try {
    const descriptor = openSync(aside, "wx", mode);
    try {
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(aside, target);
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  }
}
