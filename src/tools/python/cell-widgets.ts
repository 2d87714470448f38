/** The widgets of a kernel as one cell uses them: which it showed, which took its output, and what to report about them when it ends. */

import type { KernelMessage } from "../../kernel/kernel.ts";
import { asRecord } from "../../protocol/record.ts";
import { type PlacedDisplay, readStatusEvent } from "./displays.ts";
import type { WidgetState, Widgets } from "./widgets.ts";

type ShownWidget = NonNullable<PlacedDisplay["widget"]>;

/** What an Output widget takes for itself. */
const CAPTURED = new Set(["stream", "display_data", "update_display_data", "clear_output", "error"]);

export class CellWidgets {
  readonly #widgets: Widgets;
  /** Output widgets that took output of this cell. */
  readonly #captured = new Set<string>();

  constructor(widgets: Widgets) {
    this.#widgets = widgets;
  }

  /** Whether an Output widget takes the message, instead of the cell. */
  takes(message: KernelMessage): boolean {
    this.#widgets.receive(message);
    const { header, content, parentHeader } = message;
    if (!CAPTURED.has(header.msg_type) || readStatusEvent(asRecord(content["data"]))) return false;
    const widget = this.#widgets.capturing(parentHeader.msg_id);
    if (!widget) return false;
    widget.capture.receive(message);
    this.#captured.add(widget.id);
    return true;
  }

  /** The widget that a display shows, when it is one. Its text is empty while only its last state is worth telling. */
  shownBy(data: Readonly<Record<string, unknown>>): ShownWidget | undefined {
    const id = this.#widgets.shownBy(data);
    if (id === undefined) return undefined;
    return { id, text: this.#widgets.isPassing(id) ? "" : this.#widgets.state(id).text };
  }

  /** What a widget shows now, if that is not what it showed. */
  changeOf({ id, text }: ShownWidget): WidgetState | undefined {
    const state = this.#widgets.state(id);
    this.#widgets.markReported(id, state);
    return state.text === text && state.displays.length === 0 ? undefined : state;
  }

  /** What was captured by widgets that this cell did not show, and widgets of earlier cells that it changed. */
  othersThan(shown: readonly string[]): WidgetState[] {
    const ids = new Set([...this.#captured, ...this.#widgets.changed()]);
    return [...ids]
      .filter((id) => !shown.some((other) => this.#widgets.contains(other, id)))
      .map((id) => {
        const state = this.#widgets.state(id);
        this.#widgets.markReported(id, state);
        return state;
      });
  }
}
