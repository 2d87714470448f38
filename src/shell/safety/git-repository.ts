/**
 * Whether git runs no program that a repository names when it only reads it. A repository's own config can name programs for nearly
 * everything (`core.fsmonitor`, `diff.external`, filters, `textconv`); one that was unpacked rather than cloned brings its own.
 * So the config is read, and every entry must be known to be harmless. The user's own config is the user's business.
 */

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { attempt } from "../../protocol/error.ts";
import { realPath } from "./project-limit.ts";

/** Names by section. `sshcommand` and `editor` are for commands that connect or edit; `hookspath` and `fsmonitor` are looked at separately. */
const HARMLESS: Readonly<Record<string, string>> = {
  core:
    "repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks autocrlf eol safecrlf quotepath " +
    "untrackedcache whitespace longpaths abbrev commentchar sparsecheckout sparsecheckoutcone sshcommand editor hookspath fsmonitor",
  remote: "url pushurl fetch push tagopt prune gh-resolved",
  commit: "gpgsign template verbose cleanup",
  fetch: "prune prunetags parallel writecommitgraph",
  merge: "ff conflictstyle stat",
  pack: "threads windowmemory",
  extensions: "worktreeconfig",
  submodule: "url active recurse",
  lfs: "repositoryformatversion url locksverify access",
};
/** Whatever they hold. */
const HARMLESS_SECTIONS =
  /^(?:branch|user|author|committer|alias|color|advice|init|pull|push|rebase|rerere|gc|maintenance|index|feature|status|github|gui)$/;

/** Every repository that git may find from there upwards, where links lead. */
export function isPlainRepository(directory: string): boolean {
  for (let place = realPath(directory); ; place = dirname(place)) {
    const link = join(place, ".git");
    // A directory that is a repository itself, without a work tree: it may be a part of the project.
    const has = (name: string) => existsSync(join(place, name));
    if (has("HEAD") && (has("objects") || has("commondir"))) return false;
    if (existsSync(link) && attempt(() => isPlain(gitDirectory(link), place)) !== true) return false;
    if (dirname(place) === place) return true;
  }
}

/** A name before `..` may be a link, which git follows first. */
export function isWinding(path: string): boolean {
  return /(?:^|\/)\.\.(?:\/|$)/.test(path.replace(/^(?:\.\.?(?:\/|$))*/, ""));
}

/** Undefined where the link is not as git writes it. */
function gitDirectory(link: string): string | undefined {
  if (statSync(link).isDirectory()) return realPath(link);
  const [, path] = /^gitdir: (.+)\n?$/.exec(readFileSync(link, "utf8")) ?? [];
  return path === undefined || isWinding(path) ? undefined : realPath(resolve(dirname(link), path));
}

/** Throws where a file cannot be read. */
function isPlain(directory: string | undefined, workTree: string): boolean {
  if (directory === undefined) return false;
  const common = join(directory, "commondir");
  const path = existsSync(common) ? readFileSync(common, "utf8").trim() : ".";
  if (isWinding(path)) return false;
  const shared = resolve(directory, path);
  const hooks = [join(directory, "hooks"), join(shared, "hooks")];
  for (const file of ["config", "config.worktree"].flatMap((name) => [
    join(directory, name),
    join(shared, name),
  ])) {
    const entries = existsSync(file) ? readConfig(readFileSync(file, "utf8")) : [];
    if (entries === undefined || !entries.every(isHarmless)) return false;
    for (const { name, value } of entries) {
      if (name === "hookspath") hooks.push(resolve(workTree, value), resolve(directory, value));
    }
  }
  // The only hook that reading can cause: it may refresh the index.
  if (hooks.some((place) => existsSync(join(place, "post-index-change")))) return false;
  // git looks into submodules with their own config.
  const indexes = readdirSync(directory).filter((name) => /^(?:index$|sharedindex\.)/.test(name));
  return indexes.every((name) => name === "index" && !hasSubmodules(readFileSync(join(directory, name))));
}

interface ConfigEntry {
  readonly section: string;
  readonly name: string;
  readonly value: string;
}

function isHarmless({ section, name, value }: ConfigEntry): boolean {
  if (section === "core" && name === "fsmonitor") return /^(?:true|false)$/.test(value);
  // Not what git reads as something else: quotes, comments, `~`.
  if (section === "core" && name === "hookspath") return /^[\w./-]+$/.test(value) && !isWinding(value);
  const names = Object.hasOwn(HARMLESS, section) ? HARMLESS[section] : undefined;
  return HARMLESS_SECTIONS.test(section) || names?.split(" ").includes(name) === true;
}

/** Undefined where a line is not as git itself writes it. */
function readConfig(text: string): ConfigEntry[] | undefined {
  const entries: ConfigEntry[] = [];
  let section = "";
  for (const line of text.split("\n")) {
    if (/^\s*(?:[#;].*)?$/.test(line)) continue;
    const [, header] = /^\s*\[([A-Za-z0-9-]+)(?: "(?:[^"\\]|\\.)*")?\]\s*$/.exec(line) ?? [];
    const [, name, value = ""] = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*[^\\]|))?$/.exec(line) ?? [];
    if (header !== undefined) section = header.toLowerCase();
    else if (name !== undefined) entries.push({ section, name: name.toLowerCase(), value: value.trim() });
    else return undefined;
  }
  return entries;
}

const MODE_AT = 24;
const FLAGS_AT = 60;
const NAME_AT = 62;
const SUBMODULE = 0o160000;

/** An index of version 2 or 3 without an entry that is a commit. Others count as having one. */
function hasSubmodules(index: Buffer): boolean {
  if (index.length < 12) return true;
  const version = index.readUInt32BE(4);
  if (index.toString("latin1", 0, 4) !== "DIRC" || version < 2 || version > 3) return true;
  let at = 12;
  for (let left = index.readUInt32BE(8); left > 0; left -= 1) {
    if (index.length < at + NAME_AT || index.readUInt32BE(at + MODE_AT) === SUBMODULE) return true;
    const isExtended = (index.readUInt16BE(at + FLAGS_AT) & 0x4000) !== 0;
    const end = index.indexOf(0, at + NAME_AT + (isExtended ? 2 : 0));
    if (end === -1) return true;
    // Padded with one to eight zero bytes.
    at += (end - at + 8) & ~7;
  }
  return false;
}
