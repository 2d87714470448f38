/**
 * Which host the kernels of a session live in, decided in this order:
 *
 *   0. --kernel: an existing kernel, which omp has not started
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
import { failedPreflight, type Preflight, type PreflightCode } from "../../python/preflight.ts";
import type { ExistingConnection } from "../existing/connection.ts";
import type { GatewayAccess } from "../gateway/options.ts";

export type KernelHostChoice =
  | { readonly kind: "local" | "shared"; readonly kernelSpec: string | undefined }
  | ExternalHostChoice
  | ExistingHostChoice
  | UnusableHostChoice;

/** A kernel that another program has started and keeps using. */
export interface ExistingHostChoice {
  readonly kind: "existing";
  readonly connection: ExistingConnection;
}

/** A gateway that omp does not run. */
export interface ExternalHostChoice {
  readonly kind: "external";
  readonly gateway: GatewayAccess;
  /** Host only, no credentials. */
  readonly host: string;
  readonly kernelSpec: string | undefined;
  /** KERNEL_* variables for the gateway. */
  readonly kernelEnv: Readonly<Record<string, string>>;
}

/** The settings ask for something that cannot be. */
export interface UnusableHostChoice {
  readonly kind: "unusable";
  readonly name: string;
  readonly problem: Extract<Preflight, { ok: false }>;
}

export interface HostChoiceOptions {
  readonly settings: Pick<Settings, "python" | "gateways">;
  readonly gateway: OmpEnvironment["gateway"];
  readonly env: EnvironmentVariables;
  readonly projectRoot: string;
  /** The kernel that --kernel names. */
  readonly existing?: ExistingConnection | undefined;
}

const LOCAL = "local";

export function chooseHost(options: HostChoiceOptions): KernelHostChoice {
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
  if (name !== LOCAL) return chooseGateway(name, options);
  return { kind: sharedGateway ? "shared" : "local", kernelSpec };
}

/** One of `gateways`, by name. */
export function chooseGateway(
  name: string,
  { settings, env, projectRoot }: HostChoiceOptions,
): ExternalHostChoice | UnusableHostChoice {
  const unusable = (code: PreflightCode, issue: string, advice: string): UnusableHostChoice => ({
    kind: "unusable",
    name,
    problem: failedPreflight(code, issue, { advice }),
  });
  const found = settings.gateways.find((gateway) => gateway.name === name);
  if (found === undefined) {
    const names = settings.gateways.map((gateway) => gateway.name).join(", ");
    const advice = names === "" ? "add it to the setting gateways" : `use one of ${names}`;
    const issue = `python.gateway is '${name}', but no gateway has that name`;
    return unusable("GATEWAY_UNKNOWN", issue, advice);
  }
  const token = found.tokenEnv === undefined ? found.token : env[found.tokenEnv] || found.token;
  if (found.tokenEnv !== undefined && token === undefined) {
    const issue = `the token of the gateway '${name}' is in ${found.tokenEnv}, which is not set`;
    return unusable("GATEWAY_TOKEN_NOT_SET", issue, "set the variable");
  }
  const ca = found.caFile === undefined ? undefined : readCertificates(found.caFile, env, projectRoot);
  if (ca !== undefined && "problem" in ca) {
    const issue = `the caFile of the gateway '${name}' cannot be used: ${ca.problem}`;
    return unusable("GATEWAY_CA_UNREADABLE", issue, "fix the setting gateways");
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
    return text.includes("BEGIN CERTIFICATE")
      ? { text }
      : { problem: `${path} contains no certificate (PEM)` };
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return { problem: `${path} cannot be read (${code})` };
  }
}

/** A host in words, for the user and for the model. */
export interface HostDescription {
  /** Follows "the kernel runs". */
  readonly name: string;
  /** For a status line: the gateway's name, or that of the connection file; undefined for kernels of omp's own. */
  readonly short: string | undefined;
  readonly isElsewhere: boolean;
  /** Whether it is an existing kernel, which omp has not started and never stops. */
  readonly isBorrowed: boolean;
}

export function describeHost(choice: KernelHostChoice): HostDescription {
  const own = { short: undefined, isElsewhere: false, isBorrowed: false };
  switch (choice.kind) {
    case "local":
      return { ...own, name: "on this machine, over ZeroMQ" };
    case "shared":
      return { ...own, name: "in the shared gateway on this machine", short: "shared gateway" };
    case "existing": {
      const { file } = choice.connection;
      return {
        ...own,
        name: `where it was running already: ${file}`,
        short: shortName(file),
        isBorrowed: true,
      };
    }
    case "external": {
      const { name } = choice.gateway;
      const shown = name === choice.host ? name : `'${name}' (${choice.host})`;
      return { ...own, name: `in the Jupyter gateway ${shown}`, short: name, isElsewhere: true };
    }
    case "unusable":
      return { ...own, name: `nowhere: ${choice.problem.issue}` };
  }
}

/** A notebook's kernel id is too long to show in full. */
function shortName(file: string): string {
  return basename(file, ".json").replace(/^(kernel-[0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f-]{22}$/, "$1");
}
