/**
 * Decides whether a call may run, for every tool and mode; the UI asks the question itself. Order: what is denied, what is
 * dangerous, where it may run, then the mode. No grant and no list overrides the dangerous patterns.
 */

import { resolve } from "node:path";
import type { StartedCommand, Tool } from "../../protocol/index.ts";
import { asRecord } from "../../protocol/record.ts";
import {
  dangerIn,
  deniedBy,
  isAllowed,
  type LiveShell,
  type Reading,
  readLiteral,
  readLiveShell,
  readShell,
  type ShellPlace,
} from "../../shell/safety/index.ts";
import { directoryOutside, isInside } from "../../shell/safety/project-limit.ts";
import { expandHome } from "../paths.ts";
import { findCellCommands } from "./cell-commands.ts";
import type { ApprovalSubject, Grants } from "./grants.ts";
import { subjectOf } from "./subject.ts";

export type ApprovalMode = "auto" | "ask" | "read-only";

export interface ApprovalRules {
  readonly home: string;
  readonly projectRoot: string;
  /** `bash.allow`, `bash.deny` and `bash.workingDirectory` of the settings. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly workingDirectory: "any" | "project";
}

export type Decision =
  | { readonly decision: "run" }
  | { readonly decision: "ask"; readonly reason: string; readonly subject: ApprovalSubject }
  | { readonly decision: "deny"; readonly reason: string; readonly code: "DANGEROUS" | "DENIED" };

export interface ApprovalCall {
  readonly mode: ApprovalMode;
  readonly tool: Pick<Tool, "name" | "readOnly" | "summary">;
  /** As the tool's `check` gave it. */
  readonly input: unknown;
  /** Where the call starts: the shell's own directory for `bash`, else the session's. */
  readonly cwd: string;
  readonly rules: ApprovalRules;
  readonly grants?: Grants | undefined;
  /** It would run outside the session's sandbox: only the user can say yes, in every mode, and for this call only. */
  readonly leavesSandbox?: boolean;
  /** What is known of the shell that would run it; looked at only where it matters. */
  readonly shell?: (() => Promise<LiveShell | undefined>) | undefined;
}

const runsCode = ["bash", "exec", "python", "python_run"];

/** It ends only what the session itself started. */
const harmless = ["bash_output", "kill_shell"];

const run: Decision = { decision: "run" };

const LEAVING = "it would run outside the sandbox";

export async function decide(call: ApprovalCall): Promise<Decision> {
  const { mode, tool, input, rules } = call;
  if (mode === "read-only" && !tool.readOnly) {
    return deny("read-only mode runs only tools that make no changes");
  }
  const texts = findShellTexts(tool.name, input);
  const location = { home: rules.home, cwd: resolve(call.cwd, wantedDirectory(input, rules.home) ?? ".") };
  if (
    runsCode.includes(tool.name) &&
    rules.workingDirectory === "project" &&
    !isInside(location.cwd, rules.projectRoot)
  ) {
    return deny(`${location.cwd} is outside the project; give a cwd inside ${rules.projectRoot}`);
  }
  /** Of a call that is one command and nothing else: a safe command makes a safe call. */
  let whole: { readonly command: string; readonly reading: Reading } | undefined;
  for (const { command, isAll } of texts) {
    // Of a cell only the kernel knows the variables, and it asks again when it runs the command.
    const reading = isAll
      ? await readKnowing(command, location, call.shell)
      : readShell(command, { ...location, isOpen: true });
    const refusal = refuse(reading, location.cwd, rules);
    if (refusal !== undefined) return refusal;
    if (isAll) whole = { command, reading };
  }
  const { leavesSandbox = false } = call;
  if (!leavesSandbox && (mode !== "ask" || tool.readOnly || harmless.includes(tool.name))) return run;

  const place = { ...location, projectRoot: rules.projectRoot, shell: whole && (await call.shell?.()) };
  const script = whole && readLiteral(whole.command, place);
  const directory = location.cwd === resolve(call.cwd) ? undefined : location.cwd;
  const granted = directory === undefined ? call.grants?.patterns : undefined;
  const listed = [...rules.allow, ...(granted ?? [])];
  if (!leavesSandbox && script !== undefined && isAllowed(script, place, listed)) return run;
  const subject = subjectOf({
    tool: tool.name,
    summary: tool.summary(input),
    input,
    place,
    directory,
    whole: whole && { ...whole, script },
  });
  if (leavesSandbox) return { decision: "ask", reason: LEAVING, subject: { ...subject, leavesSandbox } };
  if (call.grants?.covers(subject) === true) return run;
  return { decision: "ask", reason: askReason(subject), subject };
}

/** Why a command that a cell starts may not run; undefined when it may. */
export async function refusalOf(
  { command, cwd, variables }: StartedCommand,
  rules: ApprovalRules,
): Promise<string | undefined> {
  const place = { home: rules.home, cwd, shell: readLiveShell("", variables) };
  const refusal = refuse(readShell(command, place), cwd, rules);
  return refusal?.decision === "deny" ? `blocked: ${refusal.reason} (${refusal.code})` : undefined;
}

/** With the values of the shell's variables, where the command uses any. */
async function readKnowing(
  command: string,
  location: ShellPlace,
  look: ApprovalCall["shell"],
): Promise<Reading> {
  const reading = readShell(command, location);
  if (reading.outside.length === 0 || look === undefined) return reading;
  return readShell(command, { ...location, shell: await look() });
}

function refuse(reading: Reading, cwd: string, rules: ApprovalRules): Decision | undefined {
  const pattern = deniedBy(reading, rules.deny);
  if (pattern !== undefined) return deny(`the settings deny '${pattern}'`);
  const danger = dangerIn(reading, { home: rules.home, cwd });
  if (danger !== undefined) {
    return { decision: "deny", code: "DANGEROUS", reason: `${danger.reason}: ${danger.excerpt}` };
  }
  const outside =
    rules.workingDirectory === "project" ? directoryOutside(reading, rules.projectRoot) : undefined;
  return outside === undefined ? undefined : deny(`it goes to ${outside}, outside the project`);
}

function deny(reason: string): Decision {
  return { decision: "deny", code: "DENIED", reason };
}

function askReason({ tool, patterns, command }: ApprovalSubject): string {
  if (command === undefined)
    return tool.startsWith("mcp__") ? "it is not known what it does" : `${tool} can make changes`;
  return patterns === undefined || patterns.length === 0
    ? "it does more than the commands on the safe list"
    : `not on the safe list: ${patterns.join(", ")}`;
}

/** A shell command in a tool's input: what the safety rules look at. */
interface ShellText {
  readonly command: string;
  /** The call is this command and nothing else. */
  readonly isAll: boolean;
}

function findShellTexts(tool: string, input: unknown): readonly ShellText[] {
  const { command, language, code, cells } = asRecord(input);
  if (tool === "bash") return readWholeCommand(command);
  if (tool === "exec" && language === "bash") return readWholeCommand(code);
  if (tool !== "python") return [];
  const codes = Array.isArray(cells) ? cells.map((cell) => asRecord(cell)["code"]) : [];
  return codes
    .filter((text) => typeof text === "string")
    .flatMap(findCellCommands)
    .map((text) => ({ command: text, isAll: false }));
}

/** The `cwd` of the call. */
function wantedDirectory(input: unknown, home: string): string | undefined {
  const { cwd } = asRecord(input);
  return typeof cwd === "string" ? expandHome(cwd, home) : undefined;
}

function readWholeCommand(text: unknown): ShellText[] {
  return typeof text === "string" ? [{ command: text, isAll: true }] : [];
}
