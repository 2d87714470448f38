/**
 * The client's side of a conversation with one kernel: sends requests, matches what arrives to them. Works on messages and
 * knows no socket, so that ZeroMQ and gateways share it.
 */

import { within } from "../../async/within.ts";
import type { Answers, ExecuteOptions } from "../kernel.ts";
import { type Channel, type KernelMessage, type MessageContent, newMessage } from "../message.ts";
import { Exchange, type ExchangeEnd } from "./exchange.ts";
import { LateOutput } from "./late-output.ts";
import { OtherCode } from "./other-code.ts";
import { Withdrawn } from "./withdrawn.ts";

/** How long code that was withdrawn may take to be interrupted. */
const WITHDRAWAL_MS = 1_000;

/** A question whose answer takes long is kept alive; `questions.py` waits for three times as long. */
const SIGN_OF_LIFE_MS = 10_000;

/** What carries messages to the kernel. */
export interface MessageTransport {
  send(message: KernelMessage): void;
}

export class JupyterClient {
  /** Ours alone: kernels with several clients tell them apart by it. */
  readonly session: string = crypto.randomUUID();
  /** Set once there is a connection; what is sent before goes nowhere. */
  transport: MessageTransport | undefined;
  readonly #exchanges = new Map<string, Exchange>();
  readonly #requests = new WeakMap<Exchange, KernelMessage>();
  readonly #late = new LateOutput();
  readonly #otherCode = new OtherCode();
  readonly #withdrawn = new Withdrawn(() => this.request("control", "interrupt_request", {}).ended);
  /** Answers the questions of cells; the newest one's counts for all. */
  #answer: ExecuteOptions["answer"];
  /** Those about one matter, whichever cell asks. */
  readonly answersAbout = new Map<string, Answers>();
  /** The newest cell; it may have ended. */
  #cell: Exchange | undefined;
  #failure: Error | undefined;

  /** @param transport where there is a connection already. */
  constructor(transport?: MessageTransport) {
    this.transport = transport;
  }

