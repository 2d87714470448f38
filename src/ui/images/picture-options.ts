/** How pictures are drawn in the terminal that there is: by what it said, what is known of its kind, and the settings. */

import type { TerminalCapabilities } from "../terminal/capabilities.ts";
import { cellWithin } from "./fit.ts";
import type { ImageOptions } from "./render.ts";

export interface PictureSettings {
  readonly images: "auto" | "kitty" | "iterm2" | "sixel" | "blocks" | "off";
  readonly ascii: boolean;
}
export type Limit = ImageOptions["limit"];

/** The size of a cell from what the terminal said instead. */
export function withCell(known: TerminalCapabilities, window: Limit): TerminalCapabilities {
  const { cell, sixelSize } = known;
  return cell === undefined && sixelSize !== undefined
    ? { ...known, cell: cellWithin(sixelSize, window) }
    : known;
}

/** Undefined: pictures are named, not drawn. */
export function imageOptions(
  known: TerminalCapabilities,
  { images, ascii, isScreenReader }: PictureSettings & { readonly isScreenReader: boolean },
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

/** Whether pictures stay where they are when the terminal rewraps lines. kitty before 0.28 does that; Konsole moves them with the text. */
export function leavesPicturesBehind(known: TerminalCapabilities): boolean {
  return /^kitty\(/.test(known.version ?? "") && !hasCells(known);
}

/** Terminals that draw a picture with cells of text: kitty from 0.28 on, and Ghostty. Others with kitty's protocol show symbols instead. */
function hasCells({ version = "" }: TerminalCapabilities): boolean {
  const [, major, minor] = /^kitty\((\d+)\.(\d+)/i.exec(version) ?? [];
  if (major === undefined) return /^ghostty/i.test(version);
  return Number(major) > 0 || Number(minor) >= 28;
}

/** Whether omp itself makes as many pixels as there are in the cells of a picture. Others have pictures scaled by the terminal. */
export function needsPixels(known: TerminalCapabilities, { images }: PictureSettings): boolean {
  return images === "auto"
    ? known.multiplexer === undefined && known.graphics === "sixel"
    : images === "sixel";
}
