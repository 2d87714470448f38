/** What a live kernel can say about code that is being written. Offsets are those of JavaScript strings. */

/** `busy`: it runs something else, and is not waited for. `none`: there is no kernel to ask, and why. */
export type CodeAnswer<T> =
  | { readonly kind: "answer"; readonly value: T }
  | { readonly kind: "busy" }
  | { readonly kind: "none"; readonly why: string };

export interface CodeName {
  readonly text: string;
  /** What it is: `function`, `module`, `int`; empty where the kernel does not say. */
  readonly type: string;
}

export interface CodeCompletions {
  /** What the names stand for: from here to the cursor. */
  readonly start: number;
  readonly names: readonly CodeName[];
}

export interface Wholeness {
  /** False for code that wants another line. Code that is wrong is whole: running it says what is wrong. */
  readonly isWhole: boolean;
  /** What the next line begins with. */
  readonly indent: string;
}

export interface CodeHelp {
  complete(code: string, cursor: number): Promise<CodeAnswer<CodeCompletions>>;
  /** The text about what stands at the cursor; empty when there is none. `source`: with its source. */
  inspect(code: string, cursor: number, detail: "text" | "source"): Promise<CodeAnswer<string>>;
  wholeness(code: string): Promise<CodeAnswer<Wholeness>>;
}
