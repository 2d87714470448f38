import { describe, expect, test } from "bun:test";
import { FileList } from "../../../src/ui/complete/file-list.ts";
import { Best, FileSearch, type FileSearchResult } from "../../../src/ui/complete/file-search.ts";
import { fuzzyScore } from "../../../src/ui/complete/fuzzy.ts";
import { PathTable, prepareQuery } from "../../../src/ui/complete/path-table.ts";

function tableOf(paths: readonly string[]): PathTable {
  const table = new PathTable();
  for (const path of paths) table.add(path);
  return table;
}

async function last(results: AsyncIterable<FileSearchResult>): Promise<FileSearchResult | undefined> {
  let latest: FileSearchResult | undefined;
  for await (const result of results) latest = result;
  return latest;
}

async function paths(results: AsyncIterable<FileSearchResult>): Promise<string[]> {
  return (await last(results))?.matches.map(({ path }) => path) ?? [];
}

const many = Array.from(
  { length: 20_000 },
  (_, at) => `packages/p${at % 37}/src/${["editor", "kernel", "Shell", "größe"][at % 4]}/file-${at}.ts`,
);

describe("the table", () => {
  test("gives back what was put in, in any script", () => {
    const names = ["a", "src/größe/日本語.ts", "x".repeat(100_000), "dir/"];
    const table = tableOf(names);
    expect(names.map((_, at) => table.at(at))).toEqual(names);
  });

  test("its rough pass finds exactly what the exact one finds", () => {
    const table = tableOf(many);
    for (const query of ["kern", "p3edit", "größe", "S19", "SHELL", "file-19999.ts", "zzz", "/", "tsx"]) {
      const prepared = prepareQuery(query);
      const rough = many.filter((_, at) => table.score(at, prepared) >= 0);
      expect(rough).toEqual(many.filter((path) => fuzzyScore(query, path) !== undefined));
    }
  });
});

describe("searching", () => {
  test("finds the best few and counts the rest", async () => {
    const result = await last(new FileSearch(tableOf(many)).search("file-777", { limit: 3 }));
    expect(result?.matches[0]?.path).toBe("packages/p0/src/kernel/file-777.ts");
    expect(result?.matches.length).toBe(3);
    expect(result?.total).toBe(many.filter((path) => fuzzyScore("file-777", path) !== undefined).length);
    expect(result?.isComplete).toBe(true);
  });

  test("letter by letter finds the same as all at once, and after a correction too", async () => {
    const search = new FileSearch(tableOf(many));
    for (const query of ["k", "ke", "ker7", "ker77", "ker7", "kerX", "s", "sh"]) {
      const narrowed = await paths(search.search(query));
      expect(narrowed).toEqual(await paths(new FileSearch(tableOf(many)).search(query)));
    }
  });

  test("lets go of the thread between slices, and stops when it is told to", async () => {
    const abort = new AbortController();
    const results: FileSearchResult[] = [];
    let turns = 0;
    const count = setInterval(() => turns++, 0);
    for await (const result of new FileSearch(tableOf(many)).search("e", {
      sliceMs: 0,
      signal: abort.signal,
    })) {
      results.push(result);
      if (turns > 2) abort.abort();
    }
    clearInterval(count);
    expect(turns).toBeGreaterThan(2);
    expect(results.every(({ isComplete }) => !isComplete)).toBe(true);
  });

  test("a search that was stopped does not spoil the next", async () => {
    const search = new FileSearch(tableOf(many));
    const abort = new AbortController();
    for await (const _ of search.search("k", { sliceMs: 0, signal: abort.signal })) abort.abort();
    expect(await paths(search.search("ke"))).toEqual(await paths(new FileSearch(tableOf(many)).search("ke")));
  });

  test("paths that came after the last search are found by the next", async () => {
    const table = tableOf(["kernel.ts"]);
    const search = new FileSearch(table);
    expect(await paths(search.search("ke"))).toEqual(["kernel.ts"]);
    table.add("keymap.ts");
    expect(await paths(search.search("key"))).toEqual(["keymap.ts"]);
  });

  test("without letters it shows the shortest paths", async () => {
    expect(await paths(new FileSearch(tableOf(["a/b/c.ts", "x.ts", "a/"])).search(""))).toEqual([
      "a/",
      "x.ts",
      "a/b/c.ts",
    ]);
  });
});

test("the best of many are the same that sorting would give", () => {
  const values = Array.from({ length: 1_000 }, (_, at) => (at * 7_919) % 1_009);
  const best = new Best(10, (a, b) => a < b);
  for (const value of values) best.offer(value);
  expect([...best.items()].sort((a, b) => b - a)).toEqual([...values].sort((a, b) => b - a).slice(0, 10));
});

async function* each(items: readonly string[]): AsyncGenerator<string> {
  yield* items;
}

describe("the list", () => {
  test("reads nothing before it is used, and knows directories too", async () => {
    let readings = 0;
    const list = new FileList({
      source: () => {
        readings++;
        return each(["src/ui/app.tsx", "src/ui/theme.ts", "README.md"]);
      },
    });
    expect([list.state, readings]).toEqual([{ kind: "idle" }, 0]);
    expect(await paths(list.search("src"))).toEqual(["src/", "src/ui/", "src/ui/app.tsx", "src/ui/theme.ts"]);
    expect([list.state, readings]).toEqual([{ kind: "ready", count: 5, isCut: false }, 1]);
    expect(await paths(list.search("read"))).toEqual(["README.md"]);
    expect(readings).toBe(1);
  });

  test("is searched while it fills", async () => {
    const gate = Promise.withResolvers<void>();
    const list = new FileList({
      async *source() {
        yield "first.ts";
        await gate.promise;
        yield "second-first.ts";
      },
    });
    const seen: [number, boolean][] = [];
    for await (const { total, isComplete } of list.search("first")) {
      seen.push([total, isComplete]);
      if (total === 1) gate.resolve();
    }
    expect(seen).toContainEqual([1, false]);
    expect(seen.at(-1)).toEqual([2, true]);
  });

  test("is read anew when it is old; until then the old one answers", async () => {
    let now = 0;
    let files = ["old.ts"];
    const list = new FileList({ source: () => each(files), maxAgeMs: 1_000, now: () => now });
    expect(await paths(list.search("ts"))).toEqual(["old.ts"]);
    files = ["old.ts", "new.ts"];
    now = 1_500;
    expect(await paths(list.search("ts"))).toEqual(["old.ts"]);
    await list.settled();
    expect((await paths(list.search("ts"))).sort()).toEqual(["new.ts", "old.ts"]);
  });

  test("is bounded, and says that it was cut", async () => {
    const list = new FileList({ source: () => each(many.map((_, at) => `${at}.ts`)), maxPaths: 100 });
    list.warmUp();
    await list.settled();
    expect(list.state).toEqual({ kind: "ready", count: 100, isCut: true });
  });

  test("a source that fails leaves what came, and says why", async () => {
    const list = new FileList({
      async *source() {
        yield "a.ts";
        throw new Error("rg is missing");
      },
    });
    expect(await paths(list.search("a"))).toEqual(["a.ts"]);
    expect(list.state).toEqual({ kind: "failed", count: 1, problem: "rg is missing" });
  });

  test("closing it stops its source", async () => {
    const aborted = Promise.withResolvers<string>();
    const list = new FileList({
      async *source(signal) {
        yield "a.ts";
        if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
        aborted.resolve("aborted");
      },
    });
    list.warmUp();
    list.close();
    expect(await aborted.promise).toBe("aborted");
  });
});
