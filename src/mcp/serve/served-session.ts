/** What omp gives to another agent over one connection: its tools, with a kernel and a shell of their own. */

import type { OnUpdate, Tool, ToolResult } from "../../protocol/index.ts";

export interface ServedSession {
  list(): Promise<readonly Tool[]>;
  run(
    name: string,
    input: unknown,
    options: { readonly signal: AbortSignal; readonly onUpdate: OnUpdate },
  ): Promise<ToolResult>;
  close(): Promise<void>;
}

/** Puts a question of the approval policy to the person behind the client. */
export interface ClientQuestion {
  readonly title: string;
  readonly signal: AbortSignal;
}

export type AskClient = (question: ClientQuestion) => Promise<"once" | "session" | "no">;

/** @param ask undefined where the client cannot ask. */
export type OpenServed = (ask: AskClient | undefined) => Promise<ServedSession>;
