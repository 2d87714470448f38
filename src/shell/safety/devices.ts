/** Device files: which of them hold somebody's disk. */

import { unknown } from "./marks.ts";
import { absolutePaths } from "./paths.ts";

const disk = new RegExp(
  `^/dev/(([shv]d|xvd)([a-z${unknown}]|$)|nvme|mmcblk|r?disk|md\\d|dm-|mapper/|sr\\d|nbd\\d|zd\\d|zvol/|pmem|loop\\d|mtdblock|mem$|kmem$)`,
);
const harmless =
  /^\/dev\/(null|zero|full|random|urandom|std(in|out|err)|tty[^/]*|console|fd\/.*|pts\/.*|shm(\/.*)?|kmsg|ptmx|dsp|snd\/.*|tcp\/.*|udp\/.*|input\/.*|video\d*)$/;

export function diskOf(field: string, directories: readonly string[]): string | undefined {
  return absolutePaths(field, directories).find((path) => disk.test(path));
}

/** Anything under /dev that is not known to be harmless: for programs that write raw bytes. */
export function deviceOf(field: string, directories: readonly string[]): string | undefined {
  return absolutePaths(field, directories).find((path) => path.startsWith("/dev/") && !harmless.test(path));
}
