/**
 * What a model reads about its tools says nothing of a hand that it has not got. Prompts are written once, for all tools: a line that
 * names a missing hand goes, be it the tool or the helper of that name in a cell, `bash(…)`.
 */

const hands = ["python", "bash", "bash_output", "kill_shell"];

export function promptFor(prompt: string, toolNames: readonly string[]): string {
  const missing = hands
    .filter((name) => !toolNames.includes(name))
    .map((name) => new RegExp(`\`${name}[\`(]`));
  return prompt
    .split("\n")
    .filter((line) => !missing.some((name) => name.test(line)))
    .join("\n");
}
