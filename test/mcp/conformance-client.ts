/**
 * omp as a client for the conformance suite, which starts this with the address of a server: a session that uses the server, calls each of
 * its tools, accepts what it asks with the defaults, and logs in as the user would where that is wanted.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openServices } from "../../src/app/services.ts";
import { mcpLogins } from "../../src/config/mcp-logins.ts";
import { logIn } from "../../src/mcp/login.ts";
import type { McpElicit } from "../../src/protocol/mcp.ts";

const url = process.argv.at(-1) ?? "";
const home = mkdtempSync(join(tmpdir(), "omp-conformance-"));
const agent = join(home, ".omp", "agent");
mkdirSync(agent, { recursive: true });
writeFileSync(join(agent, "omp-mcp.json"), JSON.stringify({ mcpServers: { peer: { url } } }));
const { signal } = new AbortController();
const inputs: Record<string, object> = { add_numbers: { a: 5, b: 3 } };

const elicit: McpElicit = async (question) => {
  if (question.kind === "url") return { action: "accept" };
  const given = question.fields.flatMap(({ name, initial }) =>
    initial === undefined ? [] : [[name, initial]],
  );
  return { action: "accept", content: Object.fromEntries(given) };
};

/** @returns what went wrong, in lines. */
async function useServer(): Promise<string[]> {
  const problems: string[] = [];
  const io = { stderr: (text: string) => void problems.push(text.trimEnd()) };
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, PI_PY: "0" };
  const services = await openServices({ env, cwd: home }, io, { elicit });
  await services.mcp?.ready(signal);
  for (const tool of services.mcp?.servers[0]?.tools ?? []) {
    const context = { ...services.context, signal, onUpdate: () => undefined };
    const { isError, output } = await services.tools.run(tool.fullName, inputs[tool.name] ?? {}, context);
    if (isError) problems.push(output);
  }
  await services.close();
  return problems;
}

async function* neverTyped(): AsyncGenerator<string> {
  await new Promise(() => undefined);
}

/** The user opens the address, and the browser comes back. */
async function logInAsUser(): Promise<void> {
  await logIn({
    ...{ name: "peer", url, signal, pasted: neverTyped() },
    store: mcpLogins(join(agent, "omp-mcp-logins.json"), url),
    onAddress: (address) => void fetch(address),
  });
}

try {
  let problems = await useServer();
  if (problems.some((line) => line.includes("omp mcp login"))) {
    await logInAsUser();
    problems = await useServer();
  }
  if (problems.some((line) => line.includes("omp mcp login"))) {
    await logInAsUser();
    problems = await useServer();
  }
  for (const line of problems) process.stderr.write(`${line}\n`);
  process.exitCode = problems.length > 0 ? 1 : 0;
} finally {
  rmSync(home, { recursive: true, force: true });
}
