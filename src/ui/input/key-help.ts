/** The keys that are not those of every line editor, for /help and /hotkeys. */

export const keyHelp: readonly (readonly [string, string])[] = [
  ["Enter", "send; while something runs, queue"],
  ["Shift+Enter, Alt+Enter, Ctrl+J", "new line; \\ and Enter, too"],
  ["Esc", "close the menu, interrupt what runs; twice: clear the input"],
  ["Up", "earlier inputs; on an empty prompt, take back what is queued"],
  ["Ctrl+R", "search the inputs"],
  ["Tab", "complete a /command, an @file, or $code from the live kernel"],
  ["Shift+Tab, Alt+?", "in $code: about the name at the cursor; $name? too"],
  ["Ctrl+O", "expand or collapse outputs, thoughts and diffs"],
  ["Alt+O", "read the newest output in full; at a question, what would run"],
  ["Ctrl+G", "write the prompt in $EDITOR"],
  ["Ctrl+Z", "suspend; fg comes back"],
  ["Ctrl+C twice, Ctrl+D", "quit"],
];
