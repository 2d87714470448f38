import { expect, test } from "bun:test";
import { managedPackages, pinnedPackages } from "../../src/python/managed-requirements.ts";

test("every package of the managed environment has an exact version and hashes, and no address", () => {
  const entries = pinnedPackages.replaceAll(/^#.*\n/gm, "").split(/\n(?=\S)/);
  const shape = /^[a-z0-9-]+==[\w.]+( ; [^\\]+)? \\\n( {4}--hash=sha256:[0-9a-f]{64}( \\)?\n?)+$/;
  expect(entries.filter((entry) => !shape.test(entry))).toEqual([]);
  const names = new Set(entries.map((entry) => entry.split("==", 1)[0]));
  const wanted = ["pip", ...managedPackages.map((name) => name.replace(/[<>=].*/, ""))];
  expect(wanted.filter((name) => !names.has(name))).toEqual([]);
});
