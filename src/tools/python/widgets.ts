/**
 * The widgets of a kernel, from the comm messages that keep a notebook's screen up to date: what each of them shows now, as text.
 * Progress bars (`tqdm.notebook`, `rich`) are widgets, too. Kept from call to call: a widget may be shown later than it was made.
 */

import type { KernelMessage } from "../../kernel/kernel.ts";
import { asRecord, type UnknownRecord } from "../../protocol/record.ts";
import type { PlacedDisplay } from "./displays.ts";
import { htmlToMarkdown } from "./html-to-markdown.ts";

const VIEW_MIME = "application/vnd.jupyter.widget-view+json";
const REFERENCE = "IPY_MODEL_";
/** Of a state, what is shown. Maps and plots keep megabytes beside it. */
const FIELDS = ["_model_name", "_options_labels", "children", "description", "index", "max", "min", "value"];
const MAX_WIDGETS = 2_000;
const MAX_TEXT = 20_000;
const MAX_CHILDREN = 1_000;
/** A box within a box within itself. */
const MAX_DEPTH = 10;
const BAR_CELLS = 10;

/** What a widget shows, and the displays in it, by their lines in its text. */
export interface WidgetState {
  readonly text: string;
  readonly displays: readonly PlacedDisplay[];
}

/** Receives the output of a cell while an Output widget captures it. */
export interface Capture extends WidgetState {
  receive(message: KernelMessage): void;
  /** Replaces all that was captured, as `outputs = …` does in Python. */
  replace(outputs: readonly unknown[]): void;
}

export class Widgets {
  readonly #states = new Map<string, UnknownRecord>();
  /** By the id of their model. */
  readonly #captures = new Map<string, Capture>();
  /** The Output widgets that capture the output of a request, innermost last. */
  readonly #capturing = new Map<string, string[]>();
  /** What was shown of each widget last. */
  readonly #reported = new Map<string, string>();
  readonly #makeCapture: () => Capture;

  constructor(makeCapture: () => Capture) {
    this.#makeCapture = makeCapture;
  }

