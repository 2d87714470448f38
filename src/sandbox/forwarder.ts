/**
 * Inside a network namespace programs can reach only what runs there. So before the program a second one is started, in a session of its
 * own, that listens on loopback and passes every connection on to the proxy outside, through a Unix socket.
 */

/** Nothing else listens in there at first. */
const PORT = 47_128;

export const FORWARDER_URL = `http://127.0.0.1:${PORT}`;

/** It closes its stdout when it listens, and the shell waits for that: a program never finds the port closed. */
function forwarder(socket: string): string {
  return `
const { connect, createServer } = require("node:net");
createServer((from) => {
  const to = connect({ path: ${JSON.stringify(socket)} });
  for (const [one, other] of [[from, to], [to, from]]) {
    one.pipe(other);
    one.on("error", () => other.destroy());
  }
}).listen(${PORT}, "127.0.0.1", () => require("node:fs").closeSync(1));
`;
}

const SCRIPT = ': "$(setsid "$0" -e "$1" </dev/null 2>/dev/null &)"; shift; exec "$@"';

/** The command that starts the forwarder, and then becomes the program. @param bun runs the forwarder. */
export function withForwarder(
  socket: string,
  argv: readonly string[],
  bun: string = process.execPath,
): string[] {
  return ["/bin/sh", "-c", SCRIPT, bun, forwarder(socket), ...argv];
}
