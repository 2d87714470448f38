/** `/approval`: what may run without a question, from now on. */

import type { ApprovalMode } from "../app/toolbox.ts";
import { approvalMeanings, showApproval } from "./approval-mode.ts";
import { inform, type OpenCall, warn } from "./command.ts";

const names = Object.keys(approvalMeanings);

/** `/approval`, and `/approval <mode>`. */
export async function approval(call: OpenCall): Promise<void> {
  const { conversation, argument } = call;
  const { approval: chosen } = call.session.services;
  if (argument !== "" && !isMode(argument))
    return warn(call, `Unknown approval mode '${argument}'. Use one of ${names.join(", ")}.`);
  const choices = chosen.allowed.map((mode) => ({
    label: mode,
    description: approvalMeanings[mode],
    value: mode,
  }));
  const first = chosen.allowed.indexOf(chosen.mode);
  const mode =
    argument || (await conversation.pickers.pick({ title: "What runs without asking", choices, first }));
  if (mode === undefined || !isMode(mode)) return;
  if (!chosen.set(mode))
    return warn(call, `This project's settings allow only ${chosen.allowed.join(" and ")}.`);
  showApproval(mode, conversation.store);
  inform(
    call,
    `Approval: ${mode}, ${approvalMeanings[mode]}. To make it the default: /settings approval ${mode}`,
  );
}

function isMode(name: string): name is ApprovalMode {
  return names.includes(name);
}