  /** Takes messages about widgets; others are none of its business. */
  receive({ header, content }: KernelMessage): void {
    const id = String(content["comm_id"]);
    const data = asRecord(content["data"]);
    if (header.msg_type === "comm_open" && content["target_name"] === "jupyter.widget") {
      if (this.#states.size >= MAX_WIDGETS) this.#forget(this.#states.keys().next().value ?? "");
      this.#states.set(id, {});
      this.#change(id, asRecord(data["state"]));
    } else if (header.msg_type === "comm_msg" && data["method"] === "update")
      this.#change(id, asRecord(data["state"]));
    else if (header.msg_type === "comm_close") this.#forget(id);
  }

  /** The widget that takes the output of this request; undefined when the cell keeps it. */
  capturing(requestId: string | undefined): { readonly id: string; readonly capture: Capture } | undefined {
    const id = this.#capturing.get(requestId ?? "")?.at(-1);
    return id === undefined ? undefined : { id, capture: this.#captureOf(id) };
  }

  /** The widget that a display shows, when it is one of those known here. */
  shownBy(data: Readonly<Record<string, unknown>>): string | undefined {
    const id = asRecord(data[VIEW_MIME])["model_id"];
    return typeof id === "string" && this.#states.has(id) ? id : undefined;
  }

  /** Whether it is there to change while the cell runs, so that only its last state is worth showing. */
  isPassing(id: string): boolean {
    return this.#parts(id).some(({ name }) => name === "Output" || name.endsWith("Progress"));
  }

  /** Whether an Output widget is this widget or inside it. */
  contains(id: string, outputId: string): boolean {
    return this.#parts(id).some((part) => part.id === outputId);
  }

  /** What it shows now. Nothing once it is closed, as on a notebook's screen. */
  state(id: string, depth = 0): WidgetState {
    const state = this.#states.get(id);
    if (!state || depth > MAX_DEPTH) return NOTHING;
    const name = nameOf(state);
    if (name === "Output") return this.#captureOf(id);
    const children = childrenOf(state);
    if (children.length === 0) return { text: plainState(name, state), displays: [] };
    // tqdm's row: the percentage, the bar, and the numbers, which the bar then need not have.
    const isNamed = name === "HBox" && children.some((child) => nameOf(this.#states.get(child)) === "HTML");
    const shown = children.map((child) => {
      const inner = this.#states.get(child) ?? {};
      const isBar = isNamed && nameOf(inner).endsWith("Progress");
      return isBar ? { text: bar(inner), displays: [] } : this.state(child, depth + 1);
    });
    const isRow =
      name === "HBox" && shown.every(({ text, displays }) => displays.length === 0 && !text.includes("\n"));
    return isRow
      ? {
          text: joined(
            shown.map(({ text }) => text),
            " ",
          ),
          displays: [],
        }
      : stacked(shown);
  }

  /** Remembers what a result has shown of a widget. */
  markReported(id: string, { text }: WidgetState): void {
    this.#reported.set(id, text);
  }

  /** Widgets that were shown earlier and have changed since. */
  changed(): string[] {
    return [...this.#reported]
      .filter(([id, text]) => this.#states.has(id) && this.state(id).text !== text)
      .map(([id]) => id);
  }

  #parts(id: string, depth = 0): { readonly id: string; readonly name: string }[] {
    const state = this.#states.get(id);
    if (!state || depth > MAX_DEPTH) return [];
    return [
      { id, name: nameOf(state) },
      ...childrenOf(state).flatMap((child) => this.#parts(child, depth + 1)),
    ];
  }

  #change(id: string, changed: UnknownRecord): void {
    const state = this.#states.get(id);
    if (!state) return;
    for (const field of FIELDS) if (field in changed) state[field] = bounded(changed[field]);
    if (nameOf(state) !== "Output") return;
    if (typeof changed["msg_id"] === "string") this.#capture(id, changed["msg_id"]);
    if (Array.isArray(changed["outputs"])) this.#captureOf(id).replace(changed["outputs"]);
  }

  /** @param requestId whose output it captures from now on; empty when it stops. */
  #capture(id: string, requestId: string): void {
    for (const [request, ids] of this.#capturing) {
      const left = ids.filter((other) => other !== id);
      if (left.length > 0) this.#capturing.set(request, left);
      else this.#capturing.delete(request);
    }
    if (requestId !== "") this.#capturing.set(requestId, [...(this.#capturing.get(requestId) ?? []), id]);
  }

  #captureOf(id: string): Capture {
    const capture = this.#captures.get(id) ?? this.#makeCapture();
    this.#captures.set(id, capture);
    return capture;
  }

  #forget(id: string): void {
    this.#capture(id, "");
    this.#states.delete(id);
    this.#reported.delete(id);
    this.#captures.delete(id);
  }
}

const NOTHING: WidgetState = { text: "", displays: [] };

/** One below the other. */
function stacked(states: readonly WidgetState[]): WidgetState {
  const texts: string[] = [];
  const displays: PlacedDisplay[] = [];
  let line = 0;
  for (const state of states) {
    const text = state.text.replace(/\n$/, "");
    if (text === "" && state.displays.length === 0) continue;
    for (const display of state.displays) displays.push({ ...display, line: display.line + line });
    if (text === "") continue;
    texts.push(text);
    line += text.split("\n").length;
  }
  return { text: texts.join("\n"), displays };
}

function plainState(name: string, state: UnknownRecord): string {
  if (name === "HTML" || name === "HTMLMath") return htmlToMarkdown(textIn(state, "value"));
  if (name === "Label") return textIn(state, "value");
  if (name.endsWith("Progress"))
    return joined([textIn(state, "description"), bar(state), amount(state)], " ");
  return describe(name, state);
}

function nameOf(state: UnknownRecord | undefined): string {
  return String(state?.["_model_name"] ?? "").replace(/Model$/, "");
}

function childrenOf(state: UnknownRecord): string[] {
  const children = Array.isArray(state["children"]) ? state["children"] : [];
  return children.map((child) => String(child).replace(REFERENCE, ""));
}

function textIn(state: UnknownRecord, field: string): string {
  const value = state[field];
  return typeof value === "string" ? value : "";
}

function bounded(value: unknown): unknown {
  if (typeof value === "string") return value.slice(0, MAX_TEXT);
  if (Array.isArray(value)) return value.slice(0, MAX_CHILDREN);
  return value;
}

function joined(texts: readonly string[], separator: string): string {
  return texts.filter((text) => text.trim() !== "").join(separator);
}

function bar(state: UnknownRecord): string {
  const [value, min, max] = [state["value"], state["min"], state["max"]].map(Number);
  const share = ((value ?? 0) - (min || 0)) / ((max ?? 0) - (min || 0));
  const full = Math.round(BAR_CELLS * Math.min(1, Math.max(0, Number.isFinite(share) ? share : 0)));
  return `|${"█".repeat(full)}${" ".repeat(BAR_CELLS - full)}|`;
}

function amount(state: UnknownRecord): string {
  return `${state["value"] ?? 0}/${state["max"] ?? "?"}`;
}

/** As the widget's own repr has it: `IntSlider(description="n", value=3)`. */
function describe(name: string, state: UnknownRecord): string {
  const labels = state["_options_labels"];
  const chosen = Array.isArray(labels) ? labels[Number(state["index"])] : state["value"];
  const fields = [
    textIn(state, "description") === "" ? "" : `description=${JSON.stringify(state["description"])}`,
    chosen === undefined || chosen === null ? "" : `value=${JSON.stringify(chosen)}`,
  ];
  return `${name}(${joined(fields, ", ")})`;
}
