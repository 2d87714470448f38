/** One cell's run, from the kernel's messages: text goes to the call's output as it arrives, the rest is collected. */

import type { KernelMessage } from "../../kernel/kernel.ts";
import { OUTPUT_CUT } from "../../kernel/message.ts";
import { ARTIFACT_SCHEME } from "../../output/artifacts.ts";
import { asRecord } from "../../protocol/record.ts";
import { CellWidgets } from "./cell-widgets.ts";
import {
  type Display,
  type PlacedDisplay,
  readDisplay,
  readStatusEvent,
  type StatusEvent,
} from "./displays.ts";
import { shortenDisplay } from "./long-display.ts";
import { collapseFrames, keepUserFrames } from "./traceback.ts";
import type { WidgetState, Widgets } from "./widgets.ts";

export type CellStatus = "ok" | "error" | "interrupted" | "died" | "not run";

/** What the record writes to: the call's sink. */
export interface CellOutput {
  write(chunk: string | Uint8Array): void;
  writeShortened(text: string, shorten: (artifact: string | undefined) => string | undefined): void;
  /** Takes back, for the model, what was written since the cell began. */
  forget(): void;
}

export interface CellError {
  readonly name: string;
  readonly value: string;
}

/** IPython's error when input() is called and there is no one to answer. */
const NO_STDIN = "StdinNotImplementedError";
/** Before code that is meant for the next cell. */
const NEXT_INPUT = "[for the next cell, not run]";
/** More are never looked at, and a loop that shows ten thousand must not fill the memory. */
const MAX_DISPLAYS = 200;
const MAX_DISPLAY_BYTES = 64_000_000;
/** Of the printed text, which may already contain the error. */
const LAST_CHARS = 2_000;

export class CellRecord {
  readonly #output: CellOutput;
  readonly #widgets: CellWidgets | undefined;
  displays: PlacedDisplay[] = [];
  #displayBytes = 0;
  readonly events: StatusEvent[] = [];
  /** Displays that were changed after they were shown. */
  readonly #updated = new Set<string>();
  /** The last one that was shown. Whether it is the cell's own, only the reply says: code may show any error and continue. */
  #shownError: CellError | undefined;
  #reply: KernelMessage["content"] = {};
  #clearPending = false;
  #endsLine = true;
  /** The end of what was printed. */
  #lastText = "";
  /** Of its output so far, without what was taken back. */
  outputLines = 0;
  executionCount: number | null = null;
  error: CellError | undefined;
  /** Displays beyond the limits: their text was written, the rest of them was not kept. */
  droppedDisplays = 0;
  /** Why part of the output did not arrive, each reason once. */
  readonly cuts = new Set<string>();

  /** @param widgets of the kernel; undefined for what an Output widget captures. */
  constructor(output: CellOutput, widgets?: Widgets) {
    this.#output = output;
    this.#widgets = widgets && new CellWidgets(widgets);
  }

  get stdinRequested(): boolean {
    return this.error?.name === NO_STDIN;
  }

  /** Whether the cell has asked the kernel to end, as `exit()` does. */
  get asksForExit(): boolean {
    return this.#payloads.some(({ source, keepkernel }) => source === "ask_exit" && keepkernel !== true);
  }

  receive(message: KernelMessage): void {
    if (this.#widgets?.takes(message)) return;
    const { header, content, metadata } = message;
    switch (header.msg_type) {
      case "stream":
        this.print(String(content["text"] ?? ""), rawBytes(metadata));
        break;
      case "display_data":
      case "execute_result":
        this.#display(content);
        break;
      case "update_display_data":
        this.#update(content);
        break;
      case "clear_output":
        // With `wait` the old output stays until there is something to put in its place.
        this.#clearPending = true;
        if (content["wait"] !== true) this.#clearNow();
        break;
      case "error":
        this.#showError(content);
        break;
      case "execute_reply":
        this.#reply = content;
        break;
      case OUTPUT_CUT:
        this.cuts.add(String(content["reason"]));
        break;
      // `status`, `execute_input` and whatever kernels of the future send say nothing about the output.
    }
  }

  /**
   * Reads the reply, and writes what is known only at the end of the cell: the final text of displays that changed after they were
   * shown, what would open in a pager, and an error that arrived with the reply alone, as some do. The reply may overtake what was
   * printed, and the error's own message.
   */
  finish(): void {
    this.#readReply();
    for (const [index, display] of this.displays.entries()) {
      if (display.displayId === undefined || !this.#updated.has(display.displayId)) continue;
      const place = this.#place(display.text);
      // A picture stays where it was: only its text was written again.
      if (display.text !== "") this.displays[index] = { ...display, ...place };
    }
    this.#updated.clear();
    this.#finishWidgets();
    this.#line("");
  }

  /** The widgets in their last state, below everything else. */
  #finishWidgets(): void {
    const shown = this.displays.flatMap(({ widget }) => (widget ? [widget.id] : []));
    for (const [index, display] of this.displays.entries()) {
      const state = display.widget && this.#widgets?.changeOf(display.widget);
      if (state) this.displays[index] = { ...display, ...this.#showState(state) };
    }
    for (const state of this.#widgets?.othersThan(shown) ?? []) this.#showState(state);
  }

  #showState(state: WidgetState): Pick<PlacedDisplay, "text" | "line" | "lines"> {
    const place = this.#place(state.text);
    for (const display of state.displays) this.#keep({ ...display, line: place.line + display.line });
    return { text: state.text, ...place };
  }

  /** @param raw what was really written, where the text is only what can be shown of it. */
  print(text: string, raw?: Uint8Array): void {
    if (text === "") return;
    this.#clearNow();
    this.#write(text, raw);
    this.#endsLine = text.endsWith("\n");
    this.#lastText = (this.#lastText + text.slice(-LAST_CHARS)).slice(-LAST_CHARS);
  }

  #write(text: string, raw?: Uint8Array): void {
    this.#output.write(raw ?? text);
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) this.outputLines += 1;
  }

