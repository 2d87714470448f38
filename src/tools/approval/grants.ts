/** What the user has said yes to, for longer than one call. */

/** What a question is about, and what a yes covers. */
export interface ApprovalSubject {
  readonly tool: string;
  /** One line, for the question. */
  readonly summary: string;
  /** For shell commands: the whole text. */
  readonly command: string | undefined;
  /** For shell commands: words that cover it, as `bash.allow` has them; undefined when words cannot. */
  readonly patterns: readonly string[] | undefined;
}

export type GrantScope = "session" | "always";

/** Where "always" is kept: the UI adds the patterns to `bash.allow` of the user's settings. */
export interface GrantStore {
  allowAlways(patterns: readonly string[]): void;
}

export class Grants {
  readonly #store: GrantStore | undefined;
  readonly #patterns = new Set<string>();
  readonly #commands = new Set<string>();
  readonly #tools = new Set<string>();

  constructor(store?: GrantStore) {
    this.#store = store;
  }

  /** The words of shell commands that may run. */
  get patterns(): readonly string[] {
    return [...this.#patterns];
  }

  /** Gives the scope that the yes really has: only words of commands can be kept for always. */
  remember(subject: ApprovalSubject, scope: GrantScope): GrantScope {
    const { tool, command, patterns } = subject;
    if (command === undefined) this.#tools.add(tool);
    else if (patterns === undefined || patterns.length === 0) this.#commands.add(command);
    else {
      for (const pattern of patterns) this.#patterns.add(pattern);
      if (scope === "always" && this.#store !== undefined) {
        this.#store.allowAlways(patterns);
        return "always";
      }
    }
    return "session";
  }

  covers({ tool, command }: ApprovalSubject): boolean {
    return command === undefined ? this.#tools.has(tool) : this.#commands.has(command);
  }
}
