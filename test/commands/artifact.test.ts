import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { runArtifact } from "../../src/commands/artifact.ts";
import { type TestPlace, temporaryPlace } from "../support/home.ts";
import { launcher, omp, userEnvironment } from "../support/omp.ts";

function keep(place: TestPlace, id: string, content: Uint8Array | string): string {
  const directory = join(place.home, ".omp", "agent", "artifacts");
  mkdirSync(directory, { recursive: true });
  const path = join(directory, `${id}.log`);
  writeFileSync(path, content);
  return path;
}

test("the bytes come out as they went in, by id or address", async () => {
  const place = temporaryPlace();
  const bytes = crypto.getRandomValues(new Uint8Array(300_001));
  keep(place, "abc123", bytes);
  for (const id of ["abc123", "artifact://abc123"]) {
    const child = Bun.spawn([launcher, "artifact", id], { env: userEnvironment(place), stdin: "ignore" });
    expect(Buffer.compare(await new Response(child.stdout).bytes(), bytes)).toBe(0);
    expect(await child.exited).toBe(0);
  }
});

test("--path tells where the file is", async () => {
  const place = temporaryPlace();
  const path = keep(place, "abc123", "text");
  expect(await omp(["artifact", "--path", "abc123"], { place })).toEqual({
    exitCode: 0,
    stdout: `${path}\n`,
    stderr: "",
  });
});

test("an unknown id, or one that is a path, is one line and exit 2", async () => {
  const place = temporaryPlace();
  writeFileSync(join(place.home, "secret.log"), "secret");
  for (const id of ["nosuch1", "../../../secret"]) {
    expect(await omp(["artifact", id], { place })).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: `artifact: no artifact '${id}' (ENOENT)\n`,
    });
  }
});

test("a home that cannot be read is one line and exit 1", async () => {
  const place = temporaryPlace();
  mkdirSync(join(place.home, ".omp", "agent"), { recursive: true });
  writeFileSync(join(place.home, ".omp", "agent", "artifacts"), "a file where a directory should be");
  expect(await omp(["artifact", "abc123"], { place })).toEqual({
    exitCode: 1,
    stdout: "",
    stderr: "artifact: cannot print 'abc123' (ENOTDIR)\n",
  });
  const { exitCode, stderr, stdout } = await omp(["tool", "read", '{"path":"artifact://abc123"}'], { place });
  expect({ exitCode, stderr, stdout }).toEqual({
    exitCode: 1,
    stdout: "read: 'artifact://abc123' cannot be read (ENOTDIR)\n",
    stderr: "",
  });
});

test("settings that cannot be read keep nobody from their output", async () => {
  const place = temporaryPlace();
  keep(place, "abc123", "text\n");
  writeFileSync(join(place.home, ".omp", "agent", "omp.jsonc"), "{ broken");
  expect(await omp(["artifact", "abc123"], { place })).toEqual({ exitCode: 0, stdout: "text\n", stderr: "" });
});

test("a reader that has seen enough is no error", async () => {
  const place = temporaryPlace();
  keep(place, "abc123", "0123456789".repeat(1_000_000));
  const script = `{ "$0" artifact abc123; echo "exit $?" >&2; } | head -c 4`;
  const child = Bun.spawn(["sh", "-c", script, launcher], {
    env: userEnvironment(place),
    stdin: "ignore",
    stderr: "pipe",
  });
  expect(await new Response(child.stdout).text()).toBe("0123");
  expect(await new Response(child.stderr).text()).toBe("exit 0\n");
});

test("a slow reader is waited for, one chunk at a time", async () => {
  const place = temporaryPlace();
  keep(place, "abc123", Buffer.alloc(1_000_000, "x"));
  let waiting = 0;
  let mostWaiting = 0;
  let total = 0;
  const output = new Writable({
    highWaterMark: 1,
    write(chunk: Buffer, _encoding, done) {
      waiting = output.writableLength;
      mostWaiting = Math.max(mostWaiting, waiting);
      total += chunk.length;
      setImmediate(done);
    },
  });
  const io = { stdout: (_: string) => undefined, stderr: (_: string) => undefined };
  const env = { HOME: place.home };
  expect(await runArtifact({ id: "abc123", output }, io, { env, cwd: place.project })).toBe(0);
  expect({ total, mostWaiting }).toEqual({ total: 1_000_000, mostWaiting: 65_536 });
});

test("output that cannot be written is one line and exit 1", async () => {
  const place = temporaryPlace();
  keep(place, "abc123", "text");
  const full = Object.assign(new Error("no space"), { code: "ENOSPC" });
  const output = new Writable({ write: (_chunk, _encoding, done) => done(full) });
  output.on("error", () => undefined);
  let stderr = "";
  const io = {
    stdout: (_: string) => undefined,
    stderr: (text: string) => {
      stderr += text;
    },
  };
  const env = { HOME: place.home };
  expect(await runArtifact({ id: "abc123", output }, io, { env, cwd: place.project })).toBe(1);
  expect(stderr).toBe("artifact: cannot print 'abc123' (ENOSPC)\n");
});
