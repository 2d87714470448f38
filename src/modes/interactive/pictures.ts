/**
 * Draws the pictures of results for the terminal that there is, and again when its size has changed. What the terminal can is known
 * when it has answered; the code that draws is loaded with the first picture.
 */

import type { Settings } from "../../config/schema.ts";
import type { AgentEvent, ImagePart, ToolResult } from "../../protocol/index.ts";
import { cellWithin } from "../../ui/images/fit.ts";
import { PictureMarks } from "../../ui/images/picture-marks.ts";
import type { ImageOptions } from "../../ui/images/render.ts";
import type { UiEvent } from "../../ui/store/event.ts";
import type { Picture } from "../../ui/store/state.ts";
import type { TerminalCapabilities } from "../../ui/terminal/capabilities.ts";

const MAX_COLUMNS = 100;
const MAX_ROWS = 24;
/** Kept free of the screen's height, so that the prompt and what was said can be seen beside a picture. */
const OTHER_ROWS = 6;
/** Of one call; the rest are named. */
const MAX_PICTURES = 8;
/** Calls whose pictures are drawn anew for another window. */
const MAX_CALLS = 32;
const SETTLED_MS = 150;
/** Calls of an earlier session; more would keep the prompt waiting. */
const MAX_RESTORED = 8;

type PictureSettings = Pick<Settings["ui"], "images" | "ascii">;

export interface PictureOptions {
  readonly stdout: NodeJS.WriteStream;
  /** As they are now. */
  readonly settings: () => PictureSettings;
  readonly isScreenReader: boolean;
  /** What the terminal can, once it has said so. */
  readonly known: () => Promise<TerminalCapabilities>;
  /** Told of pictures that were drawn anew. */
  readonly onRedrawn: (id: string, pictures: readonly Picture[]) => void;
  /** Told when the terminal has moved its text and not the pictures. */
  readonly onLeftBehind: () => void;
}

type Limit = ImageOptions["limit"];

function isOther(limit: Limit, before: Limit): boolean {
  return limit.columns !== before.columns || limit.rows !== before.rows;
}

interface DrawnCall {
  readonly images: readonly ImagePart[];
  readonly pictures: readonly Picture[];
  readonly limit: Limit;
}

export class Pictures {
  readonly marks: PictureMarks;
  readonly #options: PictureOptions;
  readonly #calls = new Map<string, DrawnCall>();
  /** Kitty's names for pictures are shared by all that runs in its window. */
  #nextId = ((process.pid & 0xfff) << 11) + 1;
  /** When the terminal is asked. */
  readonly #firstWindow: Limit;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: PictureOptions) {
    this.#options = options;
    const { columns = 80, rows = 24 } = options.stdout;
    this.#firstWindow = { columns, rows };
    this.marks = new PictureMarks(options.stdout);
  }

  async draw(id: string, { images = [] }: Pick<ToolResult, "images">): Promise<readonly Picture[]> {
    if (images.length === 0) return [];
    const limit = this.#limit();
    const pictures = await this.#drawn(images, limit);
    this.#calls.set(id, { images, pictures, limit });
    for (const oldest of this.#calls.keys()) {
      if (this.#calls.size <= MAX_CALLS) break;
      this.#calls.delete(oldest);
    }
    return pictures;
  }

  /** The window has another size. Drawn when it has settled: a hand on its edge sends many. */
  readonly resized = (): void => {
    clearTimeout(this.#timer);
    if (this.#calls.size > 0) this.#timer = setTimeout(() => void this.#drawAnew(isOther), SETTLED_MS);
  };

  /** The settings have changed. @returns whether there was a picture. */
  async restyle(): Promise<boolean> {
    await this.#drawAnew(() => true);
    return this.#calls.size > 0;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  async #drawAnew(isWanted: (limit: Limit, before: Limit) => boolean): Promise<void> {
    const limit = this.#limit();
    for (const [id, { images, pictures, limit: before }] of [...this.#calls]) {
      if (!isWanted(limit, before)) continue;
      const drawn = await this.#drawn(images, limit);
      for (const { mark } of pictures) this.marks.remove(mark);
      this.#calls.set(id, { images, pictures: drawn, limit });
      this.#options.onRedrawn(id, drawn);
    }
    const known = await this.#options.known();
    if (leavesPicturesBehind(known) && this.marks.areInPlace) this.#options.onLeftBehind();
  }

  #limit(): Limit {
    const { columns = 80, rows = 24 } = this.#options.stdout;
    return {
      columns: Math.max(1, Math.min(MAX_COLUMNS, columns - 4)),
      rows: Math.max(2, Math.min(MAX_ROWS, rows - OTHER_ROWS)),
    };
  }

  async #drawn(images: readonly ImagePart[], limit: Limit): Promise<Picture[]> {
    const { drawPicture } = await import("../../ui/images/picture.ts");
    const known = withCell(await this.#options.known(), this.#firstWindow);
    const { settings, isScreenReader } = this.#options;
    const options = imageOptions(known, { ...settings(), isScreenReader }, limit);
    const pictures: Picture[] = [];
    for (const [index, { mediaType, base64 }] of images.entries()) {
      const source = { mediaType, bytes: Buffer.from(base64, "base64") };
      const isDrawn = options !== undefined && index < MAX_PICTURES;
      const own = isDrawn ? { ...options, id: this.#nextId++ } : undefined;
      pictures.push(await drawPicture(source, own, this.marks));
    }
    return pictures;
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

/** The size of a cell from what the terminal said instead. */
function withCell(known: TerminalCapabilities, window: Limit): TerminalCapabilities {
  const { cell, sixelSize } = known;
  return cell === undefined && sixelSize !== undefined
    ? { ...known, cell: cellWithin(sixelSize, window) }
    : known;
}

/** Undefined: pictures are named, not drawn. */
export function imageOptions(
  known: TerminalCapabilities,
  { images, ascii, isScreenReader }: PictureSettings & Pick<PictureOptions, "isScreenReader">,
  limit: Limit,
): Omit<ImageOptions, "id"> | undefined {
  if (images === "off" || isScreenReader || known.isScreenReader) return undefined;
  const { colors, cell, sixelSize, multiplexer } = known;
  const hasUnicode = known.hasUnicode && !ascii;
  const shared = { limit, cell, sixelSize, colors, hasUnicode, multiplexer };
  if (images === "auto") {
    // A multiplexer hides the terminal, and keeps a screen of its own that has no pictures.
    const protocol = multiplexer === undefined ? known.graphics : undefined;
    const hasBlocks = hasUnicode && (colors === "256" || colors === "true");
    if (protocol === undefined && !hasBlocks) return undefined;
    return { ...shared, protocol, hasCells: hasCells(known) };
  }
  const protocol = images === "blocks" ? undefined : images;
  return { ...shared, protocol, hasCells: multiplexer !== undefined || hasCells(known) };
}

/** Others move pictures with their lines. Seen in kitty 0.26.5; Konsole does not. */
function leavesPicturesBehind(known: TerminalCapabilities): boolean {
  return /^kitty\(/.test(known.version ?? "") && !hasCells(known);
}

/** Who can draw a picture with cells of text: kitty from 0.28 on, and Ghostty. Others that speak kitty's protocol show signs instead. */
function hasCells({ version = "" }: TerminalCapabilities): boolean {
  const [, major, minor] = /^kitty\((\d+)\.(\d+)/i.exec(version) ?? [];
  if (major === undefined) return /^ghostty/i.test(version);
  return Number(major) > 0 || Number(minor) >= 28;
}
