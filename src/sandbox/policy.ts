/**
 * What programs in a sandbox may write and read, as a list of places; how that is enforced is up to bubblewrap.ts and seatbelt.ts.
 * Everything that is not listed can be read and not written.
 */

import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { attempt } from "../protocol/index.ts";
import { gitPlaces } from "./git-places.ts";

export type SandboxMode = "workspace" | "read-only";

export interface SandboxPolicy {
  readonly mode: SandboxMode;
  readonly projectRoot: string;
  /** The user's home. */
  readonly home: string;
  /** Allowed by the user's settings, in addition to the project. */
  readonly allowedPaths: readonly string[];
  /** omp's own directory: logs, keys, what the user has trusted. */
  readonly ompHome: string;
  /** What programs must be able to read, wherever it is: the interpreter, the shell's snapshot, modules. */
  readonly readable: readonly string[];
  /** The directory that programs see as /tmp. */
  readonly temporaryDirectory: string;
}

/** Later ones are inside earlier ones, and cover them there. */
export interface Place {
  readonly kind: "write" | "read" | "hide";
  /** As programs see it. */
  readonly path: string;
  /** What is shown there, if something else. */
  readonly from?: string;
}

/** Where keys are usually kept, in the home. */
const KEY_PLACES = [
  ...[".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".netrc", ".git-credentials", ".pypirc"],
  ...[".password-store", ".config/gcloud", ".config/gh", ".config/op", ".local/share/keyrings"],
];

/** What omp runs and obeys of a project once it is trusted. */
const OBEYED = [".omp", ".mcp.json", ".claude/agents"];

/** Sockets of the user's session and of the system's services. */
const SOCKET_PLACES = ["/run", "/var/run"];
/** Programs of some systems are found through these. */
const RUN_PLACES = ["/run/current-system", "/run/wrappers", "/run/opengl-driver", "/run/systemd/resolve"];
const TMP = "/tmp";

export function placesOf(policy: SandboxPolicy): Place[] {
  const { mode, home, ompHome, temporaryDirectory } = policy;
  const hide = [...KEY_PLACES.map((name) => join(home, name)), join(ompHome, "agent"), ...SOCKET_PLACES];
  const places = arrange([
    ...hide.map((path): Place => ({ kind: "hide", path })),
    { kind: "write", path: TMP, from: temporaryDirectory },
    { kind: "write", path: temporaryDirectory },
    ...(mode === "workspace"
      ? workspacePlaces(policy)
      : [{ kind: "read", path: policy.projectRoot } as const]),
  ]);
  // A home in /tmp is still the home.
  return withReadable(places, [...RUN_PLACES, home, ...policy.readable]);
}

/** Adds what would not be there otherwise. What can be seen stays as it is: an environment in the project may be written. */
export function withReadable(places: readonly Place[], readable: readonly string[]): Place[] {
  const missing = arrange(readable.map((path): Place => ({ kind: "read", path }))).filter(({ path }) => {
    const governing = governs(places, path);
    return governing?.kind === "hide" || governing?.from !== undefined;
  });
  return arrange([...missing, ...places]);
}

export function withWritable(places: readonly Place[], writable: readonly string[]): Place[] {
  return arrange([...places, ...writable.map((path): Place => ({ kind: "write", path }))]);
}

/** The innermost place that a path is in; undefined where nothing special holds. */
export function governs(places: readonly Place[], path: string): Place | undefined {
  return places.findLast((place) => isInside(path, place.path));
}

function workspacePlaces({ projectRoot, allowedPaths, ompHome }: SandboxPolicy): Place[] {
  const git = gitPlaces(projectRoot);
  const written = [projectRoot, ...git.writable, ...allowedPaths];
  // What omp and git would run or obey the next time.
  const kept = [
    ...OBEYED.map((name) => join(projectRoot, name)),
    ...git.kept,
    join(ompHome, "settings.json"),
    join(ompHome, "agent"),
  ];
  return [
    ...written.map((path): Place => ({ kind: "write", path })),
    ...kept.filter((path) => written.some((place) => isInside(path, place))).map(keep),
  ];
}

function keep(path: string): Place {
  return { kind: path.endsWith(`${sep}agent`) ? "hide" : "read", path };
}

/** Only what exists, by its real name, parents first; of two places with the same name the later one counts. */
function arrange(all: readonly Place[]): Place[] {
  const byPath = new Map<string, Place>();
  for (const place of all) {
    const path = realPath(place.path);
    if (path !== undefined) byPath.set(path, { ...place, path });
  }
  return [...byPath.values()].sort((a, b) => (depthFirst(a.path) < depthFirst(b.path) ? -1 : 1));
}

/** A separator that sorts before everything else puts a directory before all that is in it. */
function depthFirst(path: string): string {
  return path.split(sep).join("\0");
}

export function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

export function isInside(path: string, directory: string): boolean {
  const inside = relative(directory, path);
  return inside === "" || (inside !== ".." && !inside.startsWith(`..${sep}`) && !isAbsolute(inside));
}

/** Undefined when there is nothing of that name. */
function realPath(path: string): string | undefined {
  return attempt(() => realpathSync(path));
}

/** Whether a file, which need not exist yet, is one that programs may write: for omp's own tools. @param file as it is called outside. */
export function mayWrite(places: readonly Place[], file: string): boolean {
  const sameOutside = places.filter(({ from }) => from === undefined);
  return governs(sameOutside, realTarget(file))?.kind === "write";
}

/** Whether programs see a file as it is outside: omp's own tools show them no more. */
export function maySee(places: readonly Place[], file: string): boolean {
  return isSeen(governs(places, realTarget(file)));
}

/** @param governing see governs */
export function isSeen(governing: Place | undefined): boolean {
  return governing === undefined || (governing.kind !== "hide" && governing.from === undefined);
}

/** With links followed as far as there is something. */
function realTarget(file: string): string {
  if (existsSync(file)) return realPath(file) ?? file;
  const parent = dirname(file);
  return parent === file ? file : join(realTarget(parent), relative(parent, file));
}
