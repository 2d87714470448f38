/** Writes one setting to a settings file: validates it first, keeps comments, and replaces the file atomically. */

import { systemCode } from "../protocol/error.ts";
import type { UnknownRecord } from "../protocol/record.ts";
import { parseDocument } from "./document.ts";
import { editText } from "./edit.ts";
import { ConfigError } from "./errors.ts";
import type { SettingKey } from "./keys.ts";
import { describeInvalidValue, describeUnknownField } from "./problems.ts";
import { replaceFile } from "./replace-file.ts";
import { settingsSchema } from "./schema.ts";
import { readSettingsText } from "./settings.ts";
import { settingAt, strictKeys } from "./stricter.ts";

export interface SettingToSave {
  readonly file: string;
  readonly setting: SettingKey;
  /** Undefined removes the key. */
  readonly value: unknown;
  /** What a new file starts as a copy of. */
  readonly from?: string;
  /** And what it sets besides: changing one setting must not drop what holds until the user decides about it. */
  readonly held?: UnknownRecord;
}

/** If it throws ConfigError, nothing was written. */
export function saveSetting({ file, setting, value, from = file, held = {} }: SettingToSave): void {
  const problem = value === undefined ? undefined : valueProblem(setting, value);
  if (problem !== undefined) throw problem;
  const existing = readSettingsText(file);
  const text = existing ?? withValues(readSettingsText(from) ?? "", held);
  const { problems } = parseDocument(text, existing === undefined ? from : file);
  // An invalid value of this very key is what the user is fixing.
  const unrelated = problems.find(({ kind, key }) => kind !== "invalid-value" || key !== setting.key);
  if (unrelated !== undefined) throw unrelated;
  const edited = editText(text, setting.path, value);
  if (edited === (existing ?? "")) return;

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

function withValues(text: string, values: UnknownRecord): string {
  return strictKeys.reduce((edited, key) => {
    const value = settingAt(values, key);
    return value === undefined ? edited : editText(edited, key.split("."), value);
  }, text);
}

/** Why the setting cannot have that value; undefined when it can. */
export function valueProblem(setting: SettingKey, value: unknown): ConfigError | undefined {
  const nested = setting.path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
  const [issue] = settingsSchema.safeParse(nested).error?.issues ?? [];
  if (issue === undefined) return undefined;
  const words =
    issue.code === "unrecognized_keys"
      ? describeUnknownField(issue.path, issue.keys[0] ?? "")
      : describeInvalidValue(issue.path, nested);
  return new ConfigError({ kind: "invalid-value", operation: "config", key: setting.key, issue: words });
}
