/** What a gateway's refusals mean, each with what to do about it. Nothing in here ever holds the key. */

import { systemCode } from "../../protocol/index.ts";
import { isRecord, parseJson } from "../../protocol/record.ts";
import { KernelError, type KernelErrorKind } from "../errors.ts";
import type { GatewayAddress } from "./address.ts";
import { hubAdvice } from "./hub-answers.ts";

/** What was asked, for the error's line: "list the kernels". */
export type GatewayTask =
  | "list the kernelspecs"
  | "start a kernel"
  | "list the kernels"
  | "look at the kernel"
  | "interrupt the kernel"
  | "end the kernel"
  | "connect to the kernel";

export interface Refusal {
  readonly status: number;
  /** The beginning of the body. */
  readonly body: string;
  readonly location?: string | undefined;
  /** Of a JupyterHub, or of a server that it runs. */
  readonly isHub?: boolean;
  /** Whether the gateway lists its kernelspecs: then the token is not simply wrong. */
  readonly canList?: boolean;
}

interface Advice {
  readonly kind: KernelErrorKind;
  readonly code: string;
  readonly text: string;
}

const TOKEN_PLACES = "PI_PYTHON_GATEWAY_TOKEN, or token or tokenEnv of the gateway in the settings";

export function refusalError(address: GatewayAddress, task: GatewayTask, refusal: Refusal): KernelError {
  const { kind, code, text } = adviceFor(address, task, refusal);
  const issue = `gateway ${address.name} (${address.shown}) did not ${task}: ${text}`;
  return new KernelError({ kind, issue, code });
}

function adviceFor(address: GatewayAddress, task: GatewayTask, refusal: Refusal): Advice {
  const { status, body } = refusal;
  const gateway = (code: string, text: string): Advice => ({
    kind: "gateway",
    code: `GATEWAY_${code}`,
    text,
  });
  const ofHub = refusal.canList ? undefined : hubAdvice(address, refusal);
  if (ofHub) return { kind: "gateway", ...ofHub };
  if (status === 401) return gateway("UNAUTHORIZED", badToken(address));
  if (status === 403) return forbidden(address, task, refusal);
  if (status >= 300 && status < 400)
    return gateway(
      "REDIRECT",
      `it redirects, most often to a login page: check the token (${TOKEN_PLACES}) and that the address has its base path, such as /user/<name>/`,
    );
  if (status === 404)
    return gateway(
      "NOT_FOUND",
      "there is no Jupyter API at this address (404): check the url and its base path, such as /user/<name>/",
    );
  if (status === 405)
    return gateway(
      "METHOD",
      "this server does not allow it (405): it is not a Jupyter server, or a proxy in front of it blocks the method",
    );
  if (status === 429)
    return { kind: "exhausted", code: "GATEWAY_BUSY", text: "too many requests (429): try again in a while" };
  if (status === 503 && /spawn|not running/i.test(body))
    return gateway("DOWN", "the user's server is not running (503): start it in JupyterHub");
  if (status === 502 || status === 503 || status === 504)
    return gateway("DOWN", `the gateway behind the proxy does not answer (${status}): check that it runs`);
  // Servers leak some with every kernel that starts and ends.
  if (status >= 500 && /too many open files|\bErrno 24\b/i.test(body))
    return {
      kind: "exhausted",
      code: "EMFILE",
      text: "it has no file descriptors left: restart it, or have its limit of open files raised",
    };
  if (status >= 500)
    return gateway("ERROR", `it failed (${status})${said(body)}: the reason is in the gateway's own log`);
  return gateway("REFUSED", `status ${status}${said(body)}`);
}

