import { describe, expect, test } from "bun:test";
import { appendFileSync, closeSync, ftruncateSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { openPagedFile } from "../../../src/ui/pager/paged-file.ts";
import { Pager } from "../../../src/ui/pager/pager.ts";
import { temporaryDirectory } from "../../support/home.ts";
import { MemoryFile } from "./memory-file.ts";

const thousand = Array.from({ length: 1_000 }, (_, at) => `line ${at + 1}\n`).join("");

async function paged(content: string | MemoryFile, size = { rows: 5, columns: 40 }) {
  const file = typeof content === "string" ? new MemoryFile(content) : content;
  const pager = new Pager(file, size);
  await pager.open();
  return pager;
}

function shown({ view }: Pager): string[] {
  return view.rows.map(({ text, line }) => `${line ?? "?"}: ${text}`);
}

describe("moving", () => {
  test("opens at the start with its numbers", async () => {
    const pager = await paged(thousand);
    expect(shown(pager)).toEqual(["1: line 1", "2: line 2", "3: line 3", "4: line 4", "5: line 5"]);
    expect(pager.view.totalLines).toBeUndefined();
  });

  test("by lines and pages, and never beyond an end", async () => {
    const pager = await paged(thousand);
    await pager.indexInBackground();
    const top = async (action: Parameters<Pager["act"]>[0]): Promise<number | undefined> => {
      await pager.act(action);
      return pager.view.rows[0]?.line;
    };
    expect(await top({ kind: "lines", by: 3 })).toBe(4);
    expect(await top({ kind: "pages", by: 2 })).toBe(14);
    expect(await top({ kind: "pages", by: -0.5 })).toBe(12);
    expect(await top({ kind: "lines", by: -1 })).toBe(11);
    expect(await top({ kind: "pages", by: -10 })).toBe(1);
    expect(await top({ kind: "end" })).toBe(996);
    expect(await top({ kind: "pages", by: 1 })).toBe(996);
    expect(pager.view.percent).toBe(100);
    expect(await top({ kind: "start" })).toBe(1);
    expect(await top({ kind: "line", line: 500 })).toBe(500);
    expect(await top({ kind: "line", line: 5_000 })).toBe(996);
    expect(await top({ kind: "line", line: 0 })).toBe(1);
    expect(await top({ kind: "percent", percent: 50 })).toBeGreaterThan(450);
    expect(await top({ kind: "percent", percent: 100 })).toBe(996);
    expect(pager.view.totalLines).toBe(1_000);
  });

  test("to a line needs no finished index", async () => {
    const pager = await paged(thousand);
    await pager.act({ kind: "line", line: 700 });
    expect(shown(pager)[0]).toBe("700: line 700");
  });

  test("the numbers of a far place appear when the index has come there", async () => {
    const pager = await paged("a line\n".repeat(200_000));
    await pager.act({ kind: "end" });
    expect(shown(pager)[0]).toBe("?: a line");
    let changes = 0;
    pager.subscribe(() => changes++);
    await pager.indexInBackground();
    expect(shown(pager)[0]).toBe("199996: a line");
    expect(changes).toBeGreaterThan(0);
  });

  test("sideways, for long lines", async () => {
    const pager = await paged(`${"0123456789".repeat(10)}\nshort\n`, { rows: 2, columns: 10 });
    await pager.act({ kind: "columns", by: 15 });
    expect(pager.view.rows.map(({ text }) => text)).toEqual(["5678901234", ""]);
    await pager.act({ kind: "columns", by: -100 });
    expect(pager.view.rows.map(({ text }) => text)).toEqual(["0123456789", "short"]);
  });

  test("pieces of one long line share its number", async () => {
    const pager = await paged(`first\n${"x".repeat(40_000)}\nlast\n`);
    expect(pager.view.rows.map(({ line, isContinuation }) => [line, isContinuation])).toEqual([
      [1, false],
      [2, false],
      [2, true],
      [2, true],
      [3, false],
    ]);
  });

  test("an empty file is an empty screen", async () => {
    const pager = await paged("");
    for (const kind of ["start", "end"] as const) await pager.act({ kind });
    await pager.act({ kind: "pages", by: 1 });
    expect([pager.view.rows, pager.view.percent]).toEqual([[], 100]);
  });

  test("a new size shows as much as fits", async () => {
    const pager = await paged(thousand);
    await pager.act({ kind: "resize", rows: 2, columns: 4 });
    expect(shown(pager)).toEqual(["1: line", "2: line"]);
  });
});

describe("searching", () => {
  test("goes forth and back, and round the ends", async () => {
    const pager = await paged(thousand);
    await pager.act({ kind: "search", text: "line 50", direction: "forward" });
    const hit = () => [
      pager.view.search?.state,
      pager.view.search?.isWrapped,
      Bun.stripANSI(pager.view.rows[0]?.text ?? ""),
    ];
    expect(hit()).toEqual(["found", false, "line 50"]);
    expect(pager.view.rows[0]?.text).toBe("\x1b[7mline 50\x1b[27m");
    await pager.act({ kind: "next match" });
    expect(hit()).toEqual(["found", false, "line 500"]);
    await pager.act({ kind: "previous match" });
    expect(hit()).toEqual(["found", false, "line 50"]);
    await pager.act({ kind: "previous match" });
    expect(hit()).toEqual(["found", true, "line 509"]);
    await pager.act({ kind: "search", text: "nowhere", direction: "backward" });
    expect(pager.view.search?.state).toBe("not found");
  });

  test("does not move the screen for a match that is on it", async () => {
    const pager = await paged(thousand);
    await pager.act({ kind: "search", text: "line 3", direction: "forward" });
    expect([pager.view.top, pager.view.search?.state]).toEqual([0, "found"]);
  });

  test("moves sideways to a match far in a line", async () => {
    const pager = await paged(`${"x".repeat(500)}needle${"x".repeat(500)}\n`, { rows: 2, columns: 40 });
    await pager.act({ kind: "search", text: "needle", direction: "forward" });
    expect(Bun.stripANSI(pager.view.rows[0]?.text ?? "")).toContain("needle");
    await pager.act({ kind: "search", text: "xxx", direction: "forward" });
    expect(pager.view.search?.state).toBe("found");
  });

  test("says how far it is, a hundred times at most", async () => {
    const pager = await paged("x\n".repeat(20_000_000));
    const shares: number[] = [];
    pager.subscribe(() => {
      if (pager.view.search?.state === "searching") shares.push(pager.view.search.progress);
    });
    await pager.act({ kind: "search", text: "needle", direction: "forward" });
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect(shares.length).toBeGreaterThan(10);
    expect(shares.length).toBeLessThanOrEqual(100);
    expect(pager.view.search?.state).toBe("not found");
  });

  test("ends when another action comes", async () => {
    const pager = await paged("x\n".repeat(4_000_000));
    const search = pager.act({ kind: "search", text: "needle", direction: "forward" });
    const end = pager.act({ kind: "end" });
    await Promise.all([search, end]);
    expect([pager.view.search?.state, pager.view.percent]).toEqual(["cancelled", 100]);
  });
});

describe("a file that changes", () => {
  test("is followed to its new end", async () => {
    const path = join(temporaryDirectory(), "log");
    writeFileSync(path, "one\ntwo\n");
    const pager = new Pager(await openPagedFile(path), { rows: 2, columns: 40 });
    await pager.open();
    await pager.act({ kind: "follow", isOn: true });
    appendFileSync(path, "three\nfo");
    await pager.act({ kind: "refresh" });
    expect(pager.view.rows.map(({ text }) => text)).toEqual(["three", "fo"]);
    appendFileSync(path, "ur\n");
    await pager.act({ kind: "refresh" });
    expect(pager.view.rows.map(({ text }) => text)).toEqual(["three", "four"]);
    await pager.act({ kind: "lines", by: -1 });
    expect(pager.view.isFollowing).toBe(false);
    await pager.close();
  });

  test("that became shorter is shown from its start", async () => {
    const file = new MemoryFile(thousand);
    const pager = await paged(file);
    await pager.act({ kind: "end" });
    file.replace("new\n");
    await pager.act({ kind: "refresh" });
    expect(shown(pager)).toEqual(["1: new"]);
  });

  test("that cannot be read any more is a problem on the screen, and not an exception", async () => {
    const file = new MemoryFile(thousand);
    const pager = await paged(file);
    file.problem = new Error("input/output error");
    file.replace(`${thousand}more`);
    await pager.act({ kind: "refresh" });
    expect(pager.view.problem).toBe("input/output error");
    await pager.indexInBackground();
    await pager.close();
    expect(file.isClosed).toBe(true);
  });
});

test("a file of 5 GB is opened, left to its end and searched there by reading a few megabytes of it", async () => {
  const path = join(temporaryDirectory(), "huge");
  const size = 5_000_000_000;
  const descriptor = openSync(path, "w", 0o600);
  writeSync(descriptor, "first\nsecond\n");
  ftruncateSync(descriptor, size);
  writeSync(descriptor, "\nthe needle\nlast\n", size);
  closeSync(descriptor);
  const real = await openPagedFile(path);
  let bytesRead = 0;
  const pager = new Pager(
    {
      ...real,
      read: async (offset, length) => {
        bytesRead += length;
        return await real.read(offset, length);
      },
    },
    { rows: 20, columns: 40 },
  );
  await pager.open();
  expect(shown(pager)[1]).toBe("2: second");
  await pager.act({ kind: "end" });
  expect(pager.view.rows.slice(-2).map(({ text }) => text)).toEqual(["the needle", "last"]);
  await pager.act({ kind: "search", text: "needle", direction: "forward" });
  expect(pager.view.search?.state).toBe("found");
  await pager.act({ kind: "percent", percent: 50 });
  expect(pager.view.rows.length).toBe(20);
  expect(bytesRead).toBeLessThan(40_000_000);
  await pager.close();
});
