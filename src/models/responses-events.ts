/**
 * Events of the Responses API as servers other than OpenAI's send them: fields that the SDK insists on are filled in where what they say
 * is clear without them.
 */

import { asRecord, isRecord, parseJson, type UnknownRecord } from "../protocol/record.ts";

interface Item {
  readonly index: number;
  readonly id: string;
}

/** One for each stream: it remembers the items, so that an event without their id or index belongs to the newest one. */
export function responsesRepair(): (data: string) => readonly string[] {
  const items: Item[] = [];

  const itemOf = ({ output_index, item_id, item }: UnknownRecord): Item => {
    const id = item_id ?? idOf(item);
    const found =
      items.find((each) => each.id === id || each.index === output_index) ??
      (id === undefined && output_index === undefined ? items.at(-1) : undefined);
    return found ?? addItem(output_index, id);
  };

  const addItem = (output_index: unknown, id: unknown): Item => {
    const index = typeof output_index === "number" ? output_index : items.length;
    const added = { index, id: typeof id === "string" ? id : `item_${index}` };
    items.push(added);
    return added;
  };

  return (data) => {
    const event = parseJson(data);
    if (!isRecord(event) || typeof event["type"] !== "string") return [data];
    const { type } = event;
    if (type === "response.output_item.added") {
      const item = addItem(event["output_index"], idOf(event["item"]));
      return [JSON.stringify(withItem(event, item))];
    }
    if (type === "response.output_item.done") return [JSON.stringify(withItem(event, itemOf(event)))];
    if (/\.(?:delta|done|added)$/.test(type)) {
      const known = items.length;
      const { index, id } = itemOf(event);
      const completed = JSON.stringify({ summary_index: 0, ...event, output_index: index, item_id: id });
      if (items.length === known || !type.startsWith("response.reasoning_summary")) return [completed];
      // The SDK must have heard of reasoning before its summary.
      const item = { type: "reasoning", id };
      return [JSON.stringify({ type: "response.output_item.added", output_index: index, item }), completed];
    }
    return [isRecord(event["response"]) ? JSON.stringify(withResponse(event, event["response"])) : data];
  };
}

/** llama.cpp's calls have no id but that of the call. */
function idOf(item: unknown): unknown {
  const { id, call_id } = asRecord(item);
  return id ?? call_id;
}

function withItem(event: UnknownRecord, { index, id }: Item): UnknownRecord {
  const item = asRecord(event["item"]);
  const call = item["type"] === "function_call" ? { call_id: id, arguments: "", status: "completed" } : {};
  return { ...event, output_index: index, item: { ...call, ...item, id } };
}

function withResponse(event: UnknownRecord, response: UnknownRecord): UnknownRecord {
  const usage = response["usage"];
  const counted = isRecord(usage) ? { usage: { input_tokens: 0, output_tokens: 0, ...usage } } : {};
  return {
    sequence_number: 0,
    ...event,
    response: { id: "", created_at: 0, model: "", ...response, ...counted },
  };
}
