/**
 * Removes from a tool's prompt the lines that name tools the model does not have. Prompts are written once, for all tools: a line is
 * dropped whether it names the tool or the helper of the same name in a cell, `bash(…)`.
 */

const optionalTools = ["python", "bash", "bash_output", "kill_shell"];

export function promptFor(prompt: string, toolNames: readonly string[]): string {
  const missing = optionalTools
    .filter((name) => !toolNames.includes(name))
    .map((name) => new RegExp(`\`${name}[\`(]`));
  return prompt
    .split("\n")
    .filter((line) => !missing.some((name) => name.test(line)))
    .join("\n");
}
