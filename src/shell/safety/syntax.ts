/** What a shell command is made of, as `script-reader.ts` reads it: words, commands, and compound commands around them. */

/** Text with marks (marks.ts), or what the shell puts in its place. */
export type Part = string | Variable | Substitution;

export interface Variable {
  readonly kind: "variable";
  readonly name: string;
  /** Of `${…}`: `:-`, `%`, `@P`, or `!` and `#` before the name; empty for the plain value. */
  readonly operator: string;
  readonly subscript: Word | undefined;
  readonly argument: Word | undefined;
  /** `$@`, `${x[*]}`: as many words as there are. */
  readonly isList: boolean;
  readonly isQuoted: boolean;
  /** It cannot make an option of the word. */
  readonly isOperand: boolean;
}

/** `$(…)`, `<(…)`, `>(…)`; `$((…))` is a number in whose words commands may be, and so is a pattern like `!(…)`. */
export interface Substitution {
  readonly kind: "output" | "input-pipe" | "output-pipe" | "computed" | "pattern";
  readonly body: List;
  readonly word: Word | undefined;
  readonly isQuoted: boolean;
}

export interface Word {
  readonly parts: readonly Part[];
  /**
   * `literal`: exactly this text. `operand`: text that only the shell will know, but no word of it starts with a dash. `any`: any number
   * of words with any text.
   */
  readonly kind: "literal" | "operand" | "any";
  /** For `literal` all of it; else what it starts with, as far as that is known. */
  readonly text: string;
  readonly source: string;
  /** It will be one word, whatever it is. */
  readonly isSingle: boolean;
  /** Nothing in it is quoted: it may be a keyword or an alias. */
  readonly isBare: boolean;
  /** Empty or not, it is a word. */
  readonly isQuoted: boolean;
}

export interface Assignment {
  readonly name: string;
  readonly subscript: Word | undefined;
  readonly values: readonly Word[];
  readonly isArray: boolean;
  /** `+=` */
  readonly isMore: boolean;
}

export interface Redirect {
  readonly descriptor: string;
  /** `<<` for all here-documents. */
  readonly operator: string;
  /** The text itself of a here-document, once it has been read. */
  target: Word;
}

export interface Command {
  readonly kind: "command";
  /** The program and its arguments; empty for assignments alone. */
  readonly words: readonly Word[];
  /** Variables that are set, for the command or, where there is none, for good. */
  readonly assignments: readonly Assignment[];
  readonly redirections: readonly Redirect[];
  /** It may run more than once. */
  readonly isRepeated: boolean;
  /** It gets an input from a pipe or a file. */
  isFed: boolean;
  readonly source: string;
}

export interface Compound {
  /** `choice`: one of the bodies runs, or none. `loop`: the same, over and over. `test`: `[[ … ]]` and `((…))`. */
  readonly kind: "group" | "subshell" | "choice" | "loop" | "function" | "test";
  /** Of a function or of a loop's variable. */
  readonly name: string;
  /** What is looped over, compared or computed. */
  readonly words: readonly Word[];
  /** The condition, which always runs. */
  readonly first: List;
  readonly bodies: readonly List[];
  /** One of the bodies runs in any case. */
  readonly isTotal: boolean;
  readonly redirections: readonly Redirect[];
  readonly source: string;
}

export type Statement = Command | Compound;

/** One after the other. */
export type List = readonly Item[];

export interface Item {
  /** What joins it to the one before. */
  readonly operator: string;
  /** More than one: a pipeline. */
  readonly parts: readonly Statement[];
  isBackground: boolean;
}
