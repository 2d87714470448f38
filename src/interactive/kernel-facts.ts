/** What the screen says about Python: its version, why there is none, and the state of its kernel. */

import type { AgentSession } from "../app/agent-session.ts";
import type { KernelEvents } from "../app/python.ts";
import { OmpError } from "../protocol/index.ts";
import type { Store } from "../ui/store/store.ts";

/** @param services of the session that is open. */
export function kernelEvents(
  store: Store,
  services: () => AgentSession["services"] | undefined,
): KernelEvents {
  return {
    onKernel: (state) => {
      const before = store.get().facts.kernel.state;
      store.dispatch({
        type: "kernel",
        state,
        progress: undefined,
        ...(state === "dead" ? {} : { problem: undefined }),
      });
      // Each start looks for the interpreter anew.
      const open = services();
      if (before === "starting" && state !== "starting" && open !== undefined)
        void showPython(open, { store, isCurrent: () => services() === open });
    },
    onKernelProgress: (progress) => store.dispatch({ type: "kernel", progress }),
    onKernelStateLost: (why) => {
      const text = `The kernel was stopped: ${why}. All variables, imports and other state are gone.`;
      store.dispatch({ type: "notice", tone: "warning", text });
    },
  };
}

/** Starts the kernel after the prompt appeared, so that the first cell need not wait. */
export async function warmUp(
  { services, toolNames }: AgentSession,
  { store, isCurrent }: Shown,
): Promise<void> {
  const { mode, why } = await services.python.toolMode();
  if (mode === "bash-only") {
    if (isCurrent()) store.dispatch({ type: "kernel", state: "unavailable", problem: why });
    return;
  }
  await showPython(services, { store, isCurrent });
  if (!isCurrent()) return;
  // Without the tool a kernel is needed for `$` only.
  if (!toolNames.includes("python")) return;
  try {
    const version = await services.python.warmUp(new AbortController().signal);
    await showPython(services, { store, isCurrent, version });
  } catch (error) {
    if (!(error instanceof OmpError)) throw error;
    if (error.code === "KERNEL_CLOSED" || !isCurrent()) return;
    store.dispatch({ type: "kernel", state: "dead", problem: error.message });
    store.dispatch({ type: "notice", tone: "warning", text: error.message });
  }
}

/** @param version what the kernel says itself: on another machine only it knows. */
export async function showPython(
  { python }: AgentSession["services"],
  { store, isCurrent, version }: Shown & { readonly version?: string | undefined },
): Promise<void> {
  const facts = await python.facts();
  if (!isCurrent()) return;
  store.dispatch({
    type: "kernel",
    interpreter: pythonName(version ?? facts?.version, python.host.short),
    environment: facts?.label,
  });
}

interface Shown {
  readonly store: Store;
  /** False once another session is open. */
  readonly isCurrent: () => boolean;
}

/** `Python 3.13.1`, or `Python 3.13.1 at lab` for one in a gateway; undefined when nothing is known. */
function pythonName(version: string | undefined, gateway: string | undefined): string | undefined {
  if (version === undefined && gateway === undefined) return undefined;
  return ["Python", version, gateway && `at ${gateway}`].filter(Boolean).join(" ");
}
