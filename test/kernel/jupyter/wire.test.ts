import { describe, expect, spyOn, test } from "bun:test";
import * as crypto from "node:crypto";
import { type Rejection, WireFormat } from "../../../src/kernel/jupyter/wire.ts";
import type { KernelMessage } from "../../../src/kernel/message.ts";

const key = "5ca1ab1e";
const wire = new WireFormat(key);

const message: KernelMessage = {
  channel: "iopub",
  header: {
    msg_id: "m-1",
    msg_type: "stream",
    session: "s-1",
    username: "kernel",
    date: "2024-05-06T07:08:09.000Z",
    version: "5.3",
  },
  parentHeader: { msg_id: "m-0", session: "s-0" },
  metadata: { tags: ["ä", "\u{1f40d}"] },
  content: { name: "stdout", text: "héllo\n\u0000\u{1f40d}" },
  buffers: [],
};

/** delimiter, signature, header, parent header, metadata, content */
function framesOf(changed: Partial<KernelMessage> = {}, format = wire): Uint8Array[] {
  return format.encode({ ...message, ...changed });
}

/** Frames with bodies of our choice that carry the right signature for them. */
function signed(bodies: readonly string[], signingKey = key): Uint8Array[] {
  const hmac = crypto.createHmac("sha256", signingKey);
  for (const body of bodies) hmac.update(body);
  return ["<IDS|MSG>", hmac.digest("hex"), ...bodies].map((text) => Buffer.from(text));
}

function rejectionOf(frames: readonly Uint8Array[], format = wire): Rejection | "accepted" {
  const result = format.decode("iopub", frames);
  return result.ok ? "accepted" : result.rejection;
}

/** How often JSON was parsed while a message was read. */
function parsesDuring(action: () => void): number {
  const parse = spyOn(JSON, "parse");
  try {
    action();
    return parse.mock.calls.length;
  } finally {
    parse.mockRestore();
  }
}

describe("encoding", () => {
  test("puts delimiter and signature before the four signed parts, and the buffers after them", () => {
    const buffers = [Uint8Array.of(1, 2), new Uint8Array(0)];
    const frames = framesOf({ buffers }).map((frame) => Buffer.from(frame).toString("latin1"));
    const bodies = [message.header, message.parentHeader, message.metadata, message.content].map((part) =>
      JSON.stringify(part),
    );
    const hmac = crypto.createHmac("sha256", key);
    for (const body of bodies) hmac.update(body);
    const bytes = bodies.map((body) => Buffer.from(body).toString("latin1"));
    expect(frames).toEqual(["<IDS|MSG>", hmac.digest("hex"), ...bytes, "\u0001\u0002", ""]);
  });

  test("does not sign with an empty key", () => {
    expect(framesOf({}, new WireFormat(""))[1]).toHaveLength(0);
  });
});

describe("decoding", () => {
  test("gives back what was encoded, with its buffers", () => {
    const buffers = [crypto.randomBytes(100_000), new Uint8Array(0), Buffer.from("<IDS|MSG>")];
    expect(wire.decode("iopub", framesOf({ buffers }))).toEqual({
      ok: true,
      message: { ...message, buffers },
    });
  });

  test("keeps lone surrogates, which JSON can carry as escapes", () => {
    const content = { text: "a\ud800b" };
    expect(wire.decode("iopub", framesOf({ content }))).toEqual({
      ok: true,
      message: { ...message, content },
    });
  });

  test("takes any number of identities before the delimiter", () => {
    const frames = [Buffer.from("stream.stdout"), new Uint8Array(0), crypto.randomBytes(17), ...framesOf()];
    expect(wire.decode("iopub", frames)).toEqual({ ok: true, message });
  });

  test("takes unsigned messages with an empty key, and none that are signed", () => {
    const unsigned = new WireFormat("");
    expect(rejectionOf(framesOf({}, unsigned), unsigned)).toBe("accepted");
    expect(rejectionOf(framesOf(), unsigned)).toBe("bad signature");
    expect(rejectionOf(framesOf({}, unsigned))).toBe("bad signature");
  });

  test("does not read names like __proto__ as anything but names", () => {
    const frames = signed(['{"msg_id":"1","msg_type":"x"}', "{}", "{}", '{"__proto__":{"polluted":true}}']);
    const result = wire.decode("iopub", frames);
    if (!result.ok) throw new Error(result.rejection);
    expect(Object.getPrototypeOf(result.message.content)).toBe(Object.prototype);
    expect("polluted" in result.message.content).toBe(false);
  });
});

