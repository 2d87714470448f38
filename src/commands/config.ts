/** `omp config list|get|set|path`. */

import { withErrorLine } from "../app/exit-codes.ts";
import type { CommandIo } from "../app/io.ts";
import { jsonText, tableText } from "../app/printing.ts";
import { changeSetting, type SettingChange, settingRows } from "../config/access.ts";
import { ompPaths, projectPaths } from "../config/paths.ts";
import type { Invocation } from "../protocol/invocation.ts";

export type ConfigAction =
  | { readonly name: "list" | "path"; readonly json?: boolean | undefined }
  | { readonly name: "get"; readonly key: string; readonly json?: boolean | undefined }
  | ({ readonly name: "set" } & SettingChange);

/** The exit code: 0, or 2 when a key, a value or a settings file is bad. */
export async function runConfig(
  action: ConfigAction,
  io: CommandIo,
  invocation: Invocation,
): Promise<number> {
  const perform = async () => {
    switch (action.name) {
      case "list":
        io.stdout(await listText(action.json ?? false, invocation));
        break;
      case "get":
        io.stdout(await valueText(action.key, action.json ?? false, invocation));
        break;
      case "set": {
        const { written, warning } = await changeSetting(action, invocation);
        io.stdout(`${written}\n`);
        if (warning !== undefined) io.stderr(`${warning}\n`);
        break;
      }
      case "path": {
        const paths = ompPaths(invocation);
        const { settingsFile: global } = paths;
        const { settingsFile: project } = projectPaths(invocation.cwd, paths);
        io.stdout(action.json ? jsonText({ global, project }) : `global   ${global}\nproject  ${project}\n`);
      }
    }
    return 0;
  };
  return await withErrorLine(io, perform, () => 2);
}

async function listText(json: boolean, invocation: Invocation): Promise<string> {
  const rows = await settingRows(invocation);
  if (!json) return tableText(rows.map(({ key, text, origin }) => [key, text, origin]));
  return jsonText(
    Object.fromEntries(rows.map(({ key, value, origin }) => [key, { value: value ?? null, origin }])),
  );
}

async function valueText(name: string, json: boolean, invocation: Invocation): Promise<string> {
  const { settingKey } = await import("../config/keys.ts");
  const { key } = settingKey(name);
  const value = (await settingRows(invocation)).find((row) => row.key === key)?.value;
  if (json) return jsonText(value ?? null);
  return `${typeof value === "string" ? value : (JSON.stringify(value) ?? "")}\n`;
}
