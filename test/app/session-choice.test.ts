import { expect, test } from "bun:test";
import { resumedNotice } from "../../src/app/session-choice.ts";

const here = {
  earlierCwd: "/project",
  cwd: "/project",
  isKernelBorrowed: false,
  variables: undefined,
  entries: [],
};

test("a model is told what a resumed session has lost", () => {
  expect(resumedNotice({ ...here, toolNames: ["python", "bash"] })).toBe(
    "This session was resumed: the Python kernel's variables and the shell's state and background shells from before are gone; files are as they are on disk.",
  );
  expect(resumedNotice({ ...here, toolNames: ["read"] })).toBeUndefined();
});

test("of a kernel that was running already nothing is lost, and nothing is certain", () => {
  expect(resumedNotice({ ...here, toolNames: ["python"], isKernelBorrowed: true })).toBe(
    "This session was resumed: the Python kernel is one that was running already: look at what it holds.",
  );
  expect(resumedNotice({ ...here, earlierCwd: "/before", toolNames: ["bash"], isKernelBorrowed: true })).toBe(
    "This session was resumed: the shell's state and background shells from before are gone; files are as they are on disk. Also, the working directory was /before and is now /project.",
  );
});
