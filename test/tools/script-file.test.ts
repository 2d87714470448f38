import { beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { resolveScript } from "../../src/tools/paths.ts";
import { temporaryDirectory } from "../support/home.ts";

let projectRoot: string;
let outside: string;

beforeEach(() => {
  const root = temporaryDirectory();
  projectRoot = join(root, "project");
  outside = join(root, "project-other");
  for (const directory of [projectRoot, outside]) {
    mkdirSync(join(directory, "sub"), { recursive: true });
    writeFileSync(join(directory, "a.py"), "");
    writeFileSync(join(directory, "sub", "b.py"), "");
  }
});

function find(file: string): string {
  try {
    return resolveScript({ operation: "python_run", file, cwd: join(projectRoot, "sub"), projectRoot });
  } catch (error) {
    return String(error instanceof Error ? error.message : error);
  }
}

describe("a plain path", () => {
  test("is relative to the working directory, and may be anywhere", () => {
    expect(find("b.py")).toBe(join(projectRoot, "sub/b.py"));
    expect(find("../a.py")).toBe(join(projectRoot, "a.py"));
    expect(find(join(outside, "a.py"))).toBe(join(outside, "a.py"));
  });

  test("that is no readable file is refused in one line", () => {
    expect(find("ghost.py")).toBe(`python_run: File does not exist '${projectRoot}/sub/ghost.py' (ENOENT)`);
    expect(find("..")).toBe(`python_run: File is a directory '${projectRoot}' (EISDIR)`);
    expect(find("b.py/x")).toBe(`python_run: File does not exist '${projectRoot}/sub/b.py/x' (ENOTDIR)`);
    expect(find("/dev/null")).toBe("python_run: File is not a regular file '/dev/null' (EINVAL)");
  });
});

describe("@project/", () => {
  test("is the project's root, wherever the call works", () => {
    expect(find("@project/a.py")).toBe(join(projectRoot, "a.py"));
    expect(find("@project/sub/b.py")).toBe(join(projectRoot, "sub/b.py"));
    expect(find("@project//a.py")).toBe(join(projectRoot, "a.py"));
  });

  test("does not lead out: not with .., not through a link", () => {
    symlinkSync(join(outside, "a.py"), join(projectRoot, "link.py"));
    symlinkSync(outside, join(projectRoot, "linked"));
    const dots = (file: string) => `python_run: '${file}' must not contain '..' (OUTSIDE_PROJECT)`;
    const leads = (file: string) => `python_run: '${file}' leads out of the project (OUTSIDE_PROJECT)`;
    expect(find("@project/../project-other/a.py")).toBe(dots("@project/../project-other/a.py"));
    expect(find("@project/sub/../a.py")).toBe(dots("@project/sub/../a.py"));
    expect(find("@project/link.py")).toBe(leads("@project/link.py"));
    expect(find("@project/linked/sub/b.py")).toBe(leads("@project/linked/sub/b.py"));
  });

  test("works through links that stay inside, and in a project that is reached through one", () => {
    symlinkSync("sub/b.py", join(projectRoot, "inner.py"));
    expect(find("@project/inner.py")).toBe(join(projectRoot, "inner.py"));
    const other = join(outside, "way-in");
    symlinkSync(projectRoot, other);
    const request = { operation: "python_run", file: "@project/a.py", cwd: outside, projectRoot: other };
    expect(resolveScript(request)).toBe(join(other, "a.py"));
  });
});
