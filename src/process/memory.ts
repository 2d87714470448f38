/** How much memory a process has, and how much of it is its own. Linux tells; elsewhere that is not known. */

/** Undefined when it has ended, or is not ours to look at. */
export async function memoryOf(pid: number) {
  const rollup = await Bun.file(`/proc/${pid}/smaps_rollup`)
    .text()
    .catch(() => "");
  const bytes = (name: string) =>
    [...rollup.matchAll(new RegExp(`^${name}:\\s+(\\d+) kB$`, "gm"))].reduce(
      (sum, [, kilobytes]) => sum + Number(kilobytes) * 1024,
      0,
    );
  const residentBytes = bytes("Rss");
  if (residentBytes === 0) return undefined;
  return { residentBytes, privateBytes: bytes("Private_(?:Clean|Dirty)"), proportionalBytes: bytes("Pss") };
}
