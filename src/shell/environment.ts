/**
 * Environment variables for programs without a terminal: no pager that waits for a key, no editor, no prompt. Names that the
 * user passes on purpose keep their value; only TERM is always ours, because the user's describes omp's terminal, which no
 * command can reach.
 */

const withoutKeyboard: Readonly<Record<string, string>> = {
  PAGER: "cat",
  GIT_PAGER: "cat",
  GH_PAGER: "cat",
  MANPAGER: "cat",
  SYSTEMD_PAGER: "cat",
  AWS_PAGER: "",
  // `true` leaves the text as it is: `git rebase --continue` and `git merge` continue, an empty commit message still fails.
  EDITOR: "true",
  VISUAL: "true",
  GIT_EDITOR: "true",
  GIT_TERMINAL_PROMPT: "0",
  GH_PROMPT_DISABLED: "1",
  SSH_ASKPASS_REQUIRE: "never",
  DEBIAN_FRONTEND: "noninteractive",
  PIP_NO_INPUT: "1",
};

export function shellEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  return { ...withoutKeyboard, ...env, TERM: "dumb" };
}
