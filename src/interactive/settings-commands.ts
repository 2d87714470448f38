/** `/settings` and `/theme`. */

import { changeSetting, settingRows } from "../config/access.ts";
import type { ThemeName } from "../ui/screen/look.ts";
import { answer, type CommandCall, inform, warn } from "./command.ts";
import { uiSettings } from "./ui-settings.ts";

/** `/settings`, `/settings <key>`, `/settings <key> <value>`. */
export async function settings(call: CommandCall): Promise<void> {
  const [, key = "", value = ""] = /^(\S*)\s*([\s\S]*)$/.exec(call.argument) ?? [];
  if (value !== "") return await set(call, key, value);
  const rows = await settingRows(call.invocation);
  if (key === "") {
    const choices = rows.map((row) => ({
      label: row.key,
      description: `${row.text}  (${row.origin})`,
      value: row.key,
    }));
    const picked = await call.conversation.pickers.pick({ title: "Settings (Enter to change)", choices });
    if (picked !== undefined)
      call.conversation.store.dispatch({ type: "handed_back", text: `/settings ${picked} ` });
    return;
  }
  const { settingKey } = await import("../config/keys.ts");
  const { description, expected } = settingKey(key);
  const row = rows.find((each) => each.key === key);
  const text = `${description}\nMust be ${expected}. Change it with /settings ${key} <value>; null removes it.`;
  answer(call, `${key} = ${row?.text ?? ""} (${row?.origin ?? ""})`, [], text);
}

/** Throws ConfigError, which the command's caller shows. */
async function set(call: CommandCall, key: string, value: string): Promise<void> {
  const { written, warning } = await changeSetting({ key, value }, call.invocation);
  if (warning !== undefined) warn(call, warning);
  const isAtOnce = key.startsWith("ui.") && key !== "ui.screenReader";
  inform(call, isAtOnce ? written : `${written}; takes effect after restart`);
  if (isAtOnce) await call.screen.adopt(await uiSettings(call.invocation));
}

export const themeNames: readonly (readonly [ThemeName, string])[] = [
  ["auto", "match the terminal's background"],
  ["dark", "for a dark background"],
  ["light", "for a light background"],
  ["16", "the terminal's own 16 colours"],
  ["none", "no colours"],
];
const names = themeNames.map(([name]) => name);

const SAMPLE = [
  "**A heading**, `code`, [a link](https://example.org) and *emphasis*:",
  "",
  "```python",
  "def area(r):  # in square metres",
  '    return f"{3.14159 * r ** 2} m2"',
  "```",
].join("\n");

/** `/theme`, and `/theme <name>`. The picker previews each theme. */
export async function theme(call: CommandCall): Promise<void> {
  const { argument } = call;
  const { look } = call.screen;
  const named = names.find((name) => name === argument);
  if (argument !== "" && named === undefined)
    return warn(call, `Unknown theme '${argument}'. Use one of ${names.join(", ")}.`);
  const before = look.name;
  const picked =
    named ??
    (await call.conversation.pickers.pick({
      title: "Theme",
      choices: themeNames.map(([name, description]) => ({ label: name, description, value: name })),
      first: names.indexOf(before),
      sample: SAMPLE,
      onMove: (name) => look.preview(name),
    }));
  if (picked === undefined) look.preview(before);
  else await set(call, "ui.theme", picked);
}
