/** Where pip looks for packages, as far as omp has to know: from the variables and files that pip itself reads. Starts nothing. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../protocol/error.ts";
import { type Environment, isFile } from "./executable.ts";

/** Where systems keep the certificates that they trust, a company's own among them. */
const systemCertificates = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/cert.pem",
];

export interface IndexSettings {
  /** The main one first; none where nobody has set one: only pip itself knows its default. */
  readonly indexes: readonly string[];
  /** Directories and pages that have packages in them. */
  readonly findLinks: readonly string[];
  /** A file of certificates; undefined for those that the runtime brings. */
  readonly certificates: string | undefined;
  readonly proxy: string | undefined;
  /** Whether the user (or the machine's administrator) has chosen where packages come from. */
  readonly isChosen: boolean;
}

export function readIndexSettings(
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): IndexSettings {
  const fromFiles = new Map(configFiles(env, platform).flatMap((file) => [...readConfig(file)]));
  const setting = (name: string) =>
    env[`PIP_${name.toUpperCase().replaceAll("-", "_")}`] || fromFiles.get(name);
  const words = (name: string) => (setting(name) ?? "").split(/\s+/).filter((word) => word !== "");

  const index = setting("index-url");
  const extra = words("extra-index-url");
  const findLinks = words("find-links");
  const noIndex = /^(1|true|yes|on)$/i.test(setting("no-index") ?? "");
  return {
    indexes: noIndex ? [] : [...(index === undefined ? [] : [index]), ...extra],
    findLinks,
    certificates:
      setting("cert") ??
      [env["REQUESTS_CA_BUNDLE"], env["CURL_CA_BUNDLE"], env["SSL_CERT_FILE"], ...systemCertificates].find(
        (file) => file !== undefined && isFile(file),
      ),
    proxy: setting("proxy"),
    isChosen: noIndex || index !== undefined || extra.length + findLinks.length > 0,
  };
}

/** pip's own order: the later file wins. With PIP_CONFIG_FILE=/dev/null pip reads none. */
function configFiles(env: Environment, platform: NodeJS.Platform): string[] {
  const { HOME: home = "/", PIP_CONFIG_FILE: named } = env;
  if (named === "/dev/null") return [];
  const shared = (env["XDG_CONFIG_DIRS"] || "/etc/xdg").split(":").map((directory) => join(directory, "pip"));
  const library = "Library/Application Support/pip";
  const onMac = platform === "darwin";
  return [
    ...(onMac ? [join("/", library)] : shared.reverse()).map((directory) => join(directory, "pip.conf")),
    "/etc/pip.conf",
    join(home, ".pip", "pip.conf"),
    join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "pip", "pip.conf"),
    ...(onMac ? [join(home, library, "pip.conf")] : []),
    ...(named ? [named] : []),
  ];
}

/** What a file sets for all commands, and for `pip install`, which wins. A line that begins with a blank continues the one before. */
function readConfig(file: string): Map<string, string> {
  const sections: Record<string, Map<string, string>> = { global: new Map(), install: new Map() };
  let section: Map<string, string> | undefined;
  let key = "";
  for (const line of (attempt(() => readFileSync(file, "utf8")) ?? "").split(/\r?\n/)) {
    const name = /^\[(.*)\]\s*$/.exec(line)?.[1];
    const [, left, right] = /^([\w-]+)\s*[=:]\s*(.*?)\s*$/.exec(line) ?? [];
    if (/^\s*([#;]|$)/.test(line)) continue;
    if (name !== undefined) {
      section = sections[name.trim()];
    } else if (left !== undefined && right !== undefined) {
      key = left.toLowerCase().replaceAll("_", "-");
      section?.set(key, right);
    } else if (/^\s/.test(line) && section?.has(key)) {
      section.set(key, `${section.get(key)} ${line.trim()}`);
    }
  }
  return new Map(Object.values(sections).flatMap((values) => [...values]));
}
