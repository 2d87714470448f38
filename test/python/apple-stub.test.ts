import { expect, test } from "bun:test";
import { stubProblem } from "../../src/python/apple-stub.ts";
import { findOnPath } from "../../src/python/executable.ts";

const mac = (...files: string[]) => ({
  platform: "darwin" as const,
  exists: (path: string) => files.includes(path),
  linkTarget: () => undefined,
});

test("macOS's own python3 is not run where it would only open a dialog", () => {
  const offer = "is only Apple's offer to install its developer tools (xcode-select --install)";
  expect(stubProblem("/usr/bin/python3", mac())).toBe(offer);
  expect(stubProblem("/usr/bin/python3", mac("/Library/Developer/CommandLineTools/usr/bin/python3"))).toBe(
    undefined,
  );
  const selected = { ...mac("/Xcode-beta/usr/bin/python3"), linkTarget: () => "/Xcode-beta" };
  expect(stubProblem("/usr/bin/python3", selected)).toBe(undefined);
  // Another one is what it is, and so is the same path elsewhere.
  expect(stubProblem("/opt/homebrew/bin/python3", mac())).toBe(undefined);
  expect(stubProblem("/usr/bin/python3", { ...mac(), platform: "linux" })).toBe(undefined);
});

test("the search on PATH goes past it", () => {
  // No machine but a Mac has the developer tools.
  const search = { env: { PATH: "/usr/bin" }, cwd: "/", platform: "darwin" as const };
  if (process.platform !== "darwin") expect(findOnPath("python3", search)).toBe(undefined);
});
