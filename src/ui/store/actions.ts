/** What the screen can ask of the program. */

import type { CodeCompletions, CodeHelp } from "./code-help.ts";

export interface CommandRow {
  /** Without the slash. */
  readonly name: string;
  readonly description: string;
  /** It cannot run without an argument: Enter in the menu completes it. */
  readonly needsMore?: boolean;
}

/** The edited text; without one nothing changes, and `failure` is shown. */
export interface Edited {
  readonly text?: string;
  readonly failure?: string;
}

/** What the pager shows. */
export interface PagedOutput {
  readonly path: string;
  readonly title: string;
  /** It is still being written: new lines are shown as they arrive. */
  readonly isGrowing?: boolean;
}

/** A text that is in no file. */
export interface PagedText {
  /** A function where it changes: it is asked for the text of the moment. */
  readonly text: string | (() => string);
  readonly title: string;
  readonly isGrowing?: boolean;
}

/** A file for the pager. */
export interface Readable extends PagedOutput {
  /** The reader is done. */
  close(): void;
  /** For a picture: opens it outside of the terminal. @returns what to tell the user. */
  readonly view?: () => Promise<string>;
}

/** Which answer of a question was chosen, and why where that was asked for. */
export interface GivenAnswer {
  readonly answer: string;
  readonly reason: string;
}

export interface FoundPaths {
  readonly paths: readonly string[];
  /** What each of them is, where that is worth a word. */
  readonly notes?: readonly string[];
  /** How many there are, with those that are not listed. */
  readonly total: number;
}

export interface Actions {
  /** A prompt, a /command, or !shell and $python: whatever was entered. */
  submit(text: string): void;
  /** Stops what runs. @returns false when nothing did. */
  interrupt(): boolean;
  /** Gives back what was queued and not read yet, to be edited. @returns false when nothing was. */
  takeBack(): boolean;
  /** What a cell of the user's has waited for. */
  enterLine(line: string): void;
  answer(id: number, given: GivenAnswer): void;
  /** Of the list that is shown: the index of its row, or undefined for none. */
  pick(id: number, row: number | undefined): void;
  quit(): void;
  readonly commands: readonly CommandRow[];
  /** Paths that fit, best first, better lists following as they are found. */
  findFiles(query: string, signal: AbortSignal): AsyncIterable<FoundPaths>;
  /** What continues a command's argument or a path in a shell command. @param before the text before the cursor. */
  complete(before: string): Promise<CodeCompletions | undefined>;
  /** A call that waits for an answer, the output of one that runs, or the full output or picture of the newest one that has it. */
  newestOutput(): Readable | undefined;
  /** In the user's own editor, which gets the terminal. */
  editExternally(text: string, signal: AbortSignal): Promise<Edited>;
  /** The live kernel, for the `$code` that is being written. */
  readonly code: CodeHelp;
  /** Suspends the whole program until the shell resumes it. The terminal must be the shell's meanwhile. */
  suspend(): Promise<void>;
  /** Keeps an input among the earlier ones. */
  remember(text: string): void;
  /**
   * Paths of pictures, and what is too large for a prompt. @param last the highest number of a paste in the prompt. @returns what stands
   * for it there; undefined when it goes into the prompt as it is.
   */
  attachPaste(pasted: string, last: number): string | undefined;
  /** The picture in the clipboard; undefined when there is none. */
  attachClipboard(): Promise<string | undefined>;
  /** Offers earlier messages to go back to. */
  goBack(): void;
  /** Switches to the next approval mode. @returns what is now the case; undefined before there is a session. */
  nextApproval(): string | undefined;
  /** Earlier inputs, oldest first. */
  history(): readonly string[];
}
