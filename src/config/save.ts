/** Writes one setting to a settings file: validates it first, keeps comments, and replaces the file atomically. */

import { systemCode } from "../protocol/error.ts";
import { parseDocument } from "./document.ts";
import { editText } from "./edit.ts";
import { ConfigError } from "./errors.ts";
import type { SettingKey } from "./keys.ts";
import { describeInvalidValue, describeUnknownField } from "./problems.ts";
import { replaceFile } from "./replace-file.ts";
import { settingsSchema } from "./schema.ts";
import { readSettingsText } from "./settings.ts";

/** `value: undefined` removes the key. If it throws ConfigError, nothing was written. */
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
  // An invalid value of this very key is what the user is fixing.
  const unrelated = problems.find(({ kind, key }) => kind !== "invalid-value" || key !== setting.key);
  if (unrelated !== undefined) throw unrelated;
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
