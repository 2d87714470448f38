/**
 * What a file has beside its content, its owner and its mode, carried over to the file that replaces it: extended attributes and
 * the access control list, which on Linux is one of them.
 */

import { FFIType } from "bun:ffi";
import { openLibc } from "../../process/libc.ts";

const ACL = "system.posix_acl_access";

/**
 * @param from,to open files
 * @returns what could not be carried over, as people call it
 */
export function copyAttributes(from: number, to: number): string[] {
  if (process.platform === "darwin")
    return copyAll(from, to) ? [] : ["extended attributes or access control list"];
  const wanted = namesOf(from);
  // The directory may give every new file an access control list that this one did not have.
  const isInherited = namesOf(to).includes(ACL) && !wanted.includes(ACL);
  const isBare = !isInherited || linux().fremovexattr(to, cString(ACL)) === 0;
  const lost = wanted.filter((name) => !copyOne(name, from, to));
  return [...lost, ...(isBare ? [] : [ACL])].map((name) =>
    name === ACL ? "access control list" : `extended attribute ${name}`,
  );
}

function copyOne(name: string, from: number, to: number): boolean {
  const value = attributeOf(from, name);
  if (value === undefined) return false;
  // What the system sets by itself (a security label) often may not be set, and need not be.
  const isSame = attributeOf(to, name)?.equals(value) === true;
  return isSame || linux().fsetxattr(to, cString(name), value, value.length, 0) === 0;
}

function namesOf(file: number): string[] {
  const names = filled((buffer, size) => linux().flistxattr(file, buffer, size));
  return (names ?? Buffer.alloc(0))
    .toString("utf8")
    .split("\0")
    .filter((name) => name !== "");
}

function attributeOf(file: number, name: string): Buffer | undefined {
  return filled((buffer, size) => linux().fgetxattr(file, cString(name), buffer, size));
}

/** No list of names and no value is longer, on any file system. */
const MAX_BYTES = 64 * 1024;

/** Undefined where the call fails: the file system has no attributes, or no such one. */
function filled(call: (buffer: Buffer, size: number) => number | bigint): Buffer | undefined {
  const buffer = Buffer.alloc(MAX_BYTES);
  const length = Number(call(buffer, buffer.length));
  return length < 0 ? undefined : buffer.subarray(0, length);
}

function cString(text: string): Buffer {
  return Buffer.from(`${text}\0`);
}

const { i32, i64, ptr, u32, u64 } = FFIType;

let linuxCalls: ReturnType<typeof openLinux> | undefined;
function linux() {
  linuxCalls ??= openLinux();
  return linuxCalls;
}

function openLinux() {
  return openLibc({
    flistxattr: { args: [i32, ptr, u64], returns: i64 },
    fgetxattr: { args: [i32, ptr, ptr, u64], returns: i64 },
    fsetxattr: { args: [i32, ptr, ptr, u64, i32], returns: i32 },
    fremovexattr: { args: [i32, ptr], returns: i32 },
  });
}

/** COPYFILE_ACL and COPYFILE_XATTR of copyfile(3). */
const MAC_ACL_AND_ATTRIBUTES = 0b101;

function copyAll(from: number, to: number): boolean {
  const { fcopyfile } = openLibc({ fcopyfile: { args: [i32, i32, ptr, u32], returns: i32 } });
  return fcopyfile(from, to, null, MAC_ACL_AND_ATTRIBUTES) === 0;
}
