/** ZeroMQ client sockets: what the rest of the kernel may use. */

export { type Endpoint, endpointName } from "./endpoint.ts";
export { ZmtpError, type ZmtpErrorKind } from "./errors.ts";
export { type ZmtpOptions, ZmtpSocket } from "./socket.ts";
