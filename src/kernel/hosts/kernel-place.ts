/**
 * Where the kernels of a session live. Decided here for everybody, in this order:
 *
 *   0. --kernel: one that is running already, and somebody else's
 *   1. PI_PYTHON_GATEWAY_URL and PI_PYTHON_GATEWAY_TOKEN
 *   2. the setting python.gateway: one of `gateways`, by name
 *   3. the setting python.sharedGateway: the user's own gateway on this machine
 *   4. kernels of omp's own, over ZeroMQ
 *
 * Reads no network and starts nothing.
 */

import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join, resolve } from "node:path";
import type { OmpEnvironment } from "../../config/environment.ts";
import type { EnvironmentVariables } from "../../config/paths.ts";
import type { Settings } from "../../config/schema.ts";
import { systemCode } from "../../protocol/error.ts";
import { failedPreflight, type Preflight } from "../../python/preflight.ts";
import type { ExistingConnection } from "../existing/connection.ts";
import type { GatewayPlace } from "../gateway/options.ts";

export type PythonPlace =
  | { readonly kind: "local" | "shared"; readonly kernelSpec: string | undefined }
  | ExternalPlace
  | ExistingPlace
  | UnusablePlace;

/** A kernel that somebody else has started and goes on using. */
export interface ExistingPlace {
  readonly kind: "existing";
  readonly connection: ExistingConnection;
}

/** A gateway that somebody else runs. */
export interface ExternalPlace {
  readonly kind: "external";
  readonly gateway: GatewayPlace;
  /** The host, without anything that is nobody's business. */
  readonly host: string;
  readonly kernelSpec: string | undefined;
  /** KERNEL_* variables for the gateway. */
  readonly kernelEnv: Readonly<Record<string, string>>;
}

/** What the settings say cannot be. */
export interface UnusablePlace {
  readonly kind: "unusable";
  readonly name: string;
  readonly problem: Extract<Preflight, { ok: false }>;
}

export interface PlaceOptions {
  readonly settings: Pick<Settings, "python" | "gateways">;
  readonly gateway: OmpEnvironment["gateway"];
  readonly env: EnvironmentVariables;
  readonly projectRoot: string;
  /** Of the option --kernel. */
  readonly existing?: ExistingConnection | undefined;
}

export function pythonPlace(options: PlaceOptions): PythonPlace {
  const { settings, gateway, existing } = options;
  if (existing !== undefined) return { kind: "existing", connection: existing };
  const { kernelSpec, gateway: name = LOCAL, sharedGateway } = settings.python;
  if (gateway !== undefined) {
    const { host } = new URL(gateway.url);
    return {
      kind: "external",
      gateway: { name: host, url: gateway.url, token: gateway.token },
      host,
      kernelSpec,
      kernelEnv: {},
    };
  }
  if (name !== LOCAL) return namedPlace(name, options);
  return { kind: sharedGateway ? "shared" : "local", kernelSpec };
}

const LOCAL = "local";

/** One of `gateways`, by name. */
export function namedPlace(
  name: string,
  { settings, env, projectRoot }: PlaceOptions,
): ExternalPlace | UnusablePlace {
  const unusable = (
    code: Parameters<typeof failedPreflight>[0],
    issue: string,
    advice: string,
  ): UnusablePlace => ({ kind: "unusable", name, problem: failedPreflight(code, issue, { advice }) });
  const found = settings.gateways.find((gateway) => gateway.name === name);
  if (found === undefined) {
    const names = settings.gateways.map((gateway) => gateway.name).join(", ");
    const issue = `python.gateway names '${name}', and there is no gateway of that name`;
    return unusable(
      "GATEWAY_UNKNOWN",
      issue,
      names === "" ? "add it to the setting gateways" : `there are ${names}`,
    );
  }
  const token = found.tokenEnv === undefined ? found.token : env[found.tokenEnv] || found.token;
  if (found.tokenEnv !== undefined && token === undefined) {
    const issue = `the token of the gateway '${name}' is in ${found.tokenEnv}, which is not set`;
    return unusable("GATEWAY_TOKEN_NOT_SET", issue, "set the variable");
  }
  const ca = found.caFile === undefined ? undefined : readCertificates(found.caFile, env, projectRoot);
  if (ca !== undefined && "problem" in ca) {
    const issue = `the caFile of the gateway '${name}' cannot be used: ${ca.problem}`;
    return unusable("GATEWAY_CA_UNREADABLE", issue, "correct the setting gateways");
  }
  return {
    kind: "external",
    gateway: { name, url: found.url, token, ca: ca?.text },
    host: new URL(found.url).host,
    kernelSpec: found.kernelSpec ?? settings.python.kernelSpec,
    kernelEnv: found.env ?? {},
  };
}

function readCertificates(
  file: string,
  env: EnvironmentVariables,
  projectRoot: string,
): { readonly text: string } | { readonly problem: string } {
  const home = env["HOME"] || homedir();
  const path = file.startsWith("~/") ? join(home, file.slice(2)) : resolve(projectRoot, file);
  try {
    const text = readFileSync(path, "utf8");
    return text.includes("BEGIN CERTIFICATE") ? { text } : { problem: `${path} holds no certificate (PEM)` };
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return { problem: `${path} cannot be read (${code})` };
  }
}

/** A place, for people and for the model. */
export interface PlaceWords {
  /** Behind "the kernel runs". */
  readonly name: string;
  /** For a status line: the gateway's name, or that of the connection file; undefined for kernels of omp's own. */
  readonly short: string | undefined;
  readonly isElsewhere: boolean;
  /** Whether it is somebody else's kernel. */
  readonly isBorrowed: boolean;
}

export function placeWords(place: PythonPlace): PlaceWords {
  switch (place.kind) {
    case "local":
      return { ...ownPlace, name: "on this machine, over ZeroMQ", short: undefined };
    case "shared":
      return { ...ownPlace, name: "in the shared gateway on this machine", short: "shared gateway" };
    case "existing": {
      const { file } = place.connection;
      const name = `where it was running already: ${file}`;
      return { name, short: shortFileName(file), isElsewhere: false, isBorrowed: true };
    }
    case "external": {
      const { name } = place.gateway;
      const shown = name === place.host ? name : `'${name}' (${place.host})`;
      return { ...ownPlace, name: `in the Jupyter gateway ${shown}`, short: name, isElsewhere: true };
    }
    case "unusable":
      return { ...ownPlace, name: `nowhere: ${place.problem.issue}`, short: undefined };
  }
}

const ownPlace = { isElsewhere: false, isBorrowed: false } as const;

/** For people: a notebook's kernel id is longer than anybody reads. */
function shortFileName(file: string): string {
  return basename(file, ".json").replace(/^(kernel-[0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f-]{22}$/, "$1");
}
