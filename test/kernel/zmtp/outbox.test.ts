import { expect, test } from "bun:test";
import { Outbox } from "../../../src/kernel/zmtp/outbox.ts";

/** Stands for a socket that takes as many bytes as it is told to. */
function pipe(room: number) {
  const written: Buffer[] = [];
  const writes: Uint8Array[] = [];
  const state = { room };
  const outbox = new Outbox((bytes) => {
    const taken = Math.min(state.room, bytes.length);
    state.room -= taken;
    writes.push(bytes);
    written.push(Buffer.from(bytes.subarray(0, taken)));
    return taken;
  });
  return { outbox, state, writes, text: () => Buffer.concat(written).toString("latin1") };
}

test("what is taken at once does not wait", () => {
  const { outbox, text } = pipe(Number.POSITIVE_INFINITY);
  outbox.push(Buffer.from("one"));
  outbox.push(Buffer.from("two"));
  expect({ text: text(), waiting: outbox.waitingBytes }).toEqual({ text: "onetwo", waiting: 0 });
});

test("order holds whatever part of each write is taken", () => {
  const pieces = ["a".repeat(10), "b".repeat(20_000), "c", "d".repeat(16_384), "e".repeat(100_000), "f"];
  const whole = pieces.join("");
  for (const step of [1, 7, 1000, 20_000, 65_536, 200_000]) {
    const { outbox, state, text } = pipe(3);
    for (const piece of pieces) outbox.push(Buffer.from(piece));
    expect(outbox.waitingBytes).toBe(whole.length - 3);
    while (outbox.waitingBytes > 0) {
      state.room = step;
      outbox.flush();
    }
    expect(text() === whole).toBe(true);
  }
});

test("what is sent while older bytes wait goes behind them", () => {
  const { outbox, state, text } = pipe(1);
  outbox.push(Buffer.from("abc"));
  state.room = 100;
  outbox.push(Buffer.from("def"));
  expect({ text: text(), waiting: outbox.waitingBytes }).toEqual({ text: "a", waiting: 5 });
  outbox.flush();
  outbox.push(Buffer.from("ghi"));
  expect({ text: text(), waiting: outbox.waitingBytes }).toEqual({ text: "abcdefghi", waiting: 0 });
});

test("many small pieces that wait are written together; a large one is written from where it is", () => {
  const { outbox, state, writes } = pipe(0);
  const large = Buffer.alloc(1_000_000);
  for (let count = 0; count < 6_000; count++) outbox.push(Buffer.from("0123456789"));
  outbox.push(large);
  writes.length = 0;
  state.room = Number.POSITIVE_INFINITY;
  outbox.flush();
  expect(writes.map((bytes) => bytes.length)).toEqual([60_000, 1_000_000]);
  expect(writes[1]?.buffer).toBe(large.buffer);
});

test("a closed socket, which answers -1, takes nothing", () => {
  const outbox = new Outbox(() => -1);
  outbox.push(Buffer.from("abc"));
  outbox.flush();
  expect(outbox.waitingBytes).toBe(3);
  outbox.clear();
  expect(outbox.waitingBytes).toBe(0);
});
