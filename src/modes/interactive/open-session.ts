/** Opens what the prompt needs, after it was painted: model, tools, session; then the kernel, so that the first cell need not wait. */

import { basename } from "node:path";
import { type AgentEvent, OmpError } from "../../protocol/index.ts";
import type { SessionEntry } from "../../session/entry.ts";
import type { Store } from "../../ui/store/store.ts";
import type { AgentSession } from "../agent-session.ts";
import type { HeadlessOptions } from "../headless.ts";
import type { ModePlace } from "../io.ts";
import type { Conversation } from "./conversation.ts";
import type { Questions } from "./questions.ts";

const NO_MODEL =
  "No model is configured: this is the built-in demo. Set ANTHROPIC_API_KEY, OPENAI_API_KEY or another key and start again, or see: omp models. ! and $ work without one.";

export interface OpenOptions {
  readonly options: HeadlessOptions;
  readonly place: ModePlace;
  readonly store: Store;
  readonly questions: Questions;
  readonly conversation: Conversation;
}

/** Throws what `openAgentSession` throws. */
export async function openSession(open: OpenOptions): Promise<AgentSession> {
  const { options, place, store, questions, conversation } = open;
  const [{ openAgentSession }, { hasModel }, { ompPaths }, { settingsGrantStore }] = await Promise.all([
    import("../agent-session.ts"),
    import("../has-model.ts"),
    import("../../config/paths.ts"),
    import("./grant-store.ts"),
  ]);
  const tell = (text: string) => store.dispatch({ type: "told", tone: "info", text });
  const io = {
    stdout: () => undefined,
    stderr: (text: string) => store.dispatch({ type: "told", tone: "warning", text: text.trimEnd() }),
  };
  const isDemo = options.model === undefined && !(await hasModel(place));
  const { settingsFile } = ompPaths({ env: place.env });
  const session = await openAgentSession(
    {
      ...options,
      model: isDemo ? "demo" : options.model,
      ask: questions.ask,
      grantStore: settingsGrantStore({ settingsFile, tell }),
    },
    io,
    place,
  );
  const { name, contextTokens } = session.model.facts;
  store.dispatch({ type: "facts", facts: { model: shortName(name), contextTokens } });
  if (isDemo) tell(NO_MODEL);
  const events = session.earlier.filter(isShown);
  if (events.length > 0) store.dispatch({ type: "restored", events });
  conversation.opened(session);
  void warmUp(session, store);
  return session;
}

/** A script is named by its file; where that is does not fit into a line. */
function shortName(name: string): string {
  return name.startsWith("script:") ? `script:${basename(name)}` : name;
}

/** Of an earlier session: the conversation, and not that it was opened and closed. */
function isShown(entry: SessionEntry): entry is Extract<SessionEntry, AgentEvent> {
  return entry.type !== "opened" && entry.type !== "closed" && entry.type !== "end";
}

async function warmUp({ services, toolNames }: AgentSession, store: Store): Promise<void> {
  if (!toolNames.includes("python")) return;
  const facts = await services.pythonFacts();
  const interpreter = facts && `Python ${facts.version}`;
  const show = (state: "starting" | "idle" | "dead") => {
    // A cell that runs meanwhile says more.
    if (store.get().facts.kernel.state === "busy") return;
    store.dispatch({ type: "facts", facts: { kernel: { state, since: Date.now(), interpreter } } });
  };
  show("starting");
  try {
    await services.warmUp(new AbortController().signal);
    show("idle");
  } catch (error) {
    if (!(error instanceof OmpError)) throw error;
    show("dead");
    if (error.code !== "KERNEL_CLOSED")
      store.dispatch({ type: "told", tone: "warning", text: error.message });
  }
}
