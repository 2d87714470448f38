/** What a live kernel knows about code that is being typed. Offsets are those of JavaScript strings. */

/** `busy`: it runs something else, and is not waited for. `none`: there is no kernel to ask, and why. */
export type CodeAnswer<T> =
  | { readonly kind: "answer"; readonly value: T }
  | { readonly kind: "busy" }
  | { readonly kind: "none"; readonly why: string };

export interface CodeName {
  readonly text: string;
  /** What it is: `function`, `module`, `int`; empty where the kernel does not know. */
  readonly type: string;
}

export interface CodeCompletions {
  /** The names replace the text from here to the cursor. */
  readonly start: number;
  readonly names: readonly CodeName[];
}

export interface Wholeness {
  /** False for code that needs another line. Invalid code is complete: running it reports the error. */
  readonly isWhole: boolean;
  /** The indentation of the next line. */
  readonly indent: string;
}

export interface CodeHelp {
  complete(code: string, cursor: number): Promise<CodeAnswer<CodeCompletions>>;
  /** The help for the name at the cursor; empty when there is none. `source`: with its source. */
  inspect(code: string, cursor: number, detail: "text" | "source"): Promise<CodeAnswer<string>>;
  wholeness(code: string): Promise<CodeAnswer<Wholeness>>;
}
