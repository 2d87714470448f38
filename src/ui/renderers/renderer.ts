/** How a tool's calls are drawn, by the tool's name. A tool that is not here is drawn by its input and its output. */

import { asRecord } from "../../protocol/record.ts";
import type { CallItem } from "../store/state.ts";
import type { View } from "../view.ts";

export type ToolRenderer = (call: CallItem, view: View) => string[];

export type CallStatus = "waiting" | "running" | "ok" | "failed" | "stopped";

export function statusOf({ result, isAsked }: CallItem): CallStatus {
  if (result === undefined) return isAsked ? "waiting" : "running";
  const { cancelled, timedOut } = result.details;
  if (cancelled === true && timedOut !== true) return "stopped";
  return result.isError ? "failed" : "ok";
}

/** Lines of output at the end of a call that is not expanded. */
export function previewLines({ by }: CallItem): number {
  return by === "model" ? 10 : 20;
}

export function textIn(value: unknown, key: string): string | undefined {
  const found = asRecord(value)[key];
  return typeof found === "string" && found !== "" ? found : undefined;
}

export function listIn(value: unknown, key: string): readonly unknown[] {
  const found = asRecord(value)[key];
  return Array.isArray(found) ? found : [];
}

export function numberIn(value: unknown, key: string): number | undefined {
  const found = asRecord(value)[key];
  return typeof found === "number" ? found : undefined;
}
