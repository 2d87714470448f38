/** The keys that are not those of every line editor, for /help and /hotkeys. */

export const keyHelp: readonly (readonly [string, string])[] = [
  ["Enter", "send, or queue while something runs"],
  ["Shift+Enter, Alt+Enter, Ctrl+J", "new line; also \\ then Enter"],
  [
    "Esc",
    "close the menu or interrupt; twice: clear the prompt (Up brings it back), or go back to an earlier message",
  ],
  ["Up", "earlier input; takes back queued messages first"],
  ["Ctrl+R", "search earlier input"],
  ["Tab", "complete a /command and its arguments, an @file, a path after !, or $code"],
  ["Shift+Tab", "switch the approval mode: auto, ask, read-only"],
  ["Shift+Tab, Alt+?", "in $code: describe the name at the cursor, like $name?"],
  ["Ctrl+O", "the whole transcript, with output, reasoning and diffs expanded"],
  ["Ctrl+L", "clear the screen and redraw the transcript"],
  ["Alt+O", "open the latest output or image in full; at a question, what would run"],
  ["Ctrl+V", "attach the image in the clipboard; pasting or dropping an image file works, too"],
  ["Ctrl+G", "edit the prompt in $EDITOR"],
  ["Ctrl+Z", "suspend; fg resumes"],
  ["Ctrl+C twice, Ctrl+D", "quit"],
];
