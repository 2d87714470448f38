/** What the model is told about its sandbox: at the start, and when a program was refused something. */

import type { SandboxMode } from "./policy.ts";

export interface SandboxFacts {
  readonly mode: SandboxMode;
  readonly projectRoot: string;
  readonly allowedPaths: readonly string[];
  readonly allowedHosts: readonly string[];
}

/** A sentence without its end. */
export function describeSandbox(facts: SandboxFacts): string {
  return `programs ${writing(facts)}, and ${reaching(facts)}`;
}

function writing({ mode, projectRoot, allowedPaths }: SandboxFacts): string {
  if (mode === "read-only") return "may write only in /tmp";
  const places = [projectRoot, "/tmp", ...allowedPaths];
  return `may write only in ${places.slice(0, -1).join(", ")} and ${places.at(-1)}`;
}

function reaching({ allowedHosts }: SandboxFacts): string {
  return allowedHosts.length === 0
    ? "cannot reach the network"
    : `can reach only these hosts, over HTTP and HTTPS: ${allowedHosts.join(", ")}`;
}

const REFUSED_WRITE = /Read-only file system|\bEROFS\b|\[Errno 30\]/;
const REFUSED_CONNECTION =
  /Network is unreachable|\bENETUNREACH\b|\bEAI_AGAIN\b|name resolution|Could not resolve|Name or service not known|nodename nor servname|\bENOTFOUND\b|403 Not allowed by the sandbox/;

/** A sentence without its end about what a program's output shows that it was refused; undefined when it shows nothing of the kind. */
export function explainRefusal(output: string, facts: SandboxFacts): string | undefined {
  const reasons = [
    ...(REFUSED_WRITE.test(output) ? [writing(facts)] : []),
    ...(REFUSED_CONNECTION.test(output) ? [reaching(facts)] : []),
  ];
  if (reasons.length === 0) return undefined;
  return `the sandbox is why: programs ${reasons.join(", and ")}`;
}
