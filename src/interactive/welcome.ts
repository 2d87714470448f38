/** What the user reads at the first start: what was found here, what is missing, and what to try. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AgentSession } from "../app/agent-session.ts";
import type { OmpPaths } from "../config/paths.ts";
import type { Store } from "../ui/store/store.ts";
import type { TableRow } from "./command.ts";
import { shortName } from "./model-commands.ts";

/** Must be called before anything is opened: opening leaves files behind. */
export function isFirstStart({ home, sessions }: OmpPaths): boolean {
  return !existsSync(sessions) && !existsSync(join(home, "agent", "history.jsonl"));
}

export async function welcome(
  { services, model }: AgentSession,
  store: Store,
  { isDemo }: { readonly isDemo: boolean },
): Promise<void> {
  const { mode, degraded } = await services.python.toolMode();
  const hasPython = mode !== "bash-only";
  const rows: TableRow[] = [
    [
      "Python",
      hasPython ? await foundPython(services) : degraded ? "none that works (see above)" : "switched off",
    ],
    ["Model", isDemo ? "none yet" : shortName(model.facts.name)],
    [
      "Try",
      ["/demo for a tour", "!ls in the shell", ...(hasPython ? ["$1 + 1 in Python"] : []), "/help"].join(
        ", ",
      ),
    ],
  ];
  store.dispatch({ type: "answer", title: "Welcome. Found on this machine:", text: "", rows });
}

async function foundPython({ python }: AgentSession["services"]): Promise<string> {
  const facts = await python.facts();
  if (facts === undefined) return python.host.short === undefined ? "not checked" : `at ${python.host.short}`;
  const { version, packages, path } = facts;
  return `${[version, packages.join(", ")].filter(Boolean).join(" with ")}; ${path}`;
}
