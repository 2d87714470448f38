/** Says how far something has got that fills a directory: on a terminal in one line that changes, elsewhere now and then. */

import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

const TERMINAL_EVERY_MS = 1_000;
const ELSEWHERE_EVERY_MS = 15_000;
/** After this long without anything new it says so. */
const STALLED_AFTER_MS = 10_000;

/** @param {{ what: string, directory: string, sizeMb: number }} options */
export function showProgress({ what, directory, sizeMb }) {
  const { stderr } = process;
  const begun = Date.now();
  let last = { mb: 0, at: begun };
  stderr.write(`omp set-up: installing ${what} (once; about ${sizeMb} MB)\n`);
  const timer = setInterval(
    () => {
      const [mb, now] = [Math.round(sizeOf(directory) / 1e6), Date.now()];
      if (mb !== last.mb) last = { mb, at: now };
      const line = progressLine({
        what,
        mb,
        sizeMb,
        seconds: (now - begun) / 1000,
        stalledMs: now - last.at,
      });
      stderr.write(stderr.isTTY ? `\r\x1b[K${line.slice(0, (stderr.columns || 80) - 1)}` : `${line}\n`);
    },
    stderr.isTTY ? TERMINAL_EVERY_MS : ELSEWHERE_EVERY_MS,
  );
  return {
    end: () => {
      clearInterval(timer);
      if (stderr.isTTY) stderr.write("\r\x1b[K");
    },
  };
}

/** @param {{ what: string, mb: number, sizeMb: number, seconds: number, stalledMs: number }} state */
export function progressLine({ what, mb, sizeMb, seconds, stalledMs }) {
  const stalled = stalledMs < STALLED_AFTER_MS ? "" : ` (nothing new for ${Math.round(stalledMs / 1000)} s)`;
  return `omp set-up: ${what}: ${mb} of about ${sizeMb} MB, ${Math.round(seconds)} s${stalled}`;
}

/** In bytes. Files come and go while it looks. */
function sizeOf(directory) {
  let size = 0;
  const waiting = [directory];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const entry of entriesOf(next)) {
      const path = join(next, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      else size += lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
    }
  }
  return size;
}

function entriesOf(directory) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
