/** Programs of MCP servers in the sandbox, for users who ask for it. */

import { expect, test } from "bun:test";
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mcpPlace, peers } from "../mcp/session.ts";

const at = mcpPlace();

/** @returns whether a server that writes what it is sent into a file there could start. */
async function starts(directory: string): Promise<boolean> {
  const { project } = at().place;
  const record = join(directory, "record.txt");
  const { args, ...server } = peers.recording(record);
  // In the project, which is the same inside.
  const program = join(project, "server.mjs");
  copyFileSync(args.join(""), program);
  at().addServers({ recording: { ...server, args: [program] } });
  const services = await at().open({ sandbox: "workspace" });
  const [status] = services.mcp?.servers ?? [];
  expect(existsSync(record)).toBe(status?.state === "ready");
  return status?.state === "ready";
}

test("a server writes as cells do where mcp.sandbox is on, and as omp itself does where it is off", async () => {
  const { home, project } = at().place;
  const agent = join(home, ".omp/agent");
  mkdirSync(agent, { recursive: true });
  const settings = (sandbox: boolean) =>
    writeFileSync(join(agent, "omp.jsonc"), JSON.stringify({ mcp: { sandbox } }));
  settings(true);
  expect([await starts(project), await starts(home)]).toEqual([true, false]);
  settings(false);
  expect(await starts(home)).toBe(true);
});
