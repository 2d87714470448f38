/** Commands that overwrite disks: making file systems, raw writes, partition tables. */

import type { Found } from "./danger-rules.ts";
import type { FollowedCommand } from "./follow.ts";
import { plainText, unknown } from "./marks.ts";
import { hasOption, optionsOf, programName } from "./options.ts";
import { absolutePaths } from "./paths.ts";

/** Device files that hold somebody's disk. */
const DISK = new RegExp(
  `^/dev/(([shv]d|xvd)([a-z${unknown}]|$)|nvme|mmcblk|r?disk|md\\d|dm-|mapper/|sr\\d|nbd\\d|zd\\d|zvol/|pmem|loop\\d|mtdblock|mem$|kmem$)`,
);
/** Anything under /dev that is not known to be harmless: for programs that write raw bytes. */
const DEVICE =
  /^\/dev\/(?!(null|zero|full|random|urandom|std(in|out|err)|tty[^/]*|console|fd\/.*|pts\/.*|shm(\/.*)?|kmsg|ptmx|dsp|snd\/.*|tcp\/.*|udp\/.*|input\/.*|video\d*)$)/;
const MAKES_FILE_SYSTEM = /^(mkfs(\..+)?|mke2fs|mkswap|newfs(_.+)?|mkntfs|mkdosfs)$/;

/** Programs that write over a disk named among their operands, when one of these words or options is there; `[]`: always. */
const diskPrograms = new Map<string, readonly string[]>([
  ["shred", []],
  ["truncate", []],
  ["blkdiscard", []],
  ["tee", []],
  ["wipefs", ["-a", "--all", "-o", "--offset"]],
  ["sgdisk", ["-Z", "-z", "-o", "--zap", "--zap-all", "--clear"]],
  ["sfdisk", ["--delete", "--wipe"]],
  ["parted", ["mklabel", "mktable", "mkpart", "rm"]],
  ["cryptsetup", ["luksFormat", "luksErase", "erase", "reencrypt"]],
  ["nvme", ["format", "sanitize"]],
  ["hdparm", ["--security-erase", "--security-erase-enhanced", "--trim-sector-ranges"]],
  ["badblocks", ["-w"]],
  ["diskutil", "eraseDisk eraseVolume zeroDisk randomDisk secureErase partitionDisk reformat".split(" ")],
]);

export function destroysDisk({ argv, directories, redirections }: FollowedCommand): Found {
  const name = programName(argv[0] ?? "");
  const words = argv.slice(1);
  const isAt = (pattern: RegExp) => (field: string) =>
    absolutePaths(field, directories).find((path) => pattern.test(path));
  if (MAKES_FILE_SYSTEM.test(name)) {
    const { operands } = optionsOf(words, { values: [..."tLNbmUiIEOTJGgRSFCcro"] });
    const target = operands.find((word) => isAt(DEVICE)(word) !== undefined || word.includes(unknown));
    if (target === undefined) return undefined;
    const what = target.includes(unknown) ? "a disk" : plainText(target);
    return { pattern: "format-disk", reason: `${name} would erase ${what}` };
  }
  const opened = redirections.filter(({ operator }) => !operator.startsWith("<") || operator === "<>");
  const [disk] = [
    ...opened.flatMap(({ targets }) => targets).flatMap(isAt(DISK)),
    ...overwritten(name, words).flatMap(isAt(name === "dd" ? DEVICE : DISK)),
  ].filter((path) => path !== undefined);
  if (disk === undefined) return undefined;
  const shown = plainText(disk).replaceAll(unknown, "…");
  return { pattern: "write-disk", reason: `it would overwrite the disk ${shown}` };
}

/** What the program writes to, when it is a disk. */
function overwritten(name: string, words: readonly string[]): readonly string[] {
  if (name === "dd") return words.filter((word) => word.startsWith("of=")).map((word) => word.slice(3));
  if (name === "cp" || name === "install") return optionsOf(words).operands.slice(1);
  const marks = diskPrograms.get(name);
  const isMarked = marks?.length === 0 || words.some((word) => marks?.some((mark) => isMark(word, mark)));
  // `wipefs -n` only says what it would do.
  if (!isMarked || (name === "wipefs" && hasOption(optionsOf(words), "n", "no-act"))) return [];
  return words.map((word) => (name === "diskutil" && /^r?disk\d/.test(word) ? `/dev/${word}` : word));
}

function isMark(word: string, mark: string): boolean {
  const isLetter = /^-\w$/.test(mark) && /^-[A-Za-z]+$/.test(word);
  return word === mark || word.startsWith(`${mark}=`) || (isLetter && word.includes(mark.slice(1)));
}
