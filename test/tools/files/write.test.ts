import { beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { join } from "node:path";
import { type FilePlace, filePlace } from "./file-place.ts";

let place: FilePlace;
beforeEach(() => {
  place = filePlace();
});

const write = (path: string, content: string) => place.run("write", { path, content });
const read = (path: string) => place.run("read", { path });
const mode = (path: string) => statSync(join(place.project, path)).mode & 0o7777;

describe("a new file", () => {
  test("is made with its directories, and the result says how much", async () => {
    expect(await write("a/b/c.txt", "eins\nzwölf\n")).toEqual({
      isError: false,
      output: "Created a/b/c.txt: 2 lines, 12 bytes",
      details: { path: join(place.project, "a/b/c.txt"), created: true, totalBytes: 12, totalLines: 2 },
    });
    expect(place.text("a/b/c.txt")).toBe("eins\nzwölf\n");
  });

  test("has the mode that the umask gives, and nothing is left beside it", async () => {
    await write("new/a", "x");
    expect(mode("new/a")).toBe(0o666 & ~process.umask());
    expect(readdirSync(join(place.project, "new"))).toEqual(["a"]);
  });

  test("may be empty", async () => {
    expect((await write("empty", "")).output).toBe("Created empty: 0 lines, 0 bytes");
    expect(place.text("empty")).toBe("");
  });

  test("may have any name and any text", async () => {
    const text = "😀 \0 \r\n \u2028 ~\\";
    await write("grüße 😀 'x'.txt", text);
    expect(place.text("grüße 😀 'x'.txt")).toBe(text);
  });
});

describe("an existing file", () => {
  test("that was read is replaced; details have a unified diff", async () => {
    place.put("a.txt", "one\ntwo\nthree\n");
    await read("a.txt");
    const { output, details, isError } = await write("a.txt", "one\n2\nthree\n");
    expect({ output, isError }).toEqual({ output: "Overwrote a.txt: 3 lines, 12 bytes", isError: false });
    expect(details).toMatchObject({ created: false, additions: 1, deletions: 1 });
    expect(details["diff"]).toBe("--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n");
    expect(place.text("a.txt")).toBe("one\n2\nthree\n");
  });

  test("keeps its mode", async () => {
    for (const bits of [0o755, 0o640, 0o600]) {
      chmodSync(place.put("run.sh", "a"), bits);
      await read("run.sh");
      await write("run.sh", "b");
      expect(mode("run.sh")).toBe(bits);
    }
  });

  test("behind a link is replaced, and the link stays one", async () => {
    place.put("real/file", "old");
    symlinkSync("real/file", join(place.project, "link"));
    await read("link");
    expect((await write("link", "new")).isError).toBe(false);
    expect(lstatSync(join(place.project, "link")).isSymbolicLink()).toBe(true);
    expect(place.text("real/file")).toBe("new");
    // Two names, one file: the session has seen what it wrote.
    expect((await write("real/file", "newer")).isError).toBe(false);
  });

  test("that a link only promises is made where the link points", async () => {
    symlinkSync("not/yet", join(place.project, "link"));
    expect((await write("link", "x")).output).toBe("Created link: 1 line, 1 byte");
    expect(place.text("not/yet")).toBe("x");
    expect(lstatSync(join(place.project, "link")).isSymbolicLink()).toBe(true);
  });

  test("is replaced whole: who has it open still sees the old content", async () => {
    const path = place.put("a", "old content");
    await read("a");
    const before = statSync(path).ino;
    await write("a", "new");
    expect(statSync(path).ino).not.toBe(before);
  });

  test("that is huge, or different in every line, is written without a diff that takes long", async () => {
    const lines = (word: string) =>
      Array.from({ length: 30_000 }, (_, index) => `${word} ${index}`).join("\n");
    place.put("a", lines("a"));
    await read("a");
    const { isError, details } = await write("a", lines("b"));
    expect(isError).toBe(false);
    expect(details["diff"]).toBeUndefined();
  });
});

describe("the form of an existing text", () => {
  const bytes = (path: string) => readFileSync(join(place.project, path));

  test.each([
    ["CRLF", Buffer.from("a\r\nb\r\n"), Buffer.from("c\r\nd\r\n"), "CRLF line endings"],
    ["a byte order mark", Buffer.from("\ufeffa\n"), Buffer.from("\ufeffc\nd\n"), "byte order mark"],
    [
      "UTF-16LE with CRLF",
      Buffer.from("\ufeffa\r\n", "utf16le"),
      Buffer.from("\ufeffc\r\nd\r\n", "utf16le"),
      "UTF-16LE, CRLF line endings",
    ],
    [
      "UTF-16BE",
      Buffer.from("\ufeffa\n", "utf16le").swap16(),
      Buffer.from("\ufeffc\nd\n", "utf16le").swap16(),
      "UTF-16BE",
    ],
    ["Latin-1", Buffer.from("\xe9\n", "latin1"), Buffer.from("c\nd\n"), "Latin-1"],
  ])("%s is kept, and told", async (_name, before, after, kept) => {
    place.put("a", before);
    await read("a");
    const { output, details } = await write("a", "c\nd\n");
    expect(bytes("a").toString("hex")).toBe(after.toString("hex"));
    expect(output).toBe(`Overwrote a: 2 lines, ${after.length} bytes\n[kept: ${kept}]`);
    expect(details).toMatchObject({ kept: kept.split(", "), totalBytes: after.length });
    // What it wrote is what the session knows.
    expect((await write("a", "x")).isError).toBe(false);
  });

  test("that the new text has itself is not doubled, and nothing is told", async () => {
    place.put("a", "\ufeffa\r\n");
    await read("a");
    await write("a", "\ufeffb\r\n");
    expect(place.text("a")).toBe("\ufeffb\r\n");
    place.put("b", "a\n");
    await read("b");
    expect((await write("b", "b\r\n")).output).toBe("Overwrote b: 1 line, 3 bytes");
    expect(place.text("b")).toBe("b\r\n");
  });

  test("that cannot be kept is told", async () => {
    place.put("a", Buffer.from("caf\xe9\r\n", "latin1"));
    await read("a");
    expect((await write("a", "😀\n")).output).toBe(
      "Overwrote a: 1 line, 6 bytes\n[kept: CRLF line endings; not kept: Latin-1 (it has no way to write some character; the file is UTF-8 now)]",
    );
    expect(place.text("a")).toBe("😀\r\n");
    place.put("b", "a\r\nb\n");
    await read("b");
    const { output, details } = await write("b", "c\nd\n");
    expect(output).toBe("Overwrote b: 2 lines, 4 bytes\n[not kept: mixed line endings (all are LF now)]");
    expect(details["notKept"]).toEqual(["mixed line endings (all are LF now)"]);
  });
});

describe("what the session has not seen is never overwritten", () => {
  test("a file that cannot be read, since it is not text", async () => {
    const bytes = Buffer.from("\0\x01\x02", "latin1");
    place.put("a.bin", bytes);
    expect((await write("a.bin", "mine")).output).toBe(
      "write: 'a.bin' exists and is not text (3 bytes): write another file, or remove it first (NOT_READ)",
    );
    expect(place.text("a.bin")).toBe(bytes.toString("latin1"));
  });

  test("a file that was not read", async () => {
    place.put("a", "theirs");
    expect((await write("a", "mine")).output).toBe(
      "write: 'a' exists and was not read in this session: read it first, or use edit (NOT_READ)",
    );
    expect(place.text("a")).toBe("theirs");
  });

  test("an empty file may be filled", async () => {
    place.put("a", "");
    expect((await write("a", "x")).output).toBe("Overwrote a: 1 line, 1 byte");
  });

  test("a file that changed since it was read", async () => {
    place.put("a", "one");
    await read("a");
    place.put("a", "two");
    const line = "write: 'a' changed on disk since it was read: read it again (CHANGED_ON_DISK)";
    expect((await write("a", "mine")).output).toBe(line);
    expect(place.text("a")).toBe("two");
    await read("a");
    expect((await write("a", "mine")).isError).toBe(false);
  });

  test("a change within the same tick, of the same length", async () => {
    const path = place.put("a", "one");
    utimesSync(path, 1, 1);
    await read("a");
    place.put("a", "two");
    utimesSync(path, 1, 1);
    expect((await write("a", "mine")).isError).toBe(true);
  });

  test("a new time stamp alone is no change", async () => {
    const path = place.put("a", "one");
    await read("a");
    utimesSync(path, 1, 1);
    expect((await write("a", "mine")).isError).toBe(false);
  });

  test("what the session wrote itself is known", async () => {
    await write("a", "1");
    expect((await write("a", "2")).isError).toBe(false);
    place.put("a", "3");
    expect((await write("a", "4")).isError).toBe(true);
  });

  test("a file larger than is compared by content is told by its time and size", async () => {
    const path = place.put("big", Buffer.alloc(5 * 1024 * 1024, "a\n"));
    await read("big");
    utimesSync(path, 1, 1);
    expect((await write("big", "x")).output).toContain("(CHANGED_ON_DISK)");
    await read("big");
    expect((await write("big", "x")).isError).toBe(false);
  });

  test("an edit of a file that was never read does not count as having read it", async () => {
    place.put("a", "one two");
    await place.run("edit", { path: "a", edits: [{ old_text: "one", new_text: "1" }] });
    expect((await write("a", "x")).output).toContain("(NOT_READ)");
  });
});

describe("what cannot be written is told in one line", () => {
  test.each([
    ["dir", "write: 'dir' is a directory (EISDIR)"],
    ["new/", "write: 'new' is a directory (EISDIR)"],
    ["file/x", "write: a part of the path 'file/x' is a file, not a directory (ENOTDIR)"],
    ["/dev/null", "write: '/dev/null' is not a regular file (EINVAL)"],
    ["artifact://abc", "write: artifacts can only be read (EROFS)"],
    ["loop", "write: 'loop' goes through a loop of links (ELOOP)"],
    [`${"n".repeat(300)}`, `write: the path '${"n".repeat(100)}…' is too long (ENAMETOOLONG)`],
  ])("%s", async (path, line) => {
    mkdirSync(join(place.project, "dir"));
    place.put("file", "x");
    symlinkSync("loop", join(place.project, "loop"));
    const { output, isError } = await write(path, "x");
    expect({ output, isError }).toEqual({ output: line, isError: true });
    expect(existsSync(join(place.project, "new"))).toBe(false);
  });

  test("a cancelled call writes nothing", async () => {
    const { output } = await place.run("write", { path: "a", content: "x" }, { signal: AbortSignal.abort() });
    expect(output).toBe("write: cancelled (CANCELLED)");
    expect(readdirSync(place.project)).toEqual([]);
  });

  test("a full disk leaves the old content and nothing beside it", async () => {
    // /dev/full cannot be renamed over; a file size limit gives the same kind of failure in a process of its own.
    place.put("a", "old");
    const script = `
      import { fileTools } from ${JSON.stringify(join(import.meta.dir, "../../../src/tools/files/index.ts"))};
      process.on("SIGXFSZ", () => undefined);
      const tools = fileTools({ artifacts: () => undefined, home: "/", searchPath: "", cache: "/" });
      const context = { sessionId: "", cwd: ${JSON.stringify(place.project)}, projectRoot: "/", signal: new AbortController().signal, onUpdate() {} };
      const tool = (name) => tools.find((each) => each.name === name);
      await tool("read").run({ path: "a" }, context);
      try {
        await tool("write").run({ path: "a", content: "x".repeat(5_000_000) }, context);
      } catch (error) {
        console.log(error.message);
      }`;
    const child = Bun.spawnSync(
      ["bash", "-c", 'ulimit -f 1000; exec "$0" -e "$1"', process.execPath, script],
      {
        cwd: place.project,
        env: { PATH: process.env["PATH"], HOME: place.home },
      },
    );
    expect(child.stdout.toString()).toBe("write: 'a' cannot be written (EFBIG)\n");
    expect(readFileSync(join(place.project, "a"), "utf8")).toBe("old");
    expect(readdirSync(place.project)).toEqual(["a"]);
  });
});
