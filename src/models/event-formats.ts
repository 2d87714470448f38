/** Which event is a provider's last one, by wire format. */

import { asRecord, parseJson } from "../protocol/record.ts";
import type { EventFormat } from "./event-stream.ts";
import type { Wire } from "./providers.ts";
import { responsesMender } from "./responses-events.ts";

export const eventFormats: Readonly<Record<Wire, EventFormat>> = {
  anthropic: { isLast: hasType(["message_stop"]) },
  openai: {
    isLast: hasType(["response.completed", "response.incomplete", "response.failed"]),
    mender: responsesMender,
  },
  // Whatever follows a finish reason adds nothing that omp reads, once the tokens are counted.
  google: {
    isLast: (data) => {
      if (!data.includes('"finishReason"') || !data.includes('"usageMetadata"')) return false;
      const { candidates, usageMetadata } = asRecord(parseJson(data));
      const [first] = Array.isArray(candidates) ? candidates : [];
      return usageMetadata !== undefined && typeof asRecord(first)["finishReason"] === "string";
    },
  },
  compatible: { isLast: (data) => data.trim() === "[DONE]" },
};

function hasType(types: readonly string[]): (data: string) => boolean {
  return (data) =>
    // Text that a model writes may contain the words: only then is it worth parsing.
    types.some((type) => data.includes(`"${type}"`)) &&
    types.includes(String(asRecord(parseJson(data))["type"]));
}
