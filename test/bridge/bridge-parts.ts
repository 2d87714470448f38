/** A bridge over tools that a test makes up, and what went over it. */

import type { BridgeParts, NestedCall } from "../../src/bridge/call-bridge.ts";
import { CallBridge } from "../../src/bridge/call-bridge.ts";
import { Spending } from "../../src/bridge/limits.ts";
import type { NestedEvent, ToolResult } from "../../src/protocol/index.ts";

const MAX_COST_USD = 5;

export interface TestBridge {
  readonly bridge: CallBridge;
  readonly abort: () => void;
  /** `+p.1 read` when a call begins, `-p.1` when it ends. */
  readonly log: string[];
  tool(name: string, input?: unknown, id?: string): Promise<Readonly<Record<string, unknown>>>;
}

export function testBridge(
  run: (call: NestedCall) => Promise<ToolResult>,
  {
    limits,
    ...parts
  }: Partial<Omit<BridgeParts, "limits">> & { limits?: Partial<BridgeParts["limits"]> } = {},
): TestBridge {
  const log: string[] = [];
  const controller = new AbortController();
  let requests = 0;
  const bridge = new CallBridge(
    {
      parent: "p",
      depth: 1,
      limits: { maxCalls: 10, maxConcurrency: 2, maxDepth: 1, maxCostUsd: MAX_COST_USD, ...limits },
      spending: new Spending(limits?.maxCostUsd ?? MAX_COST_USD),
      concurrency: (name) => (name === "read" ? "parallel" : "exclusive"),
      run,
      openModel: () => Promise.reject(new Error("no model is asked")),
      onEvent: async (event: NestedEvent) => {
        log.push(event.type === "tool_call" ? `+${event.id} ${event.name}` : `-${event.id}`);
      },
      ...parts,
    },
    { signal: controller.signal },
  );
  const tool = (name: string, input: unknown = {}, id = `request-${++requests}`) =>
    bridge.answer({ id, about: "tool", name, input });
  return { bridge, log, tool, abort: () => controller.abort() };
}

export function result(output: string, more: Partial<ToolResult> = {}): ToolResult {
  return { isError: false, output, details: {}, ...more };
}

/** A tool whose calls end when they are told to, or are aborted. */
export function held() {
  const waiting: { readonly call: NestedCall; readonly end: (result: ToolResult) => void }[] = [];
  const run = (call: NestedCall) =>
    new Promise<ToolResult>((resolve) => {
      waiting.push({ call, end: resolve });
      call.signal.addEventListener("abort", () => resolve(result("stopped", { isError: true })));
    });
  return { waiting, run };
}
