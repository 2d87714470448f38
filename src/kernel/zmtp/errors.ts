/**
 * What can go wrong between us and a ZMTP peer. The `kind` tells a caller what to do about it; misuse of the API
 * (sending on a SUB socket, a second request before the reply) is a bug and therefore a plain `Error`, not one of these.
 */

import { OmpError } from "../../protocol/error.ts";

export type ZmtpErrorKind =
  /** Nobody listened, or the handshake did not end, within the time given. */
  | "timeout"
  /** The caller's signal ended the attempt to connect. */
  | "aborted"
  /** The address cannot be connected to, and waiting would not help (no permission, no such host). */
  | "unreachable"
  /** The connection has ended: the peer closed it, or this side did. */
  | "closed"
  /** What listens there does not speak ZMTP. */
  | "greeting"
  /** The peer speaks a ZMTP older than 3.0. */
  | "version"
  /** The peer wants another security mechanism than NULL. */
  | "mechanism"
  /** The peer's socket type does not go with ours. */
  | "socket-type"
  /** A frame that the protocol does not allow at that place. */
  | "frame"
  /** A frame or message beyond the limits. */
  | "too-large"
  /** A command that cannot be parsed, or that does not belong there. */
  | "command"
  /** The peer sent ERROR with a reason. */
  | "peer-error";

const codeOfKind: Readonly<Record<ZmtpErrorKind, string>> = {
  timeout: "ETIMEDOUT",
  aborted: "ECANCELED",
  unreachable: "EHOSTUNREACH",
  closed: "ECONNRESET",
  greeting: "EPROTO",
  version: "EPROTONOSUPPORT",
  mechanism: "EPROTONOSUPPORT",
  "socket-type": "EPROTOTYPE",
  frame: "EPROTO",
  "too-large": "EMSGSIZE",
  command: "EPROTO",
  "peer-error": "EPROTO",
};

export class ZmtpError extends OmpError {
  readonly kind: ZmtpErrorKind;

  constructor(
    kind: ZmtpErrorKind,
    issue: string,
    options: { code?: string | undefined; cause?: unknown } = {},
  ) {
    super({ operation: "zmtp", issue, code: options.code ?? codeOfKind[kind] }, { cause: options.cause });
    this.kind = kind;
  }
}
