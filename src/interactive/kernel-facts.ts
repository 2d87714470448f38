/** What the screen says of Python: which one, why there is none, and how its kernel stands, from the kernel itself. */

import type { AgentSession } from "../app/agent-session.ts";
import type { KernelEvents } from "../app/python.ts";
import { OmpError } from "../protocol/index.ts";
import type { Store } from "../ui/store/store.ts";

export function kernelNews(store: Store): KernelEvents {
  return {
    onKernel: (state) =>
      store.dispatch({ type: "kernel", state, ...(state === "dead" ? {} : { problem: undefined }) }),
    onKernelStateLost: (why) => {
      const text = `The kernel was stopped: ${why}. All variables, imports and other state are gone.`;
      store.dispatch({ type: "told", tone: "warning", text });
    },
  };
}

/** Starts the kernel behind the prompt, so that the first cell need not wait. @param isCurrent false once another session is open. */
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
  // Who left the tool out does not want a kernel before the first `$`.
  if (!toolNames.includes("python")) return;
  try {
    const version = await services.python.warmUp(new AbortController().signal);
    // Elsewhere only the kernel can tell which Python it is.
    if (version !== undefined && isCurrent()) show(version);
  } catch (error) {
    if (!(error instanceof OmpError)) throw error;
    if (error.code === "KERNEL_CLOSED" || !isCurrent()) return;
    store.dispatch({ type: "kernel", state: "dead", problem: error.message });
    store.dispatch({ type: "told", tone: "warning", text: error.message });
  }
}

/** `Python 3.13.1`, or `Python 3.13.1 at lab` for one in a gateway; undefined when nothing is known. */
function pythonName(version: string | undefined, gateway: string | undefined): string | undefined {
  if (version === undefined && gateway === undefined) return undefined;
  return ["Python", version, ...(gateway === undefined ? [] : ["at", gateway])].filter(Boolean).join(" ");
}
