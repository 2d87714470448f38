import { expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { RuntimeDirectory } from "../../../src/kernel/local/runtime-directory.ts";
import { temporaryDirectory } from "../../support/home.ts";

const shared = `omp-${process.getuid?.()}`;

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}

/** The id of a process that has ended. */
function deadPid(): number {
  const { pid } = Bun.spawnSync(["true"]);
  return pid;
}

test("is private, and its own for each omp", () => {
  const base = temporaryDirectory();
  const [first, second] = [new RuntimeDirectory([base]), new RuntimeDirectory([base])];
  for (const { path, holdsSockets } of [first, second]) {
    expect(path).toStartWith(join(base, shared, `${process.pid}-`));
    expect([modeOf(path), modeOf(dirname(path)), holdsSockets]).toEqual([0o700, 0o700, true]);
  }
  expect(first.path).not.toBe(second.path);
  const kernels = [first.kernelDirectory("own"), first.kernelDirectory("own")].map(({ files }) => files);
  expect(kernels).toEqual([join(first.path, "k1"), join(first.path, "k2")]);
  expect(kernels.map(modeOf)).toEqual([0o700, 0o700]);
  first.remove();
  expect(existsSync(first.path)).toBe(false);
  expect(existsSync(second.path)).toBe(true);
  second.remove();
  expect(readdirSync(base)).toEqual([]);
});

test("closes a shared directory that others could enter", () => {
  const base = temporaryDirectory();
  mkdirSync(join(base, shared));
  chmodSync(join(base, shared), 0o755);
  new RuntimeDirectory([base]);
  expect(modeOf(join(base, shared))).toBe(0o700);
});

test("sweeps what omps that are no more left, and nothing else", () => {
  const base = temporaryDirectory();
  const dead = deadPid();
  const names = [`${dead}-abcdef`, `${process.pid}-living`, `${process.ppid}-living`, "notes", "-1-x", "0-x"];
  for (const name of names) {
    mkdirSync(join(base, shared, name, "k1"), { recursive: true });
    writeFileSync(join(base, shared, name, "k1", "kernel.json"), "{}");
  }
  const { path } = new RuntimeDirectory([base]);
  const left = readdirSync(join(base, shared)).filter((name) => !path.endsWith(name));
  expect(left.sort()).toEqual(names.slice(1).sort());
});

test("goes beside a shared directory that is not one, and removes what it made there", () => {
  for (const squat of [
    (path: string) => writeFileSync(path, ""),
    (path: string) => symlinkSync(temporaryDirectory(), path),
  ]) {
    const base = temporaryDirectory();
    squat(join(base, shared));
    const directory = new RuntimeDirectory([base]);
    expect(dirname(directory.path)).toBe(base);
    expect(modeOf(directory.path)).toBe(0o700);
    directory.remove();
    expect(readdirSync(base)).toEqual([shared]);
  }
});

test("takes the next base when one is missing, no directory, or too long for sockets", () => {
  const base = temporaryDirectory();
  const [long, file, good] = [join(base, "x".repeat(60)), join(base, "file"), join(base, "good")];
  mkdirSync(long);
  mkdirSync(good);
  writeFileSync(file, "");
  const { path, holdsSockets } = new RuntimeDirectory([join(base, "missing"), long, file, good]);
  expect([path.startsWith(good), holdsSockets]).toEqual([true, true]);
});

test("takes a long one when there is no other, and says that sockets do not fit", () => {
  const long = join(temporaryDirectory(), "x".repeat(60));
  mkdirSync(long);
  const { path, holdsSockets } = new RuntimeDirectory([long]);
  expect([path.startsWith(long), holdsSockets]).toEqual([true, false]);
});

test("takes a base that is a link to a directory, as /tmp is on some systems", () => {
  const base = temporaryDirectory();
  const link = join(base, "link");
  mkdirSync(join(base, "real"));
  symlinkSync(join(base, "real"), link);
  expect(new RuntimeDirectory([link, base]).path).toStartWith(link);
});
