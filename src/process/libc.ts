/** The system's C library, for the few calls that Bun does not have. */

import { dlopen, type FFIFunction, type Library } from "bun:ffi";

export function openLibc<Calls extends Record<string, FFIFunction>>(calls: Calls): Library<Calls>["symbols"] {
  const machine = process.arch === "arm64" ? "aarch64" : "x86_64";
  const libraries =
    process.platform === "darwin" ? ["libSystem.B.dylib"] : ["libc.so.6", `libc.musl-${machine}.so.1`];
  const problems: unknown[] = [];
  for (const library of libraries) {
    try {
      return dlopen(library, calls).symbols;
    } catch (error) {
      problems.push(error);
    }
  }
  throw new AggregateError(problems, `the system has no ${Object.keys(calls).join(", ")}`);
}
