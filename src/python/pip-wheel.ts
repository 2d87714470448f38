/**
 * A pip to begin with, where Python has none of its own (Debian and Ubuntu without python3-venv): pip's wheel runs as it is, without
 * being installed. From this machine or from inside omp if there is one, else from the package index that the user has set for pip.
 */

import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { formatSize } from "../format/numbers.ts";
import { attempt, systemCode } from "../protocol/error.ts";
import { asRecord, isRecord, parseJson } from "../protocol/record.ts";
import type { Attempt } from "./base-pythons.ts";
import type { Environment } from "./executable.ts";
import { type IndexSettings, readIndexSettings } from "./package-index.ts";
import { isAtLeast } from "./preflight.ts";

const TIMEOUT_MS = 60_000;
const MAX_PAGE_BYTES = 20_000_000;
const WHEEL = /^pip-(\d[\d.]*)-py3-none-any\.whl$/;
/** Debian's package python3-pip-whl, which other packages bring along. */
export const usualWheels: readonly string[] = ["/usr/share/python-wheels"];

export interface WheelSearch {
  readonly env: Environment;
  /** Directories of this machine to look in first. */
  readonly wheels: readonly string[];
  /** The one that a build of omp brings along: a file that can be read but, inside a single file, not run. */
  readonly embedded: string | undefined;
  /** Of the Python that is to run it. */
  readonly version: string;
  /** Where a download is put. */
  readonly directory: string;
  /** Requirements with hashes; what they say about pip holds. */
  readonly pinned: string | undefined;
  readonly signal: AbortSignal;
  readonly onProgress: (line: string) => void;
  readonly onFailure: (attempt: Attempt) => void;
}

interface Offer {
  readonly name: string;
  readonly url: string;
  readonly sha256: string | undefined;
  readonly requiresPython: string;
}

/** The index could be reached, and did not send what is needed. */
class BadAnswer extends Error {}

