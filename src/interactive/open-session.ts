/**
 * Opens what the prompt needs after it was painted: model, tools, session; then the kernel, so that the first cell need not wait. Does the
 * same for a session that replaces another one.
 */

import type { AgentSession, AgentSessionOptions, SessionChoice } from "../app/agent-session.ts";
import { ompPaths } from "../config/paths.ts";
import { openProject, trustProject } from "../config/trust.ts";
import type { Invocation } from "../protocol/invocation.ts";
import type { Pictures } from "../ui/images/pictures.ts";
import { noneSpent, noTotals } from "../ui/store/state.ts";
import type { Store } from "../ui/store/store.ts";
import { showApproval } from "./approval-mode.ts";
import type { Conversation } from "./conversation.ts";
import { transcriptEvents } from "./earlier-events.ts";
import { Elicitations } from "./elicitations.ts";
import { kernelEvents, warmUp } from "./kernel-facts.ts";
import { shortName } from "./model-commands.ts";
import type { Questions } from "./questions.ts";
import { resumedText } from "./resumed-text.ts";

const NO_MODEL =
  "No model is configured, so this is the built-in demo. To use a model, set ANTHROPIC_API_KEY, OPENAI_API_KEY or another key and restart; omp models lists them all.";

export interface OpenOptions {
  readonly options: AgentSessionOptions;
  readonly invocation: Invocation;
  readonly store: Store;
  readonly questions: Questions;
  readonly conversation: Conversation;
  readonly pictures: Pick<Pictures, "draw">;
}

/** Throws what `openAgentSession` throws, and the signal's reason when omp ends before the session is opened. */
export async function openSession(open: OpenOptions, signal: AbortSignal): Promise<AgentSession> {
  const { hasModel } = await import("../app/model-choice.ts");
  const { options, invocation, store } = open;
  await askForTrust(open, signal);
  signal.throwIfAborted();
  const isDemo = options.model === undefined && !(await hasModel(invocation));
  const { isFirstStart, welcome } = await import("./welcome.ts");
  // A user who names a model is not new to omp.
  const isFirst = options.model === undefined && isFirstStart(ompPaths({ env: invocation.env }));
  const session = await openWith({
    ...open,
    options: { ...options, model: isDemo ? "demo" : options.model },
  });
  if (isFirst) await welcome(session, store, { isDemo });
  if (isDemo) store.dispatch({ type: "notice", tone: "info", text: NO_MODEL });
  await show(session, open);
  return session;
}

/** Asked only where there is something to decide. */
async function askForTrust({ invocation, questions }: OpenOptions, signal: AbortSignal): Promise<void> {
  const paths = ompPaths(invocation);
  const { root, isTrusted, trust } = openProject(invocation, paths);
  if (isTrusted) return;
  const what =
    trust.state === "changed"
      ? `Changed since you trusted it: ${trust.changes.join(", ")}`
      : `It contains things that omp would run or follow: ${trust.wants.join(", ")}`;
  const question = {
    tool: undefined,
    title: "Trust this project?",
    details: [what],
    rows: [
      { answer: "no", label: "No", description: "work without them" },
      { answer: "trust", label: "Trust", description: `${root}, as it is now` },
    ],
  };
  const { answer } = await questions.put(question, signal);
  if (answer === "trust") trustProject({ root, cwd: invocation.cwd, trustFile: paths.trustFile });
}

/** The present session is closed only when the other one is open: if that fails, this one continues. */
export async function switchSession(open: OpenOptions, id?: string): Promise<void> {
  const { conversation, options } = open;
  const before = conversation.session;
  if (!before) return;
  const model = before.model.facts.name;
  const { effort } = before;
  const approval = before.services.approval.mode;
  const sandbox = before.services.sandbox?.mode ?? "off";
  const session = await openWith({
    ...open,
    // As the user may have switched them.
    options: {
      ...options,
      session: id === undefined ? anew(options) : { kind: "resume", id },
      model,
      effort,
      approval,
      sandbox,
    },
  });
  const left = await before.close();
  await show(session, open, { left, before: before.resumeHint && before.sessionId });
}

/** A session that is not kept is not followed by one that is. */
function anew({ session }: AgentSessionOptions): SessionChoice {
  return { kind: session.kind === "none" ? "none" : "new" };
}

