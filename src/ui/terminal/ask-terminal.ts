/**
 * Asks the terminal what it can do, once, after the first paint, and removes its answers from what the user types. Everything that needs
 * to know something about the terminal waits for this one exchange; nothing else writes questions.
 *
 * The last question is one that every terminal answers: after its answer nothing more arrives, and keys pass through untouched. A terminal
 * that stays silent is not waited for, but its answers are still removed if they arrive late.
 */

import { within } from "../../async/within.ts";
import { sizeQuestions, type TerminalCapabilities, terminalQuestions, withReply } from "./capabilities.ts";
import { normalizeKeys } from "./keyboard.ts";
import { ReplyParser } from "./replies.ts";
import { overrideMethod } from "./stream-override.ts";

export interface AskedTerminal {
  /** The keyboard without the answers. */
  readonly stdin: NodeJS.ReadStream;
  /** What is known so far. */
  readonly known: TerminalCapabilities;
  /** Writes the questions; resolves with what is known when all answers have arrived, or after a time limit. Asks only once. */
  ask(): Promise<TerminalCapabilities>;
  /** The same with the current size of cells, as the font may have changed. Only while omp reads the keyboard. */
  askSize(): Promise<TerminalCapabilities>;
  /** Resolves when no more answers are expected, or soon: before omp ends, so that the shell does not read them. */
  settled(): Promise<void>;
}

export interface AskOptions {
  readonly stdin: NodeJS.ReadStream;
  readonly write: (text: string) => void;
  /** What the environment says. */
  readonly known: TerminalCapabilities;
  readonly limitMs?: number;
  /** Called with every answer, also a late one. */
  readonly onChange?: (known: TerminalCapabilities) => void;
}

/** A connection around the world takes a third of this. */
const LIMIT_MS = 1_000;
/** Quitting right after the start waits no longer than this for a terminal that has not answered. */
const SETTLED_MS = 200;
/** What looks like the start of an answer and does not continue was a key. */
const ESCAPE_MS = 30;

export function askTerminal(options: AskOptions): AskedTerminal {
  const { write, limitMs = LIMIT_MS } = options;
  const input = new AnsweringInput(options);
  let asked: Promise<void> | undefined;
  const answers = async (questions: string): Promise<void> => {
    const answered = input.listen();
    write(questions);
    await within(answered, limitMs, { keepsProcess: false });
  };
  // Read when the answers have arrived, so that late ones are included.
  const known = () => input.known;
  return {
    stdin: input.stream,
    get known() {
      return input.known;
    },
    ask: () => {
      asked ??= answers(terminalQuestions(input.known));
      return asked.then(known);
    },
    askSize: () => {
      asked = asked
        ? asked.then(() => answers(sizeQuestions(input.known)))
        : answers(terminalQuestions(input.known));
      return asked.then(known);
    },
    settled: async () => {
      if (asked) await within(asked, SETTLED_MS, { keepsProcess: false });
    },
  };
}

class AnsweringInput {
  readonly stream: NodeJS.ReadStream;
  known: TerminalCapabilities;
  readonly #source: NodeJS.ReadStream;
  readonly #parser = new ReplyParser();
  #answered = Promise.withResolvers<void>();
  readonly #onChange: AskOptions["onChange"];
  #isListening = false;
  /** Keys that were held back and can be read now. */
  #held = "";
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor({ stdin: source, known, onChange }: AskOptions) {
    this.#source = source;
    this.known = known;
    this.#onChange = onChange;
    this.stream = overrideMethod(source, "read", () => this.#read());
  }

  /** Resolves with the last answer. */
  listen(): Promise<void> {
    this.#isListening = true;
    this.#answered = Promise.withResolvers();
    return this.#answered.promise;
  }

  #read(): string | null {
    clearTimeout(this.#timer);
    const held = this.#held;
    this.#held = "";
    if (held !== "") return held;
    for (let chunk = this.#source.read(); chunk !== null; chunk = this.#source.read()) {
      const read = this.#isListening ? this.#keysOf(String(chunk)) : String(chunk);
      const keys = normalizeKeys(read, this.known.version);
      if (keys !== "") return keys;
    }
    if (this.#isListening) this.#timer = setTimeout(() => this.#release(), ESCAPE_MS);
    return null;
  }

  #keysOf(chunk: string): string {
    const { replies, input } = this.#parser.push(chunk);
    for (const reply of replies) this.known = withReply(this.known, reply);
    if (replies.length > 0) this.#onChange?.(this.known);
    if (!replies.some(({ kind }) => kind === "attributes")) return input;
    this.#isListening = false;
    this.#answered.resolve();
    return input + this.#parser.flush();
  }

  #release(): void {
    this.#held += this.#parser.flush();
    if (this.#held !== "") this.#source.emit("readable");
  }
}
