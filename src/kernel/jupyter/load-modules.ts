/**
 * Extension modules, loaded one by one when the boot code has run: one that hangs is interrupted and named, and what they print is late
 * output, which the first cell shows.
 */

import { within } from "../../async/within.ts";
import { formatLimit } from "../../format/durations.ts";
import { KernelError } from "../errors.ts";
import type { KernelFacts } from "../kernel.ts";
import type { MessageContent } from "../message.ts";
import type { ExtensionModule } from "../python/extension-modules.ts";
import { moduleRequest, readModuleReply } from "../python/init-code.ts";
import type { JupyterClient } from "./client.ts";
import type { Exchange } from "./exchange.ts";

/** @returns those that failed. @param limitMs for each of them, and once more after an interrupt. */
export async function loadModules(
  client: JupyterClient,
  modules: readonly ExtensionModule[],
  limitMs: number,
): Promise<KernelFacts["failedModules"]> {
  const failed: KernelFacts["failedModules"][number][] = [];
  for (const module of modules) {
    const error = await load(client, module, limitMs);
    if (error !== undefined) failed.push({ name: module.name, error });
  }
  return failed;
}

async function load(
  client: JupyterClient,
  module: ExtensionModule,
  limitMs: number,
): Promise<string | undefined> {
  const asked = client.request("shell", "execute_request", moduleRequest(module));
  const answer = readAnswer(client, asked);
  const isInTime = await within(asked.ended, limitMs);
  if (!isInTime) {
    void client.request("control", "interrupt_request", {});
    if (!(await within(asked.ended, limitMs))) {
      // It ends with the kernel, and nothing waits for it any more.
      answer.catch(() => undefined);
      throw hangingError(module);
    }
  }
  const error = readModuleReply(await answer);
  return isInTime ? error : `it did not end in ${formatLimit(limitMs)}, and was interrupted`;
}

/** The reply. Throws KernelError when the kernel ends first. */
async function readAnswer(client: JupyterClient, asked: Exchange): Promise<MessageContent> {
  let reply: MessageContent = {};
  for await (const message of asked) {
    if (message.header.msg_type === "execute_reply") reply = message.content;
    else client.keepForLater(message);
  }
  return reply;
}

function hangingError({ name, path }: ExtensionModule): KernelError {
  const issue = `the extension module ${name} hangs, and does not respond to an interrupt; fix or remove ${path}`;
  return new KernelError({ kind: "start-failed", issue, code: "KERNEL_MODULE" });
}
