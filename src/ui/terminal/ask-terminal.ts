/**
 * Asks the terminal what it can do, once, after the first paint, and takes its answers out of what the person types. Everyone who wants
 * to know something about the terminal waits for this one conversation; nobody else writes questions.
 *
 * The last question is one that every terminal answers: with its answer nothing more comes, and keys go through untouched. A terminal
 * that stays silent is not waited for, but its answers are still taken out should they come late.
 */

import { within } from "../../async/within.ts";
import { sizeQuestions, type TerminalCapabilities, terminalQuestions, withReply } from "./capabilities.ts";
import { inOneForm } from "./keyboard.ts";
import { ReplyParser } from "./replies.ts";

export interface AskedTerminal {
  /** For who reads the keyboard: the same stream without the answers. */
  readonly stdin: NodeJS.ReadStream;
  /** What is known so far. */
  readonly known: TerminalCapabilities;
  /** Writes the questions; resolves with what is known when all answers have come, or none came in time. Asks only once. */
  ask(): Promise<TerminalCapabilities>;
  /** The same with the size that cells have now: a font can be made larger. For who reads the keyboard at this moment. */
  askSize(): Promise<TerminalCapabilities>;
  /** Resolves when no answer is to be expected any more, or soon: before the terminal is given back, lest the shell reads them. */
  settled(): Promise<void>;
}

export interface AskOptions {
  readonly stdin: NodeJS.ReadStream;
  readonly write: (text: string) => void;
  /** What the environment says. */
  readonly known: TerminalCapabilities;
  readonly limitMs?: number;
  /** Told of every answer, also of one that comes late. */
  readonly onChange?: (known: TerminalCapabilities) => void;
}

/** A connection around the world takes a third of this. */
const LIMIT_MS = 1_000;
/** Who quits right after the start waits no longer than this for a terminal that has not answered. */
const SETTLED_MS = 200;
/** What looks like the start of an answer and does not go on was a key. */
const ESCAPE_MS = 30;

export function askedTerminal(options: AskOptions): AskedTerminal {
  const { write, limitMs = LIMIT_MS } = options;
  const input = new AnsweringInput(options);
  let asked: Promise<void> | undefined;
  const answers = async (questions: string): Promise<void> => {
    const answered = input.listen();
    write(questions);
    await within(answered, limitMs, { keepsProcess: false });
  };
  // Who comes later is told what has come late, too.
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
  /** Keys that were held back and are to be read now. */
  #held = "";
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor({ stdin: source, known, onChange }: AskOptions) {
    this.#source = source;
    this.known = known;
    this.#onChange = onChange;
    const read = () => this.#read();
    // Everything but reading is the stream's own: raw mode, listeners, references.
    this.stream = new Proxy(source, {
      get: (target, key) => {
        if (key === "read") return read;
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
      set: (target, key, value) => Reflect.set(target, key, value, target),
    });
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
      const keys = inOneForm(read, this.known.version);
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