async function openWith(open: OpenOptions): Promise<AgentSession> {
  const { options, invocation, store, questions, conversation } = open;
  const [{ openAgentSession }, { settingsGrantStore }] = await Promise.all([
    import("../app/agent-session.ts"),
    import("../app/grant-store.ts"),
  ]);
  const io = {
    stdout: () => undefined,
    stderr: (text: string) => store.dispatch({ type: "notice", tone: "warning", text: text.trimEnd() }),
  };
  const paths = ompPaths({ env: invocation.env });
  const notify = (text: string) => store.dispatch({ type: "notice", tone: "info", text });
  const grantStore = settingsGrantStore({ paths, notify });
  const events = {
    ...kernelEvents(store, () => conversation.session?.services),
    onNotCovered: notify,
    // The menu of commands has their prompts.
    onMcpServers: () => store.dispatch({ type: "hint", text: store.get().hint }),
    onBackgroundShells: (ended?: string) => {
      // Also while a turn runs: they start and end on their own.
      const backgroundShells = runningShells(conversation.session);
      store.dispatch({ type: "facts", facts: { backgroundShells } });
      if (ended !== undefined) store.dispatch({ type: "notice", text: ended });
    },
  };
  const agentEvents = {
    onChange: (ended?: string) => {
      const backgroundAgents = conversation.session?.subagents.working.length ?? 0;
      store.dispatch({ type: "facts", facts: { backgroundAgents } });
      if (ended !== undefined) store.dispatch({ type: "notice", text: ended });
    },
    onAnnounced: store.dispatch,
  };
  const elicit = new Elicitations(questions, store).ask;
  const own = { ask: questions.ask, elicit, grantStore, events, agentEvents };
  return await openAgentSession({ ...options, ...own }, io, invocation);
}

/** Shows the conversation so far, and runs what is waiting. @param replaced the session before this one, where there was one. */
async function show(
  session: AgentSession,
  { store, conversation, pictures }: OpenOptions,
  replaced?: {
    /** Lines about what it had running. */
    readonly left: readonly string[];
    /** Its id, if it can be resumed. */
    readonly before: string | undefined;
  },
): Promise<void> {
  const events = await transcriptEvents(session.earlier, {
    pictures,
    artifacts: session.services.artifacts,
  });
  // Without a pause from here on: the old conversation is replaced in one frame.
  if (replaced) store.dispatch({ type: "cleared" });
  const { name, contextTokens, takesEffort } = session.model.facts;
  const kernel = { state: "none" as const, since: Date.now(), interpreter: undefined, cells: 0 };
  store.dispatch({
    type: "facts",
    facts: {
      model: shortName(name),
      contextTokens,
      usedTokens: 0,
      totals: noTotals,
      nested: noneSpent,
      costUsd: 0,
      backgroundShells: 0,
      backgroundAgents: 0,
      sandbox: session.services.sandbox?.mode,
      effort: takesEffort ? session.effort : undefined,
      kernel,
    },
  });
  const loaded = loadedText(session);
  if (loaded !== undefined) store.dispatch({ type: "notice", tone: "info", text: loaded });
  const words = events.length > 0 ? resumedText(session) : replaced && newText(replaced.before);
  const notes = [
    ...(replaced?.left ?? []).map((text) => ({ tone: "warning" as const, text })),
    ...(words === undefined ? [] : [{ tone: "info" as const, text: words }]),
  ];
  if (notes.length > 0) store.dispatch({ type: "restored", events, notes });
  showApproval(session.services.approval.mode, store);
  conversation.opened(session);
  void warmUp(session, { store, isCurrent: () => conversation.session === session });
}

/** How many there are in the background. */
export function runningShells(session: AgentSession | undefined): number {
  const shells = session?.services.shells.background() ?? [];
  return shells.filter(({ status }) => status === "running").length;
}

function newText(before: string | undefined): string {
  return before === undefined
    ? "New session."
    : `New session. To return to the previous one: /resume ${before.slice(0, 8)}`;
}

/** `AGENTS.md loaded`: what the model is told on top of omp's own words. */
function loadedText({ contextPaths, services }: AgentSession): string | undefined {
  const { cwd, paths } = services.workspace;
  const shown = contextPaths.map((path) => {
    if (path.startsWith(`${cwd}/`)) return path.slice(cwd.length + 1);
    return path.startsWith(`${paths.userHome}/`) ? `~${path.slice(paths.userHome.length)}` : path;
  });
  return shown.length === 0 ? undefined : `${shown.join(", ")} loaded`;
}
