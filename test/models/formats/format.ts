/** What the shared suite must know of a wire format to speak it as the provider does. */

import type { CustomEndpoint } from "../../../src/models/custom-endpoint.ts";

export interface TurnSpec {
  readonly reasoning?: readonly string[];
  readonly text?: readonly string[];
  /** Arguments in the pieces that they are streamed in, where the format streams them. */
  readonly calls?: readonly {
    readonly id: string;
    readonly name: string;
    readonly pieces: readonly string[];
  }[];
}

export interface WireFormat {
  readonly name: string;
  readonly model: string;
  /** How the user would point omp at this address. */
  readonly optionsFor: (url: string) => {
    readonly env: Readonly<Record<string, string>>;
    readonly endpoints?: readonly CustomEndpoint[];
  };
  readonly path: string;
  readonly keyVariable: string;
  /** Where the key travels. */
  readonly keyIn: (headers: Headers) => string | null;
  /** A whole turn as server-sent events: 100 tokens in, of which 40 came from a cache, and 20 out. */
  readonly turn: (spec: TurnSpec) => string[];
  /** What the provider says instead of the rest of a turn. */
  readonly streamError: string;
  readonly errorBody: (status: number, problem: "auth" | "unknown" | "overflow" | "busy" | "bad") => string;
  /** From a request: the system prompt, the tools' names, every text and image by role. */
  readonly systemOf: (body: Record<string, unknown>) => unknown;
  readonly toolsOf: (body: Record<string, unknown>) => unknown;
  readonly conversationOf: (body: Record<string, unknown>) => unknown;
  /** The conversation that `history` in the suite must become. */
  readonly conversation: unknown;
  /** What of a turn's reasoning and calls must be in the next request, as it came. */
  readonly sentBack: unknown;
  readonly usage: Readonly<Record<string, number>>;
  readonly costUsd: number | undefined;
}

export const key = "sk-test-0123456789abcdef";
export const image = "iVBORw0KGgo=";

export function events(...data: readonly unknown[]): string[] {
  return data.map((each) => `data: ${JSON.stringify(each)}\n\n`);
}
