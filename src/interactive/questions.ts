/** Questions that open by themselves: one at a time on the screen, the others wait. */

import type { ApprovalAnswer, ApprovalQuestion } from "../app/toolbox.ts";
import { onAbort } from "../async/abort.ts";
import type { GivenAnswer } from "../ui/store/actions.ts";
import type { Question, QuestionRow } from "../ui/store/question-state.ts";
import type { Store } from "../ui/store/store.ts";

interface Open {
  readonly question: Question;
  /** The subagent that waits for it. */
  readonly asker: string | undefined;
  readonly answer: (given: GivenAnswer) => void;
}

const refusals: readonly QuestionRow[] = [
  { answer: "no", label: "No", description: "" },
  { answer: "no", label: "No, and say why", description: "", hasReason: true },
  { answer: "no", label: "Stop", description: "end this run", stops: true },
];

const NO: GivenAnswer = { answer: "no", reason: "" };

export class Questions {
  readonly #store: Store;
  #open: Open[] = [];
  #count = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Before a call runs. */
  readonly ask = async (asked: ApprovalQuestion): Promise<ApprovalAnswer> => {
    const { subject } = asked;
    const isMcp = subject.tool.startsWith("mcp__");
    const details = [
      // Of a subagent there is no call on the screen, and of an MCP server's tool only its first line.
      subject.command ?? (asked.asker !== undefined || isMcp ? subject.input : undefined) ?? subject.summary,
      // The title and the summary may be cut.
      ...(subject.path === undefined || subject.summary.includes(subject.path) ? [] : [subject.path]),
      ...(subject.directory === undefined ? [] : [`in ${subject.directory}`]),
      ...subject.links.map(({ path, target }) => `${path} → ${target}`),
    ];
    const title = asked.asker === undefined ? titleOf(asked) : `${asked.asker}: ${titleOf(asked)}`;
    const given = await this.put(
      // Of a subagent, no call on the screen is meant.
      {
        tool: asked.asker === undefined ? subject.tool : undefined,
        title,
        details,
        rows: approvalRows(asked),
      },
      asked.signal,
      asked.asker,
    );
    return approvalAnswer(given);
  };

  /** @param signal answers with no. @returns the answer that was chosen; "no" for Esc. */
  async put(
    question: Pick<Question, "tool" | "title" | "details" | "rows" | "stopsOnEscape">,
    signal?: AbortSignal,
    asker?: string,
  ): Promise<GivenAnswer> {
    const { promise, resolve } = Promise.withResolvers<GivenAnswer>();
    this.#count += 1;
    const id = this.#count;
    this.#open.push({ question: { ...question, id, onEscape: NO.answer }, asker, answer: resolve });
    const stopListening = signal && onAbort(signal, () => this.answer(id, NO));
    this.#show();
    return await promise.finally(stopListening);
  }

  /** The ids of the subagents that wait for an answer. */
  get askers(): readonly string[] {
    return this.#open.flatMap(({ asker }) => asker ?? []);
  }

  answer(id: number, given: GivenAnswer): void {
    const found = this.#open.find(({ question }) => question.id === id);
    if (!found) return;
    this.#open = this.#open.filter((open) => open !== found);
    found.answer(given);
    this.#store.dispatch({ type: "answered", id });
    this.#show();
  }

  #show(): void {
    const [first] = this.#open;
    if (!first || this.#store.get().question?.id === first.question.id) return;
    this.#store.dispatch({ type: "asked", question: first.question });
  }
}

/** `Allow write to new.py?` */
function titleOf({ subject, reason }: ApprovalQuestion): string {
  const { tool, path, leavesSandbox, patterns, command } = subject;
  if (leavesSandbox) return "Run without the sandbox?";
  // What is not on the list is all of what stands below.
  if (patterns?.length === 1 && patterns[0] === command) return `Allow ${tool}? Not on the safe list`;
  if (path === undefined) return `Allow ${tool}? ${reason.charAt(0).toUpperCase()}${reason.slice(1)}`;
  return `Allow ${tool} ${tool === "edit" ? "of" : "to"} ${path}?`;
}

function approvalRows({ subject }: ApprovalQuestion): QuestionRow[] {
  if (subject.leavesSandbox) {
    return [
      { answer: "once", label: "Yes", description: "this once, with all your permissions" },
      ...refusals,
    ];
  }
  const patterns = (subject.patterns ?? []).join(", ");
  const always = {
    answer: "always",
    label: "Always",
    description: patterns,
    confirm: `Always run this without asking, in every project? ${patterns}`,
  };
  return [
    { answer: "once", label: "Yes", description: "" },
    { answer: "session", label: "Yes, for this session", description: subject.covers ?? "" },
    ...(patterns === "" ? [] : [always]),
    ...refusals,
  ];
}

function approvalAnswer({ answer, reason }: GivenAnswer): ApprovalAnswer {
  if (answer === "once" || answer === "session" || answer === "always") return answer;
  return reason === "" ? "no" : { declined: reason };
}
