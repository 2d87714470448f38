/**
 * Draws the pictures of results for the terminal that there is, and again when its size has changed. What the terminal can is known
 * when it has answered; the code that draws is loaded with the first picture.
 */

import type { AgentEvent, ImagePart, ToolResult } from "../../protocol/index.ts";
import type { UiEvent } from "../store/event.ts";
import type { Picture } from "../store/state.ts";
import type { TerminalCapabilities } from "../terminal/capabilities.ts";
import { PictureMarks } from "./picture-marks.ts";
import {
  imageOptions,
  type Limit,
  leavesPicturesBehind,
  needsPixels,
  type PictureSettings,
  withCell,
} from "./picture-options.ts";

const MAX_COLUMNS = 100;
const MAX_ROWS = 24;
/** Kept free of the screen's height, so that the prompt and what was said can be seen beside a picture. */
const OTHER_ROWS = 6;
/** Of one call; the rest are named. */
const MAX_PICTURES = 8;
/** Calls whose pictures are drawn again for another window size. */
const MAX_CALLS = 32;
const SETTLED_MS = 150;
/** Calls of an earlier session; more would keep the prompt waiting. */
const MAX_RESTORED = 8;

export interface PictureOptions {
  readonly stdout: NodeJS.WriteStream;
  /** As they are now. */
  readonly settings: () => PictureSettings;
  readonly isScreenReader: boolean;
  /** What the terminal can, once it has said so. */
  readonly known: () => Promise<TerminalCapabilities>;
  /** The same with the size that its cells have now, where it can be asked now. */
  readonly measured: () => Promise<TerminalCapabilities>;
  /** Called with pictures that were drawn again. */
  readonly onRedrawn: (id: string, pictures: readonly Picture[]) => void;
  /** Called when the terminal has moved its text and not the pictures. */
  readonly onLeftBehind: () => void;
}

interface DrawnCall {
  readonly images: readonly ImagePart[];
  readonly pictures: readonly Picture[];
  /** What it was drawn for. */
  readonly room: Room;
}

interface Room {
  readonly limit: Limit;
  readonly cell: TerminalCapabilities["cell"];
}

export class Pictures {
  readonly marks: PictureMarks;
  readonly #options: PictureOptions;
  readonly #calls = new Map<string, DrawnCall>();
  /** Kitty's names for pictures are shared by all that runs in its window. */
  #nextId = ((process.pid & 0xfff) << 11) + 1;
  #known: Promise<TerminalCapabilities> | undefined;
  /** When the terminal is asked first. */
  readonly #firstWindow: Limit;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: PictureOptions) {
    this.#options = options;
    this.#firstWindow = this.#window();
    this.marks = new PictureMarks(options.stdout);
  }

  async draw(id: string, { images = [] }: Pick<ToolResult, "images">): Promise<readonly Picture[]> {
    if (images.length === 0) return [];
    const { pictures, room } = await this.#drawn(images);
    this.#calls.set(id, { images, pictures, room });
    for (const oldest of this.#calls.keys()) {
      if (this.#calls.size <= MAX_CALLS) break;
      this.#calls.delete(oldest);
    }
    return pictures;
  }

  /** The window has another size. Pictures are drawn when it has settled: dragging its edge sends many events. */
  readonly resized = (): void => {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#follow(), SETTLED_MS);
  };

  /** The settings have changed. @returns whether there was a picture. */
  async restyle(): Promise<boolean> {
    await this.#redraw(() => true);
    return this.#calls.size > 0;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** The font may be another one, too: that changes the window's columns and rows, and the pixels of each. */
  async #follow(): Promise<void> {
    const window = this.#window();
    if (needsPixels(await this.#capabilities(), this.#options.settings()))
      this.#known = this.#options.measured().then((known) => withCell(known, window));
    const room = { limit: this.#limit(), cell: (await this.#capabilities()).cell };
    await this.#redraw((before) => !Bun.deepEquals(before, room));
    if (leavesPicturesBehind(await this.#capabilities()) && this.marks.areInPlace)
      this.#options.onLeftBehind();
  }

  async #redraw(isWanted: (before: Room) => boolean): Promise<void> {
    for (const [id, { images, pictures: before, room: beforeRoom }] of [...this.#calls]) {
      if (!isWanted(beforeRoom)) continue;
      const { pictures, room } = await this.#drawn(images);
      for (const { mark } of before) this.marks.remove(mark);
      this.#calls.set(id, { images, pictures, room });
      this.#options.onRedrawn(id, pictures);
    }
  }

  #capabilities(): Promise<TerminalCapabilities> {
    this.#known ??= this.#options.known().then((known) => withCell(known, this.#firstWindow));
    return this.#known;
  }

  #window(): Limit {
    const { columns = 80, rows = 24 } = this.#options.stdout;
    return { columns, rows };
  }

  #limit(): Limit {
    const { columns, rows } = this.#window();
    return {
      columns: Math.max(1, Math.min(MAX_COLUMNS, columns - 4)),
      rows: Math.max(2, Math.min(MAX_ROWS, rows - OTHER_ROWS)),
    };
  }

  async #drawn(images: readonly ImagePart[]): Promise<Omit<DrawnCall, "images">> {
    const { drawPicture } = await import("./picture.ts");
    const known = await this.#capabilities();
    const room = { limit: this.#limit(), cell: known.cell };
    const { settings, isScreenReader } = this.#options;
    const options = imageOptions(known, { ...settings(), isScreenReader }, room.limit);
    const pictures: Picture[] = [];
    for (const [index, { mediaType, base64 }] of images.entries()) {
      const source = { mediaType, bytes: Buffer.from(base64, "base64") };
      const isDrawn = options !== undefined && index < MAX_PICTURES;
      const own = isDrawn ? { ...options, id: this.#nextId++ } : undefined;
      pictures.push(await drawPicture(source, own, this.marks));
    }
    return { pictures, room };
  }
}

/** What an earlier session left, with the pictures of its newest calls; those of the others are named. */
export async function withPictures(
  events: readonly AgentEvent[],
  pictures: Pick<Pictures, "draw">,
): Promise<UiEvent[]> {
  const shown = events.filter((event) => event.type === "tool_result" && event.result.images !== undefined);
  const newest = new Set(shown.slice(-MAX_RESTORED));
  const all: UiEvent[] = [];
  for (const event of events) {
    if (event.type === "tool_result" && newest.has(event))
      all.push({ type: "pictures", id: event.id, pictures: await pictures.draw(event.id, event.result) });
    all.push(event);
  }
  return all;
}
