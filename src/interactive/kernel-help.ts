/** Help from the session's kernel for code that is being typed. The protocol counts code points, the editor UTF-16 units. */

import type { KernelQuestion, MessageContent, SessionPython } from "../app/python.ts";
import { OmpError } from "../protocol/index.ts";
import { asRecord } from "../protocol/record.ts";
import type { CodeAnswer, CodeHelp, CodeName } from "../ui/store/code-help.ts";

/** More names than anyone looks through. */
const MAX_NAMES = 1_000;

/** @param branch the one that the code is to run in, if any. */
export function kernelHelp(
  services: () => Promise<{ readonly python: Pick<SessionPython, "ask"> }>,
  branch: () => string | undefined = () => undefined,
): CodeHelp {
  // Never aborted: a kernel start is useful to the next question as well, and callers drop answers that they no longer need.
  const { signal } = new AbortController();
  const ask = async <T>(
    question: KernelQuestion,
    content: MessageContent,
    read: (reply: MessageContent) => T,
  ): Promise<CodeAnswer<T>> => {
    try {
      const look = await (await services()).python.ask(question, content, { signal, branch: branch() });
      if (look.kind === "answer") return { kind: "answer", value: read(look.value) };
      return look.kind === "busy"
        ? look
        : { kind: "none", why: "Not available: each call has its own kernel here" };
    } catch (error) {
      if (!(error instanceof OmpError)) throw error;
      return { kind: "none", why: error.message };
    }
  };
  return {
    complete: (code, cursor) =>
      ask("complete_request", { code, cursor_pos: pointsIn(code.slice(0, cursor)) }, (reply) => ({
        start: Math.min(cursor, unitsIn(code, reply["cursor_start"])),
        names: namesIn(reply).slice(0, MAX_NAMES),
      })),
    inspect: (code, cursor, detail) => {
      const cursor_pos = pointsIn(code.slice(0, cursor));
      const detail_level = detail === "source" ? 1 : 0;
      return ask("inspect_request", { code, cursor_pos, detail_level }, (reply) => {
        const text = asRecord(reply["data"])["text/plain"];
        return reply["found"] === true && typeof text === "string" ? text : "";
      });
    },
    wholeness: (code) =>
      ask("is_complete_request", { code }, ({ status, indent }) => ({
        isWhole: status !== "incomplete",
        indent: typeof indent === "string" ? indent : "",
      })),
  };
}

function pointsIn(text: string): number {
  return [...text].length;
}

function unitsIn(text: string, points: unknown): number {
  return typeof points === "number" ? [...text].slice(0, points).join("").length : 0;
}

/** With each name's type, where the kernel gives it. */
function namesIn(reply: MessageContent): CodeName[] {
  const typed = asRecord(reply["metadata"])["_jupyter_types_experimental"];
  const rows: unknown[] = Array.isArray(typed) ? typed : [];
  const types = new Map(rows.map(asRecord).map(({ text, type }) => [text, type]));
  const matches: unknown[] = Array.isArray(reply["matches"]) ? reply["matches"] : [];
  const texts = new Set(matches.filter((match) => typeof match === "string"));
  return [...texts].map((text) => {
    const type = types.get(text);
    return { text, type: typeof type === "string" ? type : "" };
  });
}