  /** Text on lines of its own, whatever was printed before it. */
  #line(text: string): void {
    if (!this.#endsLine) this.#write("\n");
    this.#endsLine = true;
    if (text !== "") this.#write(text.endsWith("\n") ? text : `${text}\n`);
  }

  /** Whole lines; of very long text the model gets both ends. */
  #writeWhole(text: string): void {
    let shown = text;
    this.#output.writeShortened(`${text}\n`, (artifact) => {
      const short = shortenDisplay(text, artifact && `${ARTIFACT_SCHEME}${artifact}`);
      shown = short ?? text;
      return short && `${short}\n`;
    });
    this.outputLines += shown.split("\n").length;
  }

  #place(text: string): Pick<PlacedDisplay, "line" | "lines"> {
    this.#line("");
    const line = this.outputLines;
    if (text !== "") this.#writeWhole(text.replace(/\n$/, ""));
    return { line, lines: this.outputLines - line };
  }

  #display(content: KernelMessage["content"]): void {
    const data = asRecord(content["data"]);
    const event = readStatusEvent(data);
    if (event) {
      this.events.push(event);
      return;
    }
    this.#clearNow();
    const display = readDisplay(data, displayIdOf(content));
    const widget = this.#widgets?.shownBy(data);
    const text = widget?.text === "" ? "" : display.text;
    this.#keep({ ...display, text, ...(widget ? { widget } : {}), ...this.#place(text) });
  }

  #keep(display: PlacedDisplay): void {
    const bytes = sizeOf(display);
    if (this.displays.length < MAX_DISPLAYS && this.#displayBytes + bytes <= MAX_DISPLAY_BYTES) {
      this.displays.push(display);
      this.#displayBytes += bytes;
    } else this.droppedDisplays += 1;
  }

  /** A display of this cell changes in place; one of an earlier cell is gone from here, so that its new form is shown instead. */
  #update(content: KernelMessage["content"]): void {
    const displayId = displayIdOf(content);
    const index = this.displays.findIndex((display) => display.displayId === displayId);
    if (displayId === undefined || index < 0) {
      this.#display(content);
      return;
    }
    const { line = 0 } = this.displays[index] ?? {};
    // Where it was, and without lines of its own: those have the text that it had.
    this.displays[index] = { ...readDisplay(asRecord(content["data"]), displayId), line, lines: 0 };
    this.#updated.add(displayId);
  }

  #clearNow(): void {
    if (!this.#clearPending) return;
    this.#clearPending = false;
    this.displays = [];
    this.#displayBytes = 0;
    this.#updated.clear();
    // On the screen the line ends, and what follows is below it.
    this.#line("");
    this.#output.forget();
    this.outputLines = 0;
  }

  #showError(content: KernelMessage["content"]): void {
    const error = errorOf(content);
    this.#shownError = error;
    const frames = Array.isArray(content["traceback"]) ? content["traceback"].map(String) : [];
    const traceback = collapseFrames(keepUserFrames(frames)).join("\n");
    const summary = `${error.name}: ${error.value}`;
    // IPython prints errors of magics itself.
    if (traceback !== "" || !this.#lastText.includes(summary)) this.#line(traceback || summary);
  }

  #readReply(): void {
    const { status, execution_count: count } = this.#reply;
    if (typeof count === "number") this.executionCount = count;
    if (status === "aborted") this.error = { name: "Aborted", value: "the kernel dropped the cell" };
    // Without an exception no code has failed: ipykernel 7 says "error" of a value whose repr failed, too.
    if (status === "error" && this.#reply["ename"] !== "NoneType") {
      this.error = errorOf(this.#reply);
      if (this.#shownError?.name !== this.error.name) this.#showError(this.#reply);
    }
    for (const payload of this.#payloads) {
      this.#clearNow();
      this.#line(payloadText(payload));
    }
  }

  get #payloads(): Record<string, unknown>[] {
    const { payload } = this.#reply;
    return Array.isArray(payload) ? payload.map(asRecord) : [];
  }
}

/** Of a program that wrote something else than text: see src/kernel/python/raw.py. */
function rawBytes(metadata: KernelMessage["metadata"]): Uint8Array | undefined {
  const encoded = metadata["omp_bytes"];
  return typeof encoded === "string" ? Buffer.from(encoded, "base64") : undefined;
}

function errorOf({ ename, evalue }: KernelMessage["content"]): CellError {
  return { name: String(ename ?? "Error"), value: String(evalue ?? "") };
}

/** What a front end would show in a pager (`name?`, `%prun`), or put into the next cell (`%load`). */
function payloadText({ source, data, text }: Record<string, unknown>): string {
  if (source === "page") return readDisplay(asRecord(data), undefined).text;
  if (source === "set_next_input") return `${NEXT_INPUT}\n${text}`;
  return "";
}

function sizeOf({ text, image }: Display): number {
  return text.length + (image?.bytes.byteLength ?? 0);
}

function displayIdOf(content: KernelMessage["content"]): string | undefined {
  const id = asRecord(content["transient"])["display_id"];
  return typeof id === "string" ? id : undefined;
}
