import { expect, test } from "bun:test";
import { ZmtpError } from "../../../src/kernel/zmtp/errors.ts";
import { encodeGreeting, GreetingReader } from "../../../src/kernel/zmtp/greeting.ts";

function read(bytes: Uint8Array): GreetingReader {
  const reader = new GreetingReader();
  reader.push(bytes);
  return reader;
}

function errorOf(bytes: Uint8Array): { kind: string; line: string } | undefined {
  try {
    read(bytes);
  } catch (error) {
    if (error instanceof ZmtpError) return { kind: error.kind, line: error.message };
    throw error;
  }
  return undefined;
}

function changed(at: number, ...bytes: number[]): Uint8Array {
  const greeting = encodeGreeting();
  greeting.set(bytes, at);
  return greeting;
}

test("the greeting is the 64 bytes that the protocol draws", () => {
  const expected = `ff00000000000000007f0301${Buffer.from("NULL").toString("hex")}${"00".repeat(48)}`;
  expect(Buffer.from(encodeGreeting()).toString("hex")).toBe(expected);
});

test("a greeting is read however it is cut, and what follows is left alone", () => {
  const bytes = Buffer.concat([encodeGreeting({ major: 3, minor: 0 }), Buffer.from("rest")]);
  for (let cut = 0; cut <= 64; cut++) {
    const reader = new GreetingReader();
    const first = reader.push(bytes.subarray(0, cut));
    const second = reader.push(bytes.subarray(cut));
    expect({ first, second, greeting: reader.greeting }).toEqual({
      first: cut,
      second: 64 - cut,
      greeting: { major: 3, minor: 0 },
    });
  }
});

test("the padding of the signature, the as-server flag and the filler may be anything", () => {
  const bytes = encodeGreeting();
  bytes.fill(0xaa, 1, 9);
  bytes.fill(0xaa, 32);
  expect(read(bytes).greeting).toEqual({ major: 3, minor: 1 });
});

test("a later version is taken at its word, for it has to come down to ours", () => {
  expect(read(encodeGreeting({ major: 4, minor: 0 })).greeting).toEqual({ major: 4, minor: 0 });
});

test("what is not ZMTP is refused at the first byte that says so", () => {
  expect(errorOf(Buffer.from("H"))).toEqual({
    kind: "greeting",
    line: "zmtp: what listens there does not speak ZMTP (it began with 48) (EPROTO)",
  });
  expect(errorOf(changed(9, 0x00).subarray(0, 9))).toBeUndefined();
  expect(errorOf(changed(9, 0x00).subarray(0, 10))?.kind).toBe("greeting");
});

test("an older version is refused before the greeting is whole, for it sends less", () => {
  expect(errorOf(changed(10, 1).subarray(0, 11))).toEqual({
    kind: "version",
    line: "zmtp: the peer speaks ZMTP 2 or older; 3.0 is needed (EPROTONOSUPPORT)",
  });
});

test("another mechanism is refused and named", () => {
  expect(errorOf(changed(12, ...Buffer.from("CURVE")))).toEqual({
    kind: "mechanism",
    line: 'zmtp: the peer wants the security mechanism "CURVE"; only NULL is spoken here (EPROTONOSUPPORT)',
  });
  expect(errorOf(changed(12, ...Buffer.from("NULLX")))?.kind).toBe("mechanism");
});
