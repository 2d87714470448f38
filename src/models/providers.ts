/** The built-in providers: wire format, address, variables for key and address. Reads no environment itself. */

import { ModelError } from "./errors.ts";

export type Variables = Readonly<Record<string, string | undefined>>;

/** Which of the four wire formats. */
export type Wire = "anthropic" | "openai" | "google" | "compatible";

export interface Provider {
  readonly name: string;
  /** As people write it; the same as the name when missing. */
  readonly title?: string;
  readonly wire: Wire;
  /** In order of preference; empty where no key is needed. */
  readonly keyVariables: readonly string[];
  readonly baseUrlVariables: readonly string[];
  readonly baseUrl: string;
  /** Appended to an address without an API version. */
  readonly versionPath: string;
  /** A server on the user's machine: its address may be just a host, and it needs no key. */
  readonly isLocal: boolean;
}

const remote = { isLocal: false, versionPath: "/v1" } as const;
const local = { isLocal: true, versionPath: "/v1", wire: "compatible", keyVariables: [] } as const;

export const providers: readonly Provider[] = [
  {
    ...remote,
    name: "anthropic",
    title: "Anthropic",
    wire: "anthropic",
    keyVariables: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
    baseUrlVariables: ["ANTHROPIC_BASE_URL"],
    baseUrl: "https://api.anthropic.com/v1",
  },
  {
    ...remote,
    name: "openai",
    title: "OpenAI",
    wire: "openai",
    keyVariables: ["OPENAI_API_KEY"],
    baseUrlVariables: ["OPENAI_BASE_URL"],
    baseUrl: "https://api.openai.com/v1",
  },
  {
    ...remote,
    name: "google",
    title: "Google",
    wire: "google",
    keyVariables: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
    baseUrlVariables: ["GOOGLE_GEMINI_BASE_URL"],
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    versionPath: "/v1beta",
  },
  {
    ...remote,
    name: "openrouter",
    title: "OpenRouter",
    wire: "compatible",
    keyVariables: ["OPENROUTER_API_KEY"],
    baseUrlVariables: ["OPENROUTER_BASE_URL"],
    baseUrl: "https://openrouter.ai/api/v1",
  },
  {
    ...local,
    name: "ollama",
    title: "Ollama",
    baseUrlVariables: ["OLLAMA_HOST"],
    baseUrl: "http://127.0.0.1:11434/v1",
  },
  {
    ...local,
    name: "lmstudio",
    title: "LM Studio",
    baseUrlVariables: ["LMSTUDIO_HOST"],
    baseUrl: "http://127.0.0.1:1234/v1",
  },
  {
    ...local,
    name: "llamacpp",
    title: "llama.cpp",
    baseUrlVariables: ["LLAMACPP_HOST"],
    baseUrl: "http://127.0.0.1:8080/v1",
  },
];

export function findProvider(name: string): Provider | undefined {
  return providers.find((provider) => provider.name === name);
}

export interface Key {
  readonly variable: string;
  readonly value: string;
}

/** The first of the provider's variables that is set. */
export function keyOf({ keyVariables }: Provider, env: Variables): Key | undefined {
  for (const variable of keyVariables) {
    const value = env[variable]?.trim();
    if (value) return { variable, value };
  }
  return undefined;
}

/** The address for requests: as the user has set it, completed where parts are missing, without credentials. */
export function baseUrlOf(provider: Provider, env: Variables): string {
  for (const variable of provider.baseUrlVariables) {
    const value = env[variable]?.trim();
    if (value) return completeUrl(value, provider, variable);
  }
  return provider.baseUrl;
}

export function completeUrl(value: string, provider: Provider, variable: string): string {
  const hasScheme = /^https?:\/\//i.test(value);
  // For Ollama a port alone means this machine.
  const host = /^:\d+$/.test(value) ? `127.0.0.1${value}` : value;
  const url = URL.parse(hasScheme ? value : `http://${host}`);
  if (url === null || (!hasScheme && !provider.isLocal)) {
    // The value is not repeated: an address may carry a password.
    throw new ModelError({
      kind: "bad-request",
      issue: `${variable} must be an http:// or https:// address`,
    });
  }
  // OLLAMA_HOST also sets where the server listens; one cannot connect to 0.0.0.0.
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  if (!hasScheme && url.port === "") url.port = new URL(provider.baseUrl).port;
  const path = url.pathname.replace(/\/+$/, "");
  const isVersioned = /\/v\d+\w*$/.test(path);
  // Compatible servers often have a path of their own; Anthropic and Google always have a version.
  const needsVersion =
    provider.wire === "anthropic" || provider.wire === "google" ? !isVersioned : path === "";
  return `${url.origin}${path}${needsVersion ? provider.versionPath : ""}`;
}

/** On this machine. */
export function isLoopback(baseUrl: string): boolean {
  return /^https?:\/\/(?:localhost|127\.|\[::1\])/.test(baseUrl);
}
