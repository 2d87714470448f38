/** Commands that overwrite disks: making file systems, raw writes, partition tables. */

import type { DangerPattern } from "./danger-rules.ts";
import { deviceOf, diskOf } from "./devices.ts";
import type { FollowedCommand } from "./follow.ts";
import { plainText, unknown } from "./marks.ts";
import { hasOption, optionsOf, programName } from "./options.ts";

type Found = { readonly pattern: DangerPattern; readonly reason: string } | undefined;

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
  [
    "diskutil",
    ["eraseDisk", "eraseVolume", "zeroDisk", "randomDisk", "secureErase", "partitionDisk", "reformat"],
  ],
]);

export function destroysDisk(command: FollowedCommand): Found {
  const { argv, directories, redirections } = command;
  for (const { operator, targets } of redirections) {
    const disk = operator.startsWith("<") && operator !== "<>" ? undefined : firstDisk(targets, directories);
    if (disk !== undefined) return writes(disk);
  }
  const name = programName(argv[0] ?? "");
  const words = argv.slice(1);
  if (/^(mkfs(\..+)?|mke2fs|mkswap|newfs(_.+)?|mkntfs|mkdosfs)$/.test(name))
    return formats(name, words, directories);
  if (name === "dd") {
    for (const word of words) {
      const device = word.startsWith("of=") ? deviceOf(word.slice(3), directories) : undefined;
      if (device !== undefined) return writes(device);
    }
    return undefined;
  }
  if (name === "cp" || name === "install") {
    const disk = firstDisk(optionsOf(words).operands.slice(1), directories);
    return disk === undefined ? undefined : writes(disk);
  }
  const marks = diskPrograms.get(name);
  if (marks === undefined) return undefined;
  if (marks.length > 0 && !words.some((word) => isMark(word, marks))) return undefined;
  // `wipefs -n` only says what it would do.
  if (name === "wipefs" && hasOption(optionsOf(words), "n", "no-act")) return undefined;
  const disk = firstDisk(name === "diskutil" ? words.map(inDev) : words, directories);
  return disk === undefined ? undefined : writes(disk);
}

function formats(name: string, words: readonly string[], directories: readonly string[]): Found {
  const { operands } = optionsOf(words, { values: [..."tLNbmUiIEOTJGgRSFCcro"] });
  const images = operands.filter(
    (word) => deviceOf(word, directories) === undefined && !word.includes(unknown),
  );
  if (images.length === operands.length) return undefined;
  const device = operands.find((word) => !images.includes(word));
  const what = device === undefined || device.includes(unknown) ? "a disk" : plainText(device);
  return { pattern: "format-disk", reason: `${name} would erase ${what}` };
}

function isMark(word: string, marks: readonly string[]): boolean {
  return marks.some(
    (mark) =>
      word === mark ||
      word.startsWith(`${mark}=`) ||
      (/^-\w$/.test(mark) && /^-[A-Za-z]+$/.test(word) && word.includes(mark.slice(1))),
  );
}

function firstDisk(fields: readonly string[], directories: readonly string[]): string | undefined {
  for (const field of fields) {
    const disk = diskOf(field, directories);
    if (disk !== undefined) return disk;
  }
  return undefined;
}

function inDev(word: string): string {
  return /^r?disk\d/.test(word) ? `/dev/${word}` : word;
}

function writes(disk: string): Found {
  return {
    pattern: "write-disk",
    reason: `it would overwrite the disk ${plainText(disk).replaceAll(unknown, "…")}`,
  };
}
