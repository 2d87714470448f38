/** What the user has said yes to, for longer than one call. */

/** What a question is about, and what a yes covers. */
export interface ApprovalSubject {
  readonly tool: string;
  /** One line, for the question. */
  readonly summary: string;
  /** Where it would run, if that is not where the session or its shell stands. */
  readonly directory?: string | undefined;
  /** For calls that are no shell command: all of what they are given. */
  readonly input?: string | undefined;
  /** The file that it is about, as the call names it. */
  readonly path?: string;
  /** For shell commands: the whole text. */
  readonly command: string | undefined;
  /** For shell commands: each one's exact words, as `bash.allow` has them; undefined when words cannot say it. */
  readonly patterns: readonly string[] | undefined;
  /** What a yes for the session covers, for calls that are no shell command: `any cell`, `this file`. */
  readonly covers: string | undefined;
  /** What is equal for all calls that this yes covers. */
  readonly key: string;
  /** It would run outside the sandbox: a yes covers this one call, whatever else is allowed. */
  readonly leavesSandbox?: boolean | undefined;
  /** Paths that the call names and that lead elsewhere through links. */
  readonly links: readonly PathLink[];
}

export interface PathLink {
  readonly path: string;
  readonly target: string;
}

export type GrantScope = "session" | "always";

/** Where "always" is kept: the UI adds the patterns to `bash.allow` of the user's settings. */
export interface GrantStore {
  allowAlways(patterns: readonly string[]): void;
}

export class Grants {
  readonly #store: GrantStore | undefined;
  readonly #patterns = new Set<string>();
  readonly #keys = new Set<string>();

  constructor(store?: GrantStore) {
    this.#store = store;
  }

  /** The words of shell commands that may run. */
  get patterns(): readonly string[] {
    return [...this.#patterns];
  }

  /** Gives the scope that the yes really has: only words of commands can be kept for always. */
  remember({ key, patterns = [], leavesSandbox }: ApprovalSubject, scope: GrantScope): GrantScope | "once" {
    if (leavesSandbox) return "once";
    if (patterns.length === 0) this.#keys.add(key);
    for (const pattern of patterns) this.#patterns.add(pattern);
    if (scope === "session" || patterns.length === 0 || this.#store === undefined) return "session";
    this.#store.allowAlways(patterns);
    return "always";
  }

  covers({ key }: ApprovalSubject): boolean {
    return this.#keys.has(key);
  }
}