/** Files that may be pip, best first. Lazy: the next one is only looked for when the one before did not work. */
export async function* pipWheels(search: WheelSearch): AsyncGenerator<string> {
  const settings = readIndexSettings(search.env);
  const here = [...search.wheels, ...settings.findLinks.map((link) => link.replace(/^file:\/\//, ""))];
  for (const directory of here) yield* newestFirst(wheelsIn(directory), basename);
  if (search.embedded !== undefined)
    yield save(join(search.directory, wheelName(search.embedded)), readFileSync(search.embedded));
  else if (settings.indexes.length === 0)
    search.onFailure({ what: "pip", problem: "no wheel of it, and no package index set", lacks: "pip" });
  for (const index of settings.indexes) {
    try {
      const wheel = await download(index, settings, search);
      if (wheel !== undefined) yield wheel;
    } catch (error) {
      search.signal.throwIfAborted();
      const what = `pip from ${withoutPassword(index)}`;
      // An index that answers will answer pip as well, once there is one.
      if (error instanceof BadAnswer) search.onFailure({ what, problem: error.message, lacks: "pip" });
      else search.onFailure({ what, problem: error instanceof Error ? error.message : String(error) });
    }
  }
}

/** A build has put a hash behind the name. Under a name that is no wheel's, pip would take itself for installed. */
function wheelName(embedded: string): string {
  return basename(embedded).replace(/-any-\w+\.whl$/, "-any.whl");
}

function wheelsIn(directory: string): string[] {
  const names = attempt(() => readdirSync(directory)) ?? [];
  return names.filter((name) => WHEEL.test(name)).map((name) => join(directory, name));
}

function newestFirst<T>(wheels: readonly T[], nameOf: (wheel: T) => string): T[] {
  const numbers = (wheel: T) => (WHEEL.exec(nameOf(wheel))?.[1] ?? "").split(".").map(Number);
  return wheels.toSorted((one, other) => (isAtLeast(numbers(one).join("."), numbers(other)) ? -1 : 1));
}

async function download(
  index: string,
  settings: IndexSettings,
  { version, directory, pinned, signal, onProgress }: WheelSearch,
): Promise<string | undefined> {
  const page = `${index.replace(/\/*$/, "")}/pip/`;
  const offers = readOffers(await get(page, settings, signal), page).filter(({ name }) => WHEEL.test(name));
  const pin = pinned === undefined ? undefined : pinOfPip(pinned);
  const fits = ({ requiresPython }: Offer) => {
    const oldest = />=\s*(\d[\d.]*)/.exec(requiresPython)?.[1];
    return oldest === undefined || isAtLeast(version, oldest.split(".").map(Number));
  };
  const exact = offers.find(({ name }) => name === pin?.name);
  // Another one than the pinned only from an index that was chosen by the user, as for all packages (ADR 12).
  const mayBeAnother = pin === undefined || settings.isChosen;
  const newest = mayBeAnother ? newestFirst(offers.filter(fits), ({ name }) => name)[0] : undefined;
  const offer = exact ?? newest;
  if (offer === undefined) throw new BadAnswer(`has no ${pin?.name ?? "wheel of pip"}`);

  onProgress(`downloading ${offer.name}`);
  const bytes = await get(offer.url, settings, signal);
  const hash = createHash("sha256").update(bytes).digest("hex");
  const expected = offer === exact ? pin?.hashes : offer.sha256 && [offer.sha256];
  if (expected && !expected.includes(hash)) throw new BadAnswer(`sent a ${offer.name} with another hash`);
  onProgress(`downloaded ${offer.name} (${formatSize(bytes.length)})`);
  return save(join(directory, offer.name), bytes);
}

function save(file: string, bytes: Buffer): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bytes);
  return file;
}

export function pinOfPip(
  requirements: string,
): { version: string; name: string; hashes: string[] } | undefined {
  const [, version, rest] = /^pip==(\S+)([^\n]*\\\n(?:.*\\\n)*.*)$/m.exec(requirements) ?? [];
  if (version === undefined || rest === undefined) return undefined;
  const hashes = [...rest.matchAll(/--hash=sha256:(\w+)/g)].map(([, hash = ""]) => hash);
  return { version, name: `pip-${version}-py3-none-any.whl`, hashes };
}

/** Both forms of an index's page: JSON, and the HTML that every mirror knows. */
function readOffers(page: Buffer, address: string): Offer[] {
  const text = page.toString();
  const files = asRecord(parseJson(text))["files"];
  if (Array.isArray(files)) {
    return files.filter(isRecord).map((file) => ({
      name: String(file["filename"]),
      url: new URL(String(file["url"]), address).href,
      sha256: asRecord(file["hashes"])["sha256"] as string | undefined,
      requiresPython: String(file["requires-python"] ?? ""),
    }));
  }
  return [...text.matchAll(/<a\s([^>]*)>([^<]*)<\/a>/gi)].map(([, attributes = "", name = ""]) => {
    const value = (attribute: string) =>
      unescapeHtml(new RegExp(`${attribute}\\s*=\\s*["']([^"']*)`, "i").exec(attributes)?.[1] ?? "");
    const url = new URL(value("href"), address);
    const sha256 = /sha256=(\w+)/.exec(url.hash)?.[1];
    return { name: name.trim(), url: url.href, sha256, requiresPython: value("data-requires-python") };
  });
}

function unescapeHtml(text: string): string {
  return text.replaceAll("&gt;", ">").replaceAll("&lt;", "<").replaceAll("&amp;", "&");
}

async function get(address: string, settings: IndexSettings, signal: AbortSignal): Promise<Buffer> {
  const url = new URL(address);
  const { username, password } = url;
  url.username = "";
  url.password = "";
  const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  const { certificates, proxy } = settings;
  const answering = fetch(url, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    headers: {
      Accept: "application/vnd.pypi.simple.v1+json, text/html;q=0.5, */*;q=0.1",
      ...(username === "" ? {} : { Authorization: `Basic ${login.toString("base64")}` }),
    },
    ...(certificates === undefined ? {} : { tls: { ca: readFileSync(certificates, "utf8") } }),
    ...(proxy === undefined ? {} : { proxy }),
  });
  const response = await answering.catch((error: unknown) => {
    throw new Error(`cannot be reached (${codeOrName(error)})`, { cause: error });
  });
  if (!response.ok) throw new BadAnswer(`answered ${response.status} ${response.statusText}`.trim());
  const bytes = Buffer.from(await response.arrayBuffer());
  if (bytes.length > MAX_PAGE_BYTES) throw new BadAnswer("sent more than any package contains");
  return bytes;
}

function codeOrName(error: unknown): string {
  return systemCode(error) ?? (error instanceof Error ? error.name : String(error));
}

function withoutPassword(address: string): string {
  return address.replace(/\/\/[^/@]*@/, "//");
}
