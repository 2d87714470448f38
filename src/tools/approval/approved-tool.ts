/** A tool that asks before it runs: `decide.ts` decides, and the policy's `ask` puts the question to the user. */

import type { Tool, ToolContext, ToolDetails } from "../../protocol/index.ts";
import { asRecord } from "../../protocol/record.ts";
import type { LiveShell } from "../../shell/safety/index.ts";
import { ToolError } from "../tool-error.ts";
import { type ApprovalMode, type ApprovalRules, decide, refusalOf } from "./decide.ts";
import type { ApprovalSubject, Grants } from "./grants.ts";

/** `declined`: a no, with the reason that the model is told. */
export type ApprovalAnswer = "once" | "session" | "always" | "no" | { readonly declined: string };

export interface ApprovalQuestion {
  readonly subject: ApprovalSubject;
  readonly reason: string;
  /** The subagent that wants it; undefined for the session's own model. */
  readonly asker?: string | undefined;
  readonly signal: AbortSignal;
}

export interface ShellWhere {
  /** Of the sandbox. */
  readonly isOutside: boolean;
}

export interface ApprovalPolicy {
  /** The present one: it may be switched while the session goes on. */
  readonly mode: ApprovalMode;
  readonly rules: ApprovalRules;
  readonly grants: Grants;
  /** The current directory of the session's shell; undefined before its first command. */
  readonly shellDirectory?: (() => string | undefined) | undefined;
  /** What is known of the shell that a tool's commands run in. */
  readonly shell?: ((tool: string, where: ShellWhere) => Promise<LiveShell>) | undefined;
  /** Without it, as in headless runs, every question is answered with no. */
  readonly ask?: ((question: ApprovalQuestion) => Promise<ApprovalAnswer>) | undefined;
}

/** The same tool, which runs only what the policy lets through; a refusal is a tool error of one line. */
export function withApproval<Input>(tool: Tool<Input>, policy: ApprovalPolicy): Tool<Input> {
  return {
    name: tool.name,
    description: tool.description,
    concurrency: tool.concurrency,
    readOnly: tool.readOnly,
    // Made when it is asked for, as by the tool itself.
    get inputSchema() {
      return tool.inputSchema;
    },
    check: (raw) => tool.check(raw),
    summary: (input) => tool.summary(input),
    vet: async (input, context) => {
      await questionAbout(tool, input, context, policy);
    },
    run: async (input, context) => {
      const question = await questionAbout(tool, input, context, policy);
      if (question !== undefined) {
        const release = context.holdTime?.();
        await requireYes(tool, question, policy).finally(release);
      }
      if (!tool.readOnly) await context.beforeChange?.();
      return tool.run(input, { ...context, refusalOf: (command) => refusalOf(command, policy.rules) });
    },
  };
}

/** What the user has to say yes to first; undefined when nothing. Throws the refusal of a call that may not run. */
async function questionAbout<Input>(
  tool: Tool<Input>,
  input: Input,
  context: ToolContext,
  policy: ApprovalPolicy,
): Promise<ApprovalQuestion | undefined> {
  const { rules, grants } = policy;
  const shellDirectory = tool.name === "bash" ? policy.shellDirectory?.() : undefined;
  const isOutside = context.sandbox !== undefined && asRecord(input)["no_sandbox"] === true;
  const decision = await decide({
    mode: policy.mode,
    rules,
    grants,
    tool: { name: tool.name, readOnly: tool.readOnly, summary: () => tool.summary(input) },
    input,
    cwd: shellDirectory ?? context.cwd,
    leavesSandbox: isOutside,
    shell: async () => await policy.shell?.(tool.name, { isOutside }),
  });
  if (decision.decision === "run") return undefined;
  if (decision.decision === "deny") throw refusalError(tool.name, decision.reason, decision.code);
  // Whoever types a command need not be asked whether it may run.
  if (context.isUsersOwn === true) return undefined;
  const { subject, reason } = decision;
  if (policy.ask === undefined) {
    throw refusalError(tool.name, `${reason}; approval is needed, but this run is non-interactive`);
  }
  return { subject, reason, asker: context.asker, signal: context.signal };
}

async function requireYes(
  { name }: Pick<Tool, "name">,
  question: ApprovalQuestion,
  { ask, grants }: ApprovalPolicy,
): Promise<void> {
  const answer = await ask?.(question);
  if (answer === undefined || answer === "no") throw declinedError(name, "");
  if (typeof answer === "object") throw declinedError(name, `: ${answer.declined}`);
  if (answer !== "once") grants.remember(question.subject, answer);
}

/** @param why after a colon, or empty. The person is shown their own part in their words. */
function declinedError(operation: string, why: string): ToolError {
  const lines = 1 + (why.match(/\n/g) ?? []).length;
  return refusalError(operation, `the user declined${why}`, "DENIED", {
    segments: [{ lines, note: `You declined${why}` }],
  });
}

function refusalError(operation: string, reason: string, code = "DENIED", more: ToolDetails = {}): ToolError {
  const details = { approval: "denied", ...more };
  return new ToolError({ operation, issue: `blocked: ${reason}`, code }, { details });
}
