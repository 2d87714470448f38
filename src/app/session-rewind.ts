/** A live session's way back: the prompts that it can return to, what a return would change, and the return. */

import type { Agent } from "../agent/agent.ts";
import { noticeMessage, summaryMessage } from "../agent/messages.ts";
import type { SessionEntry } from "../history/entry.ts";
import { historyOf } from "../history/history.ts";
import type { SessionLog } from "../history/log.ts";
import { cellsBefore, type Prompt, promptsIn } from "../history/prompts.ts";
import { readSession } from "../history/read.ts";
import { SessionMoments } from "./moments.ts";
import {
  performRewind,
  previewRewind,
  previewUndo,
  type RewindChoice,
  type RewindParts,
  type RewindPreview,
  type RewindReport,
} from "./rewind.ts";
import type { Services } from "./services.ts";
import type { AgentSessionOptions } from "./session-options.ts";
import { ShellMoments } from "./shell-moments.ts";

export interface SessionRewindParts extends RewindParts {
  readonly agent: Agent;
  readonly log: () => SessionLog | undefined;
}

/** From here on the session keeps what it can be taken back to, unless nothing is logged or nothing is done. */
export function openRewind({
  agent,
  services,
  options,
  log,
}: Pick<SessionRewindParts, "agent" | "log"> & {
  readonly services: Services;
  readonly options: Pick<AgentSessionOptions, "dryRun" | "events">;
}): SessionRewind {
  const { onNotCovered } = options.events ?? {};
  const shell = new ShellMoments(services.shells);
  const variables = services.workspace.toolMode === "bash-only" ? undefined : services.python.history;
  if (log() !== undefined && options.dryRun !== true)
    services.moments.current = new SessionMoments({
      shell,
      files: services.files,
      variables,
      log,
      onNotCovered,
    });
  return new SessionRewind({
    agent,
    log,
    shell,
    variables,
    get files() {
      return services.files();
    },
  });
}

export class SessionRewind {
  readonly #parts: SessionRewindParts;

  constructor(parts: SessionRewindParts) {
    this.#parts = parts;
  }

  /** Undefined when no log is kept. */
  prompts(): Prompt[] | undefined {
    const log = this.#parts.log();
    return log && promptsIn(readSession(log.path).entries);
  }

  async preview(prompt: Prompt, signal: AbortSignal): Promise<RewindPreview> {
    return await previewRewind(this.#entries(), prompt, this.#parts, signal);
  }

  /** What taking back the last return would change; undefined when there was none. */
  async previewUndo(signal: AbortSignal): Promise<RewindPreview | undefined> {
    const log = this.#parts.log();
    const content = log && readSession(log.path);
    if (content?.lastRewind === undefined) return undefined;
    return await previewUndo(content.entries, content.lastRewind, this.#parts, signal);
  }

  get canUndo(): boolean {
    const log = this.#parts.log();
    return log !== undefined && readSession(log.path).lastRewind !== undefined;
  }

  /** The cells that would make the variables of that moment again, if they do what they did. */
  cells(prompt: Prompt): string[] {
    return cellsBefore(this.#entries(), prompt);
  }

  /** The same as a unified diff. */
  async patch({ files }: RewindPreview): Promise<string> {
    if (files.kind === "impossible" || "off" in this.#parts.files) return "";
    return await this.#parts.files.patch(files.now, files.target);
  }

  /** Throws OmpError, or the signal's reason: nothing has changed then. @returns with the conversation's entries afterwards. */
  async perform(
    seen: RewindPreview,
    choice: RewindChoice,
    signal: AbortSignal,
  ): Promise<RewindReport & { readonly entries: readonly SessionEntry[] }> {
    const { agent } = this.#parts;
    const report = await performRewind(seen, choice, this.#parts, signal);
    const log = this.#parts.log();
    const { before } = report;
    log?.rewind(choice.conversation ? seen.keep : this.#entries().length, { before, isUndo: seen.isUndo });
    if (choice.conversation) {
      log?.bringBack(seen.again);
      agent.replaceHistory(historyOf(this.#entries(), summaryMessage));
    } else this.#tellModel(report);
    return { ...report, entries: this.#entries() };
  }

  /** The conversation goes on, and says things about files and variables that are no longer so. */
  #tellModel({ files, variables, shell }: RewindReport): void {
    const what = [
      ...(files === undefined ? [] : ["the project's files"]),
      ...(variables === undefined || "reason" in variables ? [] : ["the Python variables"]),
      ...(shell !== undefined && shell.reason === undefined ? ["the shell's directory and variables"] : []),
    ];
    if (what.length === 0) return;
    const notice = `The user has taken back ${what.join(", ")} to an earlier moment of this session: look again before you rely on what was done since.`;
    const message = noticeMessage("announcement", notice);
    this.#parts.agent.add(message);
    this.#parts.log()?.append({ type: "user", message });
  }

  #entries(): readonly SessionEntry[] {
    const log = this.#parts.log();
    return log === undefined ? [] : readSession(log.path).entries;
  }
}
