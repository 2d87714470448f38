/** Directories that nobody means to delete: which of them a path, with wildcards perhaps, reaches. */

import { anyCharacter, anyText, openSet, plainText, unknown } from "./marks.ts";
import { absolutePaths, segmentsOf } from "./paths.ts";

/** Without these the machine does not start, or nobody can work on it. */
const vital = (
  "/bin /boot /dev /etc /home /lib /lib32 /lib64 /libx32 /proc /sbin /sys /usr /usr/bin /usr/lib " +
  "/usr/lib32 /usr/lib64 /usr/libexec /usr/sbin /usr/share /var /var/lib /nix /nix/store /Applications " +
  "/Library /System /Users /private /private/etc /private/var"
).split(" ");

/** Everything in them is somebody's, though the machine would go on. */
const valuable = [
  ..."/mnt /media /opt /root /run /srv /usr/local /Volumes /snap".split(" "),
  ...[..."abcdefghijklmnopqrstuvwxyz"].map((drive) => `/mnt/${drive}`),
];

/** Their plain files alone are worth as much as the directories. */
const vitalFiles = "/bin /boot /etc /lib /lib64 /sbin /usr/bin /usr/lib /usr/lib64 /usr/sbin".split(" ");

const isPattern = new RegExp(`[${anyText}${anyCharacter}${openSet}]`);

export interface Reach {
  /** The path as people know it: `/`, `/etc`, `~`. */
  readonly path: string;
  /** `contents`: by a wildcard, what is in it. */
  readonly part: "whole" | "contents";
  readonly kind: "root" | "vital" | "valuable" | "home" | "above-home";
  /** Deleting even its plain files is a disaster. */
  readonly vitalFiles: boolean;
}

interface Place {
  readonly directories: readonly string[];
  readonly home: string;
}

/** The protected directory that a field leads to from one of the directories. */
export function reachOf(field: string, place: Place): Reach | undefined {
  for (const path of absolutePaths(field, place.directories)) {
    if (!path.startsWith("/")) continue;
    const reach = reachOfSegments(segmentsOf(path), place);
    if (reach !== undefined) return reach;
  }
  return undefined;
}

function reachOfSegments(segments: readonly string[], place: Place): Reach | undefined {
  const last = segments.at(-1);
  if (last !== undefined && matchesAnything(last)) {
    const parent = protectedPath(segments.slice(0, -1), place);
    if (parent !== undefined) return { ...parent, part: "contents" };
  }
  const whole = protectedPath(segments, place);
  return whole === undefined ? undefined : { ...whole, part: "whole" };
}

const listed: readonly { readonly segments: readonly string[]; readonly found: Omit<Reach, "part"> }[] = [
  ...vital.map((path) => ({ path, kind: "vital" as const, vitalFiles: vitalFiles.includes(path) })),
  ...valuable.map((path) => ({ path, kind: "valuable" as const, vitalFiles: false })),
].map((found) => ({ segments: segmentsOf(found.path), found }));
const findListed = (segments: readonly string[]) =>
  listed.find((each) => matches(segments, each.segments))?.found;

function protectedPath(
  segments: readonly string[],
  { home, directories }: Place,
): Omit<Reach, "part"> | undefined {
  if (segments.length === 0) return { path: "/", kind: "root", vitalFiles: false };
  // A home that is the root directory, as containers have it, protects nothing more.
  const ownHome = segmentsOf(home);
  if (ownHome.length > 0 && matches(segments, ownHome)) return { path: "~", kind: "home", vitalFiles: false };
  if (segments.length < ownHome.length && matches(segments, ownHome.slice(0, segments.length))) {
    const above = ownHome.slice(0, segments.length);
    return findListed(above) ?? { path: `/${above.join("/")}`, kind: "above-home", vitalFiles: false };
  }
  const found = findListed(segments);
  if (found !== undefined) return found;
  // Somebody's home; not where the shell stands, for that is a project in an unusual place.
  const [first = "", second = ""] = segments;
  const isHere = directories.some((directory) => `${directory}/`.startsWith(`/${segments.join("/")}/`));
  const isHome = segments.length === 2 && !second.includes(unknown) && !isHere;
  if (isHome && (matches([first], ["home"]) || matches([first], ["Users"]))) {
    return { path: `/${plainText(segments.join("/"))}`, kind: "valuable", vitalFiles: false };
  }
  return undefined;
}

/** `*`, `.*`, `.??*`, `[!.]*` and their like: nearly all names match. */
function matchesAnything(segment: string): boolean {
  return segment.includes(anyText) && /^\.?(\[[!^][^\]]*\]|\[[^\]]*\]|\?)*\**$/.test(shapeOf(segment));
}

function matches(segments: readonly string[], names: readonly string[]): boolean {
  return (
    segments.length === names.length &&
    segments.every((segment, index) => segmentMatches(segment, names[index] ?? ""))
  );
}

function segmentMatches(segment: string, name: string): boolean {
  if (segment === name) return true;
  if (!isPattern.test(segment) || segment.length > 64) return false;
  // A star does not match names that begin with a dot.
  if (name.startsWith(".") && !segment.startsWith(".")) return false;
  return new Bun.Glob(shapeOf(segment)).match(name);
}

/** The pattern as it is written, where what has no meaning in it cannot get one. */
function shapeOf(segment: string): string {
  return plainText(segment.replace(/[*?{}\\]|^!|\[/g, "\\$&"));
}