/** 403 is the answer to a wrong token, to a list that is switched off, and to one kernel too many. */
function forbidden(address: GatewayAddress, task: GatewayTask, { body, canList = false }: Refusal): Advice {
  if (/resource limit|max(imum)? kernels|limit.*kernels|kernels.*limit/i.test(body))
    return {
      kind: "exhausted",
      code: "GATEWAY_FULL",
      text: `its kernel limit is reached${said(body)}: stop some, or have max_kernels raised`,
    };
  if (/KERNEL_USERNAME|not authorized to start/i.test(body))
    return {
      kind: "gateway",
      code: "GATEWAY_FORBIDDEN",
      text: `not allowed (403)${said(body)}: set KERNEL_USERNAME in env of the gateway in the settings`,
    };
  if (task === "list the kernels" && canList)
    return {
      kind: "gateway",
      code: "GATEWAY_LISTING_OFF",
      text: "listing is switched off (403): start the gateway with its list_kernels option to allow it",
    };
  const why = `not allowed (403)${said(body)}`;
  const advice =
    canList && address.hasToken ? "the token allows listing kernelspecs, but not this" : badToken(address);
  return { kind: "gateway", code: "GATEWAY_FORBIDDEN", text: `${why}: ${advice}` };
}

function badToken({ hasToken }: GatewayAddress): string {
  return hasToken
    ? `the gateway rejected the token: fix ${TOKEN_PLACES}`
    : `it requires a token: set ${TOKEN_PLACES}`;
}

/** What the server itself says, when it is short. */
function said(body: string): string {
  const message = messageIn(body);
  return message === "" ? "" : `, "${message}"`;
}

const MAX_SAID_CHARS = 200;

function messageIn(body: string): string {
  if (looksLikeHtml(body)) return "";
  const value = parseJson(body);
  const text = isRecord(value) ? wordsIn(value) : body;
  return text.replace(/\s+/g, " ").trim().slice(0, MAX_SAID_CHARS);
}

/** For an unexpected error a server sends only the traceback, whose last line is the error. */
function wordsIn({ traceback, message, reason }: Readonly<Record<string, unknown>>): string {
  const frames = Array.isArray(traceback) ? traceback.join("\n") : traceback;
  const error = typeof frames === "string" ? frames.trim().split("\n").at(-1) : undefined;
  const words = [error, message, reason].find((each) => typeof each === "string" && each !== "");
  return typeof words === "string" ? words : "";
}

function looksLikeHtml(text: string): boolean {
  return /^\s*<(?:!doctype|html|head|body)/i.test(text);
}

export function notJsonError(address: GatewayAddress, body: string): KernelError {
  const what = looksLikeHtml(body) ? "a web page" : "something other than JSON";
  const issue = `${address.shown} answers with ${what}, not as a Jupyter server: check the address of gateway ${address.name} and its base path, and whether there is a login page in front of it`;
  return new KernelError({ kind: "gateway", issue, code: "GATEWAY_NOT_JSON" });
}

export function noWebsocketError(address: GatewayAddress): KernelError {
  const issue = `gateway ${address.name} (${address.shown}) answers, but not with a websocket: a proxy in front of it must pass on the Upgrade header`;
  return new KernelError({ kind: "gateway", issue, code: "GATEWAY_WEBSOCKET" });
}

/** Thrown by fetch itself: no answer at all. */
export function networkError(address: GatewayAddress, error: unknown): KernelError {
  const code = systemCode(error) ?? "";
  const words = error instanceof Error ? error.message : String(error);
  const where = `gateway ${address.name} (${address.shown})`;
  const failure = (name: string, issue: string) =>
    new KernelError({ kind: "gateway", issue, code: `GATEWAY_${name}` }, { cause: code || words });
  if (/CERT|SELF_SIGNED|TLS|SSL|UNABLE_TO|ERR_OSSL/i.test(code) || /certificate|\bTLS\b|\bSSL\b/i.test(words))
    return failure(
      "TLS",
      `${where} has a certificate that is not trusted (${code || words}): name its authority's file as caFile of the gateway in the settings`,
    );
  if (error instanceof Error && error.name === "TimeoutError")
    return failure("TIMEOUT", `${where} did not answer in time: check that it runs and is not overloaded`);
  return failure(
    "UNREACHABLE",
    `${where} cannot be reached (${code || words}): check that it runs, and that the address, the tunnel or the VPN is right`,
  );
}
