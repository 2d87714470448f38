import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { signAdHoc } from "../../scripts/lib/mac-signature.ts";

const CODE_BYTES = 10_000;

/** A program as far as a signature is concerned: two segments, a signature that does not fit, bytes of code. */
function program(): Buffer {
  const file = Buffer.alloc(CODE_BYTES + 64, 7);
  file.fill(0, 0, 256);
  file.writeUInt32LE(0xfeedfacf, 0);
  file.writeUInt32LE(3, 16);
  const segment = (at: number, name: string, [offset, bytes]: readonly [number, number]) => {
    file.writeUInt32LE(0x19, at);
    file.writeUInt32LE(72, at + 4);
    file.write(name, at + 8);
    file.writeBigUInt64LE(BigInt(offset), at + 40);
    file.writeBigUInt64LE(BigInt(bytes), at + 48);
  };
  segment(32, "__TEXT", [0, 8192]);
  segment(104, "__LINKEDIT", [8192, CODE_BYTES + 64 - 8192]);
  for (const [index, value] of [0x1d, 16, CODE_BYTES, 64].entries())
    file.writeUInt32LE(value, 176 + 4 * index);
  return file;
}

test("every page of what is signed has its hash in the signature, which is the end of the file", () => {
  const signed = signAdHoc(program(), "omp");
  const [offset, size] = [signed.readUInt32LE(184), signed.readUInt32LE(188)];
  expect([offset, offset + size]).toEqual([CODE_BYTES, signed.length]);
  // The last segment reaches to the end as well.
  expect(signed.readBigUInt64LE(104 + 40) + signed.readBigUInt64LE(104 + 48)).toBe(BigInt(signed.length));
  expect([0, 8, 12, 16].map((at) => signed.readUInt32BE(offset + at))).toEqual([0xfade0cc0, 1, 0, 20]);

  const directory = signed.subarray(offset + 20);
  const [magic, , version, flags, hashes = 0, name = 0, special, pages, limit] = Array.from(
    { length: 9 },
    (_, index) => directory.readUInt32BE(4 * index),
  );
  expect({ magic, version, flags, special, pages, limit }).toEqual({
    magic: 0xfade0c02,
    version: 0x20400,
    flags: 0x20002,
    special: 0,
    pages: 3,
    limit: CODE_BYTES,
  });
  expect(directory.toString("utf8", name, name + 4)).toBe("omp\0");
  expect([directory.readBigUInt64BE(64), directory.readBigUInt64BE(72)]).toEqual([0n, 8192n]);
  const page = (index: number) => signed.subarray(index * 4096, Math.min((index + 1) * 4096, CODE_BYTES));
  const expected = [0, 1, 2].map((index) => createHash("sha256").update(page(index)).digest("hex"));
  const found = [0, 1, 2].map((index) =>
    directory.subarray(hashes + index * 32, hashes + (index + 1) * 32).toString("hex"),
  );
  expect(found).toEqual(expected);
});

test("a file of another kind is refused", () => {
  expect(() => signAdHoc(Buffer.alloc(64), "omp")).toThrow("not a 64-bit Mach-O program");
});
