/** The sandbox of a session, from the settings and the command line. */

import { mkdirSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { HostDescription } from "../kernel/hosts/host-choice.ts";
import { attempt } from "../protocol/index.ts";
import { SandboxError } from "../sandbox/errors.ts";
import type { SandboxMode } from "../sandbox/policy.ts";
import { Sandbox } from "../sandbox/sandbox.ts";
import { expandHome } from "../tools/paths.ts";
import type { SessionInputs } from "./inputs.ts";
import type { Workspace } from "./workspace.ts";

export type SandboxSetting = SandboxMode | "off";

/** From the loosest to the strictest. */
export const sandboxSettings: readonly SandboxSetting[] = ["off", "workspace", "read-only"];

/** Whether more is allowed than in a sandbox of an earlier time. */
export function isLooser(present: SandboxSetting, earlier: string): boolean {
  const levels: readonly string[] = sandboxSettings;
  return !levels.slice(0, levels.indexOf(present) + 1).includes(earlier);
}

/** `--sandbox`; absent: as the settings say. */
export type SandboxChoice = SandboxSetting | undefined;

/** Undefined when none is asked for. Throws SandboxError where the system cannot do it. */
export async function openSandbox(
  workspace: Workspace,
  choice: SandboxChoice,
  inputs?: Pick<SessionInputs, "prepare">,
): Promise<Sandbox | undefined> {
  const { settings, paths, project, env } = workspace;
  const mode = choice ?? settings.sandbox;
  if (mode === "off") return undefined;
  // Programs read the shell's snapshot there, which is yet to be taken.
  const cache = dirname(paths.interpreterCache);
  attempt(() => mkdirSync(cache, { recursive: true, mode: 0o700 }));
  return await Sandbox.open({
    mode,
    projectRoot: project.root,
    home: paths.userHome,
    ompHome: paths.home,
    allowedPaths: settings.sandboxAllow.paths.map((path) =>
      resolve(project.root, expandHome(path, paths.userHome)),
    ),
    readable: [cache, paths.modules, ...lentPlaces(workspace), ...(await interpreterPlaces(workspace))],
    // Only this session's own, which is not known before its log is opened.
    laterReadable: () => (inputs === undefined ? [] : [inputs.prepare()]),
    allowedHosts: mode === "workspace" ? settings.sandboxAllow.hosts : [],
    temporaryBase: tmpdir(),
    searchPath: env["PATH"],
  });
}

/** A kernel that omp has not started itself cannot be put into a sandbox. Throws SandboxError. */
export function checkHost(
  sandbox: Sandbox,
  { isElsewhere, isBorrowed, short, name }: HostDescription,
  { toolMode }: Workspace,
): void {
  const isOwn = !isElsewhere && !isBorrowed && short === undefined;
  if (isOwn || toolMode === "bash-only") return;
  sandbox.close();
  const issue = `the kernel runs ${name}, outside the sandbox; use omp's own kernel, or --sandbox off`;
  throw new SandboxError({ issue, code: "SANDBOX_KERNEL" });
}

/** Where ipykernel is lent from: links may lead to a /tmp that is another one inside. */
function lentPlaces({ paths }: Workspace): string[] {
  return [paths.pythonEnvironment, paths.pythonLoans].flatMap(
    (path) => attempt(() => realpathSync(path)) ?? [],
  );
}

/** Its environment, and the Python that the environment was made from. */
async function interpreterPlaces(workspace: Workspace): Promise<string[]> {
  const path = (await workspace.findInterpreter()).found?.path;
  if (path === undefined) return [];
  const real = attempt(() => realpathSync(path)) ?? path;
  return [path, real].map((program) => join(dirname(program), ".."));
}