describe("a message is dropped unread", () => {
  test("when it has no delimiter", () => {
    expect(rejectionOf([])).toBe("no delimiter");
    expect(rejectionOf(framesOf().slice(1))).toBe("no delimiter");
    expect(rejectionOf([Buffer.from("<IDS|MSG>x"), ...framesOf().slice(1)])).toBe("no delimiter");
  });

  test("when frames are missing", () => {
    const frames = framesOf();
    for (let count = 1; count < frames.length; count += 1)
      expect(rejectionOf(frames.slice(0, count))).toBe("too few frames");
  });

  test("when a header is larger than any kernel's", () => {
    const padding = "x".repeat(1 << 20);
    expect(rejectionOf(framesOf({ header: { ...message.header, username: padding } }))).toBe(
      "header too large",
    );
    expect(rejectionOf(framesOf({ parentHeader: { msg_id: padding } }))).toBe("header too large");
  });

  test("when any byte of what is signed, or of the signature, is another", () => {
    const frames = framesOf();
    for (let frame = 1; frame < frames.length; frame += 1) {
      const { length } = frames[frame] ?? [];
      for (let index = 0; index < length; index += 1) {
        const changed = frames.map((bytes) => Uint8Array.from(bytes));
        const bytes = changed[frame] ?? new Uint8Array();
        bytes[index] = (bytes[index] ?? 0) ^ 1;
        expect(rejectionOf(changed)).toBe("bad signature");
      }
    }
  });

  test("when the key is another, the signature is cut, longer, in capitals, or not there", () => {
    const frames = framesOf();
    const withSignature = (signature: string) => frames.with(1, Buffer.from(signature));
    const signature = Buffer.from(frames[1] ?? []).toString();
    expect(rejectionOf(framesOf({}, new WireFormat("another")))).toBe("bad signature");
    for (const wrong of [signature.slice(1), `${signature}0`, signature.toUpperCase(), ""])
      expect(rejectionOf(withSignature(wrong))).toBe("bad signature");
  });

  test("when the parts were signed in another order", () => {
    const [delimiter, signature, header, parent, metadata, content] = framesOf();
    const frames = [delimiter, signature, parent, header, metadata, content].map(
      (frame) => frame ?? Buffer.of(),
    );
    expect(rejectionOf(frames)).toBe("bad signature");
  });

  test("and nothing of one with a bad signature is parsed", () => {
    const frames = framesOf({}, new WireFormat("another"));
    expect(parsesDuring(() => wire.decode("iopub", frames))).toBe(0);
    expect(parsesDuring(() => wire.decode("iopub", framesOf()))).toBe(4);
  });

  test("when a signed part is not JSON, or not an object", () => {
    const good = ['{"msg_id":"1","msg_type":"x"}', "{}", "{}", "{}"];
    expect(rejectionOf(signed(good))).toBe("accepted");
    for (const bad of ["", "{", "[]", "[{}]", "null", "1", '"text"', "{}{}", "undefined", "\ufffe"]) {
      for (let part = 0; part < good.length; part += 1)
        expect(rejectionOf(signed(good.with(part, bad)))).toBe("not JSON");
    }
  });

  test("when its header does not name the message and its type", () => {
    const bad = [
      "{}",
      '{"msg_id":"1"}',
      '{"msg_type":"x"}',
      '{"msg_id":1,"msg_type":"x"}',
      '{"msg_id":"1","msg_type":null}',
    ];
    for (const header of bad) expect(rejectionOf(signed([header, "{}", "{}", "{}"]))).not.toBe("accepted");
    const parents = ['{"msg_id":7}', '{"msg_id":["a"]}'];
    for (const parent of parents)
      expect(rejectionOf(signed(['{"msg_id":"1","msg_type":"x"}', parent, "{}", "{}"]))).not.toBe("accepted");
  });
});