  /** Control requests are over with their reply: some kernels publish no status for them. */
  request(
    channel: Exclude<Channel, "iopub">,
    type: string,
    content: MessageContent,
    end: ExchangeEnd = channel === "shell" ? "idle and reply" : "reply",
  ): Exchange {
    const isAnswered = this.#answer !== undefined || this.answersAbout.size > 0;
    const metadata = type === "execute_request" && isAnswered ? { omp_answers: true } : {};
    const message = newMessage({ channel, type, session: this.session, content, metadata });
    const exchange = new Exchange(message.header.msg_id, end);
    if (this.#failure) {
      exchange.fail(this.#failure);
      return exchange;
    }
    this.#exchanges.set(exchange.id, exchange);
    this.#requests.set(exchange, message);
    if (type === "execute_request" && content["silent"] !== true) this.#cell = exchange;
    this.transport?.send(message);
    return exchange;
  }

  /** Runs a cell. */
  execute(code: string, options: ExecuteOptions): Exchange {
    this.#answer = options.answer ?? this.#answer;
    return this.request("shell", "execute_request", executeContent(code, options));
  }

  receive(message: KernelMessage): void {
    if (message.header.msg_type === QUESTION) {
      void this.#reply(message);
      return;
    }
    const parent = message.parentHeader.msg_id;
    const exchange = parent === undefined ? undefined : this.#exchanges.get(parent);
    if (!exchange) {
      this.#withdrawn.notice(message);
      if (message.parentHeader.session === this.session) this.#receiveLate(message);
      else this.#otherCode.notice(message);
      return;
    }
    exchange.deliver(message);
    if (exchange.hasEnded) this.#exchanges.delete(exchange.id);
  }

  /**
   * To be called when the kernel has answered a later request: a reply that has not arrived by then never will. ipykernel drops
   * it when an interrupt arrives after the code has ended and before the reply is sent.
   */
  concludeInterrupted(exchange: Exchange): void {
    if (exchange.lacksReply) this.answer(exchange, errorReply("KeyboardInterrupt", ""));
  }

  /** Requests that have not ended. */
  get open(): readonly Exchange[] {
    return [...this.#exchanges.values()];
  }

  /**
   * To be called for an exchange whose end was lost with a connection, when the kernel has answered a later request: it is over, and
   * its outcome is unknown.
   */
  concludeLost(exchange: Exchange): void {
    this.abandon(exchange, { ename: "ConnectionLost", evalue: LOST });
  }

  /** Ends the exchange here, with this error; in the kernel its code may keep running, and what it then prints is late output. */
  abandon(exchange: Exchange, { ename, evalue }: { readonly ename: string; readonly evalue: string }): void {
    if (!exchange.hasReply) this.answer(exchange, errorReply(ename, evalue));
    if (!exchange.hasEnded) this.#make(exchange, "iopub", "status", { execution_state: "idle" });
  }

  /** Abandons code that waits in the kernel for that of other clients: it is interrupted when it starts, and not before. */
  withdraw(exchange: Exchange, outcome: Parameters<JupyterClient["abandon"]>[1]): void {
    if (exchange.hasEnded) return;
    this.#withdrawn.add(exchange.id);
    this.abandon(exchange, outcome);
  }

  /** Settles when the code of other clients that runs now has ended, and no interrupt is on its way that would hit what is sent next. */
  async otherCodeEnded(): Promise<void> {
    const before = this.#otherCode.ids;
    // Answered after everything that the kernel had to do before.
    await this.request("shell", "kernel_info_request", {}, "reply").reply();
    this.#otherCode.forget(before);
    await within(this.#withdrawn.quiet, WITHDRAWAL_MS);
  }

  /** Whether code of another client is known to run: what it started before we listened is not. */
  get hasOtherCode(): boolean {
    return this.#otherCode.isRunning;
  }

  /** To be called only when the kernel is known not to have received it. */
  sendAgain(exchange: Exchange): void {
    const message = this.#requests.get(exchange);
    if (message && !exchange.hasEnded) this.transport?.send(message);
  }

  /** A reply that the kernel gave and that did not arrive. */
  answer(exchange: Exchange, content: MessageContent): void {
    this.#make(exchange, "shell", "execute_reply", content);
  }

  /** Ends every open exchange with this error, and each later one at once. */
  fail(error: Error): void {
    this.#failure ??= error;
    for (const exchange of this.#exchanges.values()) exchange.fail(error);
    this.#exchanges.clear();
  }

  /** Output of something that is not shown itself: the next cell shows it. */
  keepForLater(message: KernelMessage): void {
    this.#late.add(message);
  }

  takeLateOutput(): string {
    return this.#late.take();
  }

  takeLateDisplays(): readonly KernelMessage[] {
    return this.#late.takeDisplays();
  }

  /** Of a task or thread that an earlier request has left: it belongs to the cell that runs, if one does. */
  #receiveLate(message: KernelMessage): void {
    if (this.#cell?.hasEnded === false && isOutput(message)) this.#cell.adopt(message);
    else this.#late.add(message);
  }

  /** On control, which the kernel reads while the code waits. A question that cannot be answered is one that nobody answers in time. */
  async #reply({ parentHeader, content: question }: KernelMessage): Promise<void> {
    const answer = this.answersAbout.get(String(question["about"]))?.answer ?? this.#answer;
    if (parentHeader.session !== this.session || answer === undefined) return;
    const { id } = question;
    // What takes long is not lost: the code goes on waiting.
    const signs = setInterval(() => this.#sendAnswer({ id, pending: true }), SIGN_OF_LIFE_MS);
    try {
      this.#sendAnswer({ ...(await answer(question)), id });
    } finally {
      clearInterval(signs);
    }
  }

  #sendAnswer(content: MessageContent): void {
    this.transport?.send(newMessage({ channel: "control", type: ANSWER, session: this.session, content }));
  }

  #make(exchange: Exchange, channel: Channel, type: string, content: MessageContent): void {
    const message = newMessage({ channel, type, session: this.session, content });
    this.receive({ ...message, parentHeader: { msg_id: exchange.id, session: this.session } });
  }
}

/** The content of an `execute_request`. */
export function executeContent(
  code: string,
  { silent = false, userExpressions = {} }: Pick<ExecuteOptions, "silent" | "userExpressions">,
): MessageContent {
  return {
    // Half a surrogate pair has no UTF-8 form: ipykernel fails on it without a reply.
    code: code.toWellFormed(),
    silent,
    store_history: !silent,
    user_expressions: userExpressions,
    // input() then fails at once instead of waiting for a keyboard that is not there.
    allow_stdin: false,
    // An error must not drop what another caller has queued after it.
    stop_on_error: false,
  };
}

/** What `clear_output` means is the output of the cell that it came from, which is not there any more. */
const OUTPUT_TYPES = ["stream", "display_data", "update_display_data", "execute_result", "error"];

function isOutput({ channel, header }: KernelMessage): boolean {
  return (
    channel === "iopub" && (OUTPUT_TYPES.includes(header.msg_type) || header.msg_type.startsWith("comm_"))
  );
}

/** As in questions.py. */
const QUESTION = "omp_question";
const ANSWER = "omp_answer";

const LOST = "the connection broke; whether this ran, and how it ended, is not known";

function errorReply(ename: string, evalue: string): MessageContent {
  return { status: "error", ename, evalue, traceback: [] };
}
