/** `${NAME}` and `${NAME:-fallback}` in the definition of an MCP server. */

import type { EnvironmentVariables } from "./paths.ts";

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/** Fills variables in, and remembers those that are not set. */
export class VariableFiller {
  readonly missing = new Set<string>();
  readonly #env: EnvironmentVariables;

  constructor(env: EnvironmentVariables) {
    this.#env = env;
  }

  fill(text: string): string {
    return text.replace(VARIABLE, (_, name: string, fallback: string | undefined) => {
      const value = this.#env[name];
      if (value !== undefined && value !== "") return value;
      if (fallback === undefined) this.missing.add(name);
      return fallback ?? "";
    });
  }

  fillValues(values: Readonly<Record<string, string>>): Record<string, string> {
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, this.fill(value)]));
  }
}
