/** What the screen says about Python: its version, why there is none, and the state of its kernel. */

import type { AgentSession } from "../app/agent-session.ts";
import type { KernelEvents } from "../app/python.ts";
import { OmpError } from "../protocol/index.ts";
import type { Store } from "../ui/store/store.ts";

export function kernelEvents(store: Store): KernelEvents {
  return {
    onKernel: (state) =>
      store.dispatch({ type: "kernel", state, ...(state === "dead" ? {} : { problem: undefined }) }),
    onKernelStateLost: (why) => {
      const text = `The kernel was stopped: ${why}. All variables, imports and other state are gone.`;
      store.dispatch({ type: "notice", tone: "warning", text });
    },
  };
}

/** Starts the kernel after the prompt appeared, so that the first cell need not wait. @param isCurrent false once another session is open. */
export async function warmUp(
  { services, toolNames }: AgentSession,
  { store, isCurrent }: { readonly store: Store; readonly isCurrent: () => boolean },
): Promise<void> {
  const { mode, why } = await services.python.toolMode();
  if (mode === "bash-only") {
    if (isCurrent()) store.dispatch({ type: "kernel", state: "unavailable", problem: why });
    return;
  }
  const facts = await services.python.facts();
  if (!isCurrent()) return;
  const show = (version: string | undefined) =>
    store.dispatch({ type: "kernel", interpreter: pythonName(version, services.python.host.short) });
  show(facts?.version);
  // Without the tool a kernel is needed for `$` only.
  if (!toolNames.includes("python")) return;
  try {
    const version = await services.python.warmUp(new AbortController().signal);
    // On another machine only the kernel knows its Python's version.
    if (version !== undefined && isCurrent()) show(version);
  } catch (error) {
    if (!(error instanceof OmpError)) throw error;
    if (error.code === "KERNEL_CLOSED" || !isCurrent()) return;
    store.dispatch({ type: "kernel", state: "dead", problem: error.message });
    store.dispatch({ type: "notice", tone: "warning", text: error.message });
  }
}

/** `Python 3.13.1`, or `Python 3.13.1 at lab` for one in a gateway; undefined when nothing is known. */
function pythonName(version: string | undefined, gateway: string | undefined): string | undefined {
  if (version === undefined && gateway === undefined) return undefined;
  return ["Python", version, gateway && `at ${gateway}`].filter(Boolean).join(" ");
}
