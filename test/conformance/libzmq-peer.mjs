/**
 * A peer made of real libzmq, for our sockets to talk to. Runs under Node, because the package aborts inside Bun.
 *
 * One argument, JSON: { type, behaviour, bind, heartbeatMs? }. Says what happens as JSON lines on stdout; the first line is
 * { bound }. Takes orders as JSON lines on stdin; who started it ends it.
 *
 *   echo     sends every message back
 *   collect  checks that messages carry rising numbers; after `{ "expect": n }` of them says { received, outOfOrder, bytes }
 *   silent   does nothing
 *   publish  tells of subscriptions; `{ "count", "size" }` makes it publish that many numbered messages
 */

import { createInterface } from "node:readline";
import * as zmq from "zeromq";

const { type, behaviour, bind, heartbeatMs } = JSON.parse(process.argv[2]);

function say(event) {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

const unlimited = { sendHighWaterMark: 0, receiveHighWaterMark: 0, linger: 0 };
const socket = {
  ROUTER: () => new zmq.Router({ ...unlimited, mandatory: true }),
  REP: () => new zmq.Reply(unlimited),
  PUSH: () => new zmq.Push({ linger: 0 }),
  XPUB: () => new zmq.XPublisher({ ...unlimited, noDrop: true }),
}[type]();
if (heartbeatMs !== undefined) {
  socket.heartbeatInterval = heartbeatMs;
  // A busy machine may hold up the answer to one.
  socket.heartbeatTimeout = heartbeatMs * 20;
}

await socket.bind(bind);

const orders = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
async function order() {
  const { value, done } = await orders.next();
  if (done) process.exit(0);
  return JSON.parse(value);
}

async function echo() {
  for await (const frames of socket) await socket.send(frames);
}

async function collect() {
  const { expect } = await order();
  let outOfOrder = 0;
  let bytes = 0;
  for (let index = 0; index < expect; index++) {
    const frames = await socket.receive();
    // The route comes first.
    if (frames[1].readUInt32BE(0) !== index) outOfOrder++;
    for (const frame of frames.slice(1)) bytes += frame.length;
  }
  say({ received: expect, outOfOrder, bytes });
}

async function tellSubscriptions() {
  for await (const [frame] of socket) {
    say({ subscribed: frame[0] === 1, topic: frame.subarray(1).toString("latin1") });
  }
}

async function publish() {
  void tellSubscriptions();
  for (;;) {
    const { count, size, topic = "" } = await order();
    for (let index = 0; index < count; index++) {
      const body = Buffer.alloc(Math.max(4, size), index);
      body.writeUInt32BE(index, 0);
      await socket.send([topic, body]);
    }
    say({ published: count });
  }
}

say({ bound: socket.lastEndpoint });
await { echo, collect, publish, silent: () => undefined }[behaviour]();
for (;;) await order();
