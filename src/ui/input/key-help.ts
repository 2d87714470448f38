/** The keys that are not those of every line editor, for /help and /hotkeys. */

export const keyHelp: readonly (readonly [string, string])[] = [
  ["Enter", "send; while something runs, queue"],
  ["Alt+Enter, Ctrl+J, \\ Enter", "new line"],
  ["Esc", "interrupt what runs; twice: clear the input"],
  ["Up", "earlier inputs; take back what is queued"],
  ["Ctrl+R", "search the inputs"],
  ["Tab", "complete a command or an @file"],
  ["Ctrl+O", "expand or collapse outputs, thoughts and diffs"],
  ["Alt+O", "read the newest output in full"],
  ["Ctrl+G", "write the prompt in $EDITOR"],
  ["Ctrl+C twice, Ctrl+D", "quit"],
];
