/**
 * Signs a Mach-O program for nobody in particular ("ad hoc"), as linkers do. When Bun makes a program for x64 macOS, it leaves the
 * signature of its own, which no longer fits, and macOS ends such a program; for arm64 it signs by itself (oven-sh/bun#39837).
 */

import { createHash } from "node:crypto";

const PAGE_BYTES_LOG2 = 12;
const PAGE_BYTES = 1 << PAGE_BYTES_LOG2;
const HASH_BYTES = 32;
const HASH_IS_SHA256 = 2;
const COMMAND_SEGMENT = 0x19;
const COMMAND_SIGNATURE = 0x1d;
const MAGIC_PROGRAM = 0xfeedfacf;
const MAGIC_SIGNATURE = 0xfade0cc0;
const MAGIC_DIRECTORY = 0xfade0c02;
const DIRECTORY_VERSION = 0x20400;
const DIRECTORY_HEADER_BYTES = 88;
const FLAGS_AD_HOC_BY_LINKER = 0x20002;
const IS_MAIN_PROGRAM = 1n;
/** A signature with one part, the code directory. */
const SIGNATURE_HEADER_BYTES = 20;

/** @returns the program with a signature that fits; the old one has to be its end, as it always is */
export function signAdHoc(program: Buffer, identifier: string): Buffer {
  const { signature, text, linkedit } = loadCommands(program);
  const codeBytes = program.readUInt32LE(signature + 8);
  const pages = Math.ceil(codeBytes / PAGE_BYTES);
  const name = Buffer.from(`${identifier}\0`);
  const directoryBytes = DIRECTORY_HEADER_BYTES + name.length + pages * HASH_BYTES;
  const signatureBytes = roundUp(SIGNATURE_HEADER_BYTES + directoryBytes, 16);
  const signed = Buffer.alloc(codeBytes + signatureBytes);
  program.copy(signed, 0, 0, codeBytes);

  // The commands first: they are part of what is signed.
  signed.writeUInt32LE(signatureBytes, signature + 12);
  const linkeditBytes = BigInt(signed.length) - signed.readBigUInt64LE(linkedit + 40);
  signed.writeBigUInt64LE(BigInt(roundUp(Number(linkeditBytes), PAGE_BYTES)), linkedit + 32);
  signed.writeBigUInt64LE(linkeditBytes, linkedit + 48);

  const at = codeBytes;
  const header = [MAGIC_SIGNATURE, SIGNATURE_HEADER_BYTES + directoryBytes, 1, 0, SIGNATURE_HEADER_BYTES];
  for (const [index, value] of header.entries()) signed.writeUInt32BE(value, at + 4 * index);
  const directory = at + SIGNATURE_HEADER_BYTES;
  const hashes = DIRECTORY_HEADER_BYTES + name.length;
  const directoryHeader = [
    MAGIC_DIRECTORY,
    directoryBytes,
    DIRECTORY_VERSION,
    FLAGS_AD_HOC_BY_LINKER,
    hashes,
    DIRECTORY_HEADER_BYTES,
    0,
    pages,
    codeBytes,
  ];
  for (const [index, value] of directoryHeader.entries()) signed.writeUInt32BE(value, directory + 4 * index);
  signed.set([HASH_BYTES, HASH_IS_SHA256, 0, PAGE_BYTES_LOG2], directory + 36);
  signed.writeBigUInt64BE(signed.readBigUInt64LE(text + 40), directory + 64);
  signed.writeBigUInt64BE(signed.readBigUInt64LE(text + 48), directory + 72);
  signed.writeBigUInt64BE(IS_MAIN_PROGRAM, directory + 80);
  name.copy(signed, directory + DIRECTORY_HEADER_BYTES);
  for (let page = 0; page < pages; page++) {
    const content = signed.subarray(page * PAGE_BYTES, Math.min((page + 1) * PAGE_BYTES, codeBytes));
    createHash("sha256")
      .update(content)
      .digest()
      .copy(signed, directory + hashes + page * HASH_BYTES);
  }
  return signed;
}

/** Where the commands are that a signature concerns. */
function loadCommands(program: Buffer): { signature: number; text: number; linkedit: number } {
  if (program.readUInt32LE(0) !== MAGIC_PROGRAM) throw new Error("not a 64-bit Mach-O program");
  const found = new Map<string, number>();
  let at = 32;
  for (let count = program.readUInt32LE(16); count > 0; count--) {
    const command = program.readUInt32LE(at);
    if (command === COMMAND_SIGNATURE) found.set("signature", at);
    if (command === COMMAND_SEGMENT)
      found.set(program.toString("latin1", at + 8, at + 24).replace(/\0.*/, ""), at);
    at += program.readUInt32LE(at + 4);
  }
  const [signature, text, linkedit] = ["signature", "__TEXT", "__LINKEDIT"].map((name) => found.get(name));
  if (signature === undefined || text === undefined || linkedit === undefined)
    throw new Error("a Mach-O program without a signature");
  return { signature, text, linkedit };
}

function roundUp(value: number, unit: number): number {
  return Math.ceil(value / unit) * unit;
}
