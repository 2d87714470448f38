/** Which event is a provider's last one, by wire format. */

import { asRecord, isRecord, parseJson } from "../protocol/record.ts";
import type { EventFormat } from "./event-stream.ts";
import type { Wire } from "./providers.ts";
import { responsesRepair } from "./responses-events.ts";

export const eventFormats: Readonly<Record<Wire, EventFormat>> = {
  anthropic: { ender: () => hasType(["message_stop"]) },
  openai: {
    ender: () => hasType(["response.completed", "response.incomplete", "response.failed"]),
    makeRepair: responsesRepair,
  },
  // Whatever follows a finish reason adds nothing that omp reads, once the tokens are counted.
  google: {
    ender: () => (data) => {
      if (!data.includes('"finishReason"') || !data.includes('"usageMetadata"')) return false;
      const { candidates, usageMetadata } = asRecord(parseJson(data));
      const [first] = Array.isArray(candidates) ? candidates : [];
      return usageMetadata !== undefined && typeof asRecord(first)["finishReason"] === "string";
    },
  },
  compatible: { ender: completionsEnder },
};

/** `[DONE]`, which not every server sends: when the turn has its finish reason and the tokens are counted, nothing more can come. */
function completionsEnder(): (data: string) => boolean {
  let isFinished = false;
  return (data) => {
    if (data.trim() === "[DONE]") return true;
    // A reason is null or empty until the end; text that a model writes has its quotes escaped.
    if (!isFinished && !/"finish_reason"\s*:\s*"[^"]/.test(data)) return false;
    isFinished = true;
    return isRecord(asRecord(parseJson(data))["usage"]);
  };
}

function hasType(types: readonly string[]): (data: string) => boolean {
  return (data) =>
    // Text that a model writes may contain the words: only then is it worth parsing.
    types.some((type) => data.includes(`"${type}"`)) &&
    types.includes(String(asRecord(parseJson(data))["type"]));
}
