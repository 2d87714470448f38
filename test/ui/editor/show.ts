/** An editor as a picture for tests: `|` is the cursor. */

import { type EditorCommand, insertText, runCommand } from "../../../src/ui/editor/commands.ts";
import { createEditor, type EditorState } from "../../../src/ui/editor/state.ts";

export function show({ text, cursor }: { text: string; cursor: number }): string {
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

/** `from("ab|c")`: the text with the cursor where the bar is. */
export function from(picture: string): EditorState {
  const cursor = picture.indexOf("|");
  return { ...createEditor(picture.replace("|", "")), cursor: cursor === -1 ? picture.length : cursor };
}

/** Commands one after the other; a string in quotes is typed. */
export function run(state: EditorState, ...commands: (EditorCommand | { type: string })[]): EditorState {
  return runIn(40, state, ...commands);
}

export function runIn(
  width: number,
  state: EditorState,
  ...commands: (EditorCommand | { type: string })[]
): EditorState {
  return commands.reduce(
    (current, command) =>
      typeof command === "string"
        ? runCommand(current, command, { width })
        : [...command.type].reduce(insertText, current),
    state,
  );
}
