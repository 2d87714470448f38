/** A tool that asks before it runs: `decide.ts` decides, and the policy's `ask` puts the question to the user. */

import type { Tool, ToolContext, ToolResult } from "../../protocol/index.ts";
import { errorResult, ToolError } from "../tool-error.ts";
import { type ApprovalMode, type ApprovalRules, type Decision, decide } from "./decide.ts";
import { type ApprovalSubject, Grants } from "./grants.ts";

export type ApprovalAnswer = "once" | "session" | "always" | "no";

export interface ApprovalQuestion {
  readonly subject: ApprovalSubject;
  readonly reason: string;
  readonly signal: AbortSignal;
}

export interface ApprovalPolicy {
  readonly mode: ApprovalMode;
  readonly rules: ApprovalRules;
  readonly grants: Grants;
  /** The current directory of the session's shell; undefined before its first command. */
  readonly shellDirectory?: (() => string | undefined) | undefined;
  /** Without it, as in headless runs, every question is answered with no. */
  readonly ask?: ((question: ApprovalQuestion) => Promise<ApprovalAnswer>) | undefined;
}

export function approvalPolicy(
  options: Omit<ApprovalPolicy, "grants"> & { readonly grants?: Grants },
): ApprovalPolicy {
  return { ...options, grants: options.grants ?? new Grants() };
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
    run: async (input, context) => {
      const refusal = await checkApproval(tool, input, context, policy);
      return refusal ?? tool.run(input, context);
    },
  };
}

async function checkApproval<Input>(
  tool: Tool<Input>,
  input: Input,
  context: ToolContext,
  policy: ApprovalPolicy,
): Promise<ToolResult | undefined> {
  const { mode, rules, grants } = policy;
  const shellDirectory = tool.name === "bash" ? policy.shellDirectory?.() : undefined;
  const decision = await decide({
    mode,
    rules,
    grants,
    tool: { name: tool.name, readOnly: tool.readOnly, summary: () => tool.summary(input) },
    input,
    cwd: shellDirectory ?? context.cwd,
  });
  if (decision.decision === "run") return undefined;
  if (decision.decision === "deny") return refusalResult(tool.name, decision);
  const { subject, reason } = decision;
  if (policy.ask === undefined) {
    return refusalResult(tool.name, {
      reason: `${reason}; approval is needed, but this run is non-interactive`,
      code: "DENIED",
    });
  }
  const answer = await policy.ask({ subject, reason, signal: context.signal });
  if (answer === "no") return refusalResult(tool.name, { reason: "the user said no", code: "DENIED" });
  if (answer !== "once") grants.remember(subject, answer);
  return undefined;
}

function refusalResult(
  operation: string,
  { reason, code }: Pick<Extract<Decision, { decision: "deny" }>, "reason" | "code">,
) {
  const details = { approval: "denied" };
  return errorResult(new ToolError({ operation, issue: `blocked: ${reason}`, code }, { details }));
}
