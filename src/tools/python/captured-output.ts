/** What an Output widget has captured: a record like a cell's, of text that is shown when the widget is. */

import type { KernelMessage } from "../../kernel/kernel.ts";
import { newMessage } from "../../kernel/message.ts";
import { asRecord } from "../../protocol/record.ts";
import { CellRecord } from "./cell-record.ts";
import type { PlacedDisplay } from "./displays.ts";
import { type Capture, Widgets } from "./widgets.ts";

/** A notebook shows all of it; a model reads the end. */
const MAX_CHARS = 30_000;

export function kernelWidgets(): Widgets {
  return new Widgets(() => new CapturedOutput());
}

class CapturedOutput implements Capture {
  #text = "";
  #record = this.#newRecord();

  receive(message: KernelMessage): void {
    this.#record.receive(message);
  }

  replace(outputs: readonly unknown[]): void {
    this.#text = "";
    this.#record = this.#newRecord();
    for (const output of outputs) {
      const { output_type: type, ...content } = asRecord(output);
      this.receive(newMessage({ channel: "iopub", type: String(type), session: "", content }));
    }
  }

  get text(): string {
    this.#record.finish();
    return this.#text;
  }

  get displays(): readonly PlacedDisplay[] {
    return this.#record.displays;
  }

  #newRecord(): CellRecord {
    const write = (chunk: string | Uint8Array) => {
      this.#text = (this.#text + Bun.stripANSI(chunk.toString())).slice(-MAX_CHARS);
    };
    const forget = () => {
      this.#text = "";
    };
    return new CellRecord({ write, forget, writeShortened: write });
  }
}
