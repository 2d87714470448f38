import { describe, expect, test } from "bun:test";
import { findDanger } from "../../../src/shell/safety/find-danger.ts";
import { readLiveShell } from "../../../src/shell/safety/live-shell.ts";
import allowed from "./allowed-commands.json";
import blocked from "./blocked-commands.json";

const place = { home: "/home/ann", cwd: "/home/ann/project" };

for (const [title, commands] of Object.entries(blocked)) {
  describe(`blocked: ${title}`, () => {
    test.each(commands)("%j", async (command) => {
      expect(await findDanger(command, place)).toBeDefined();
    });
  });
}

for (const [title, commands] of Object.entries(allowed)) {
  describe(`allowed: ${title}`, () => {
    test.each(commands)("%j", async (command) => {
      expect(await findDanger(command, place)).toBeUndefined();
    });
  });
}

describe("the answer says what, why and where", () => {
  test.each([
    [
      "cd src; sudo rm -rf /*",
      {
        pattern: "recursive-delete",
        reason: "it would delete everything in /",
        excerpt: "sudo rm -rf /*",
      },
    ],
    [
      "rm   -rf\t~",
      {
        pattern: "recursive-delete",
        reason: "it would delete your home directory",
        excerpt: "rm -rf ~",
      },
    ],
    [
      "find /etc -delete",
      {
        pattern: "recursive-delete",
        reason: "it would delete everything below /etc",
        excerpt: "find /etc -delete",
      },
    ],
    [
      "chmod -R 777 /",
      {
        pattern: "recursive-permissions",
        reason: "it would change the permissions of all of /",
        excerpt: "chmod -R 777 /",
      },
    ],
    [
      "chown -R me /usr",
      {
        pattern: "recursive-permissions",
        reason: "it would change the owner of all of /usr",
        excerpt: "chown -R me /usr",
      },
    ],
    ["mv /etc /tmp", { pattern: "move-system", reason: "it would move /etc away", excerpt: "mv /etc /tmp" }],
    [
      "mkfs.ext4 /dev/sda1",
      {
        pattern: "format-disk",
        reason: "mkfs.ext4 would erase /dev/sda1",
        excerpt: "mkfs.ext4 /dev/sda1",
      },
    ],
    [
      "ls > /dev/sda",
      { pattern: "write-disk", reason: "it would overwrite the disk /dev/sda", excerpt: "ls" },
    ],
    [
      ":(){ :|:& };:",
      {
        pattern: "fork-bomb",
        reason: "it is a fork bomb: a function that starts itself without end",
        excerpt: ":(){ :|:& }",
      },
    ],
    [
      "rm -rf / )",
      {
        pattern: "recursive-delete",
        reason: "it would delete /",
        excerpt: "rm -rf /",
      },
    ],
    [
      "x ( ) ) 'rm -rf /' ",
      {
        pattern: "recursive-delete",
        reason: "it would delete /, as far as a text that is not valid shell can tell",
        excerpt: "'rm -rf /'",
      },
    ],
  ])("%s", async (command, danger) => {
    expect(await findDanger(command, place)).toEqual<unknown>(danger);
  });

  test("an excerpt is one line of bearable length", async () => {
    const danger = await findDanger(`rm -rf / ${"x".repeat(500)}\\\n y`, place);
    expect(danger?.excerpt).toBe(`rm -rf / ${"x".repeat(110)}…`);
  });
});

describe("where the home is decides", () => {
  test.each([
    ["rm -rf /data", "/data/users/ann", "/data/users/ann/p", true],
    ["rm -rf /data/users", "/data/users/ann", "/data/users/ann/p", true],
    ["rm -rf /data/users/bob", "/data/users/ann", "/data/users/ann/p", false],
    ["rm -rf ..", "/data/users/ann", "/data/users/ann/p", true],
    ["rm -rf ..", "/data/users/ann", "/data/users/ann/p/q", false],
    ["rm -rf *", "/data/users/ann", "/data/users/ann", true],
    ["rm -rf .", "/data/users/ann", "/data/users/ann", true],
    ["rm -rf *", "/data/users/ann", "/", true],
    ["rm -rf dist", "/data/users/ann", "/data/users/ann", false],
    ["rm -rf etc", "/data/users/ann", "/", true],
    ["rm -rf ~/x", "/", "/work", false],
    ["rm -rf x/*", "/", "/", false],
    ["rm -rf ~/.*", "/home/.ann", "/", true],
  ])("%s with home %s in %s: %p", async (command, home, cwd, isDanger) => {
    expect((await findDanger(command, { home, cwd })) !== undefined).toBe(isDanger);
  });
});

describe("what the shell's variables hold decides", () => {
  const shell = readLiveShell("", { DIR: "build", EVIL: "/", SPLIT: "-rf /", EMPTY: "" });

  test.each([
    ['rm -rf "$DIR"/*', false],
    ['rm -rf "$DIR/bin"', false],
    ['rm -rf "$UNSET"/*', true],
    ['rm -rf "$EMPTY"/*', true],
    ['rm -rf "$UNSET/bin"', true],
    ['rm -rf "$UNSET"', false],
    ['rm -rf "$\u007BUNSET:-build}"/*', false],
    ['rm -rf "$EVIL"', true],
    ["rm $SPLIT", true],
    ['rm "$SPLIT"', false],
    ["cd $UNSET && rm -rf *", true],
    ["cd $DIR && rm -rf *", false],
    ["rm -rf /opt/$UNSET", true],
    ["rm -rf /opt/$DIR", false],
    ["EVIL=x; rm -rf $EVIL/bin", false],
  ])("%s: %p", async (command, isDanger) => {
    expect((await findDanger(command, { ...place, shell })) !== undefined).toBe(isDanger);
  });
});
