/**
 * What is said on one connection, from the greeting to the last message: the protocol without a socket.
 *
 *   us    greeting            READY             subscriptions, then messages
 *   peer           greeting          READY                                   messages, PING, ERROR
 *
 * libzmq hangs up on a peer that sends anything else before its own READY is out, so nothing is sent until that arrived.
 */

import {
  commandFrame,
  parseCommand,
  parseErrorReason,
  parseReady,
  pongFrame,
  readyFrame,
} from "./commands.ts";
import { Decoder, type DecoderLimits } from "./decoder.ts";
import { ZmtpError } from "./errors.ts";
import { encodeMessage } from "./frame.ts";
import { encodeGreeting, GreetingReader } from "./greeting.ts";

export type SocketType = "DEALER" | "SUB" | "REQ";

const peersOf: Readonly<Record<SocketType, readonly string[]>> = {
  DEALER: ["ROUTER", "REP", "DEALER"],
  SUB: ["PUB", "XPUB"],
  REQ: ["REP", "ROUTER"],
};

const IDENTITY_MAX_BYTES = 255;
const DELIMITER = new Uint8Array(0);

export interface ConnectionOptions {
  readonly type: SocketType;
  readonly identity: Uint8Array | undefined;
  readonly subscriptions: readonly Uint8Array[];
  readonly limits: DecoderLimits;
  /** Bytes for the peer, in order; they must be kept until written. */
  write(bytes: Uint8Array): void;
  /** The peer's READY has arrived, and the subscriptions are written. */
  onReady(): void;
  onMessage(frames: Uint8Array[]): void;
}

export class Connection {
  readonly #options: ConnectionOptions;
  readonly #greeting = new GreetingReader();
  readonly #decoder: Decoder;
  #ready = false;
  #awaitingReply = false;

  constructor(options: ConnectionOptions) {
    const { identity } = options;
    if (identity !== undefined && (identity.length > IDENTITY_MAX_BYTES || identity[0] === 0)) {
      // ROUTER makes up identities that begin with a zero byte for those who bring none.
      throw new RangeError(
        `an identity has at most ${IDENTITY_MAX_BYTES} bytes and does not begin with a zero`,
      );
    }
    this.#options = options;
    this.#decoder = new Decoder(options.limits, {
      message: (frames) => this.#message(frames),
      command: (body) => this.#command(body),
    });
  }

  get ready(): boolean {
    return this.#ready;
  }

  get midMessage(): boolean {
    return this.#decoder.midMessage;
  }

  start(): void {
    this.#options.write(encodeGreeting());
  }

  /** Throws a ZmtpError, after which the connection is of no more use. */
  receive(chunk: Uint8Array): void {
    if (this.#greeting.greeting !== undefined) {
      this.#decoder.push(chunk);
      return;
    }
    const taken = this.#greeting.push(chunk);
    if (this.#greeting.greeting === undefined) return;
    this.#options.write(this.#readyFrame());
    this.#decoder.push(chunk.subarray(taken));
  }

  send(frames: readonly Uint8Array[]): void {
    if (!this.#ready) throw new Error("a message before the handshake is done");
    if (frames.length === 0) throw new Error("a message has at least one frame");
    const { type } = this.#options;
    if (type === "SUB") throw new Error("a SUB socket does not send messages");
    if (type === "REQ") {
      if (this.#awaitingReply) throw new Error("a REQ socket waits for its reply before the next request");
      this.#awaitingReply = true;
    }
    this.#write(type === "REQ" ? [DELIMITER, ...frames] : frames);
  }

  /** Delivers nothing more, not even what has arrived; may be called from inside `onMessage`. */
  stop(): void {
    this.#decoder.stop();
  }

  #write(frames: readonly Uint8Array[]): void {
    for (const piece of encodeMessage(frames)) this.#options.write(piece);
  }

  #message(frames: Uint8Array[]): void {
    if (this.#options.type === "REQ") {
      // Like libzmq, a peer that answers out of turn or without the delimiter is not talked to any longer.
      if (!this.#awaitingReply) throw new ZmtpError("frame", "the peer sent a reply that nobody asked for");
      if (frames.length < 2 || frames[0]?.length !== 0) {
        throw new ZmtpError("frame", "the peer sent a reply without its empty first frame");
      }
      frames.shift();
      this.#awaitingReply = false;
    }
    this.#options.onMessage(frames);
  }

  #command(body: Uint8Array): void {
    const { name, data } = parseCommand(body);
    if (name === "ERROR") {
      throw new ZmtpError(
        "peer-error",
        `the peer refused the connection: ${parseErrorReason(data) || "no reason given"}`,
      );
    }
    if (name === "READY") {
      this.#peerReady(data);
    } else if (!this.#ready) {
      throw new ZmtpError("command", `the peer sent ${JSON.stringify(name)} where READY belongs`);
    } else if (name === "PING") {
      this.#options.write(pongFrame(data));
    }
    // Others (PONG, SUBSCRIBE, what a later version brings) ask nothing of us.
  }

  #peerReady(data: Uint8Array): void {
    if (this.#ready) throw new ZmtpError("command", "the peer sent READY twice");
    const { type, subscriptions } = this.#options;
    const theirs = Buffer.from(parseReady(data).get("socket-type") ?? DELIMITER).toString("latin1");
    if (!peersOf[type].includes(theirs)) {
      const wanted = peersOf[type].join(" or ");
      throw new ZmtpError("socket-type", `the peer is ${JSON.stringify(theirs)}; ${type} talks to ${wanted}`);
    }
    this.#ready = true;
    this.#decoder.commandsOnly = false;
    if (type === "SUB") for (const topic of subscriptions) this.#subscribe(topic);
    this.#options.onReady();
  }

  /** A 3.0 peer takes subscriptions as messages, one of 3.1 or later as commands. */
  #subscribe(topic: Uint8Array): void {
    const { major, minor } = this.#greeting.greeting ?? { major: 3, minor: 0 };
    if (major === 3 && minor === 0) this.#write([Buffer.concat([Uint8Array.of(1), topic])]);
    else this.#options.write(commandFrame("SUBSCRIBE", topic));
  }

  #readyFrame(): Uint8Array {
    const { type, identity } = this.#options;
    const properties = new Map<string, Uint8Array>([["Socket-Type", Buffer.from(type)]]);
    // SUB has no use for one, and the protocol names it for the types that can be routed to only.
    if (type !== "SUB") properties.set("Identity", identity ?? DELIMITER);
    return readyFrame(properties);
  }
}
