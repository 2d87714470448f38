/** Pictures of a call: drawn where they can be, else named in a line, always with where the original is. */

import { asRecord } from "../../protocol/record.ts";
import type { CallItem, Picture } from "../store/state.ts";
import { adaptSymbols, indent, plainText, wrap } from "../text/lines.ts";
import type { View } from "../view.ts";
import { numberIn, textIn } from "./renderer.ts";

const INDENT = "  ";

/** A picture among the displays of a cell. */
export function shownPicture(call: CallItem, image: unknown, view: View): string[] {
  const part = numberIn(image, "part");
  const picture = part === undefined ? undefined : call.pictures[part];
  return pictureLines(picture, pictureName(image), view, { isKept: textIn(image, "artifact") !== undefined });
}

/** `640×480 image/png, artifact://x`, as far as that is known. */
export function pictureName(image: unknown): string {
  const facts = asRecord(image);
  const [width, height] = [numberIn(facts, "width"), numberIn(facts, "height")];
  const size = width === undefined || height === undefined ? "" : `${width}×${height} `;
  const artifact = textIn(facts, "artifact");
  const name = `${size}${plainText(textIn(facts, "mediaType") ?? "picture")}`;
  const where = artifact === undefined ? "" : `, artifact://${artifact}`;
  return `${name}${where}`;
}

/** Pictures of a result without displays: an image that was read. */
export function otherPictures({ pictures }: CallItem, view: View): string[] {
  return pictures.flatMap((picture) => pictureLines(picture, picture.label, view));
}

function pictureLines(
  picture: Picture | undefined,
  label: string,
  view: View,
  { isKept = false } = {},
): string[] {
  const { theme, width, isLive = false } = view;
  const name = adaptSymbols(label, theme.symbols);
  const isDrawn = picture !== undefined && picture.lines.length > 0;
  // One that was drawn for a wider window: broken lines show nothing.
  const fits = isDrawn && picture.columns + INDENT.length <= width;
  if (isLive || !fits) {
    const why = isDrawn ? undefined : picture?.problem;
    const words = `[image ${name}${why === undefined ? "" : `; not shown: ${plainText(why)}`}]`;
    return indent(caption(words, view), INDENT);
  }
  // Made of letters, it has no more than its shape.
  const how = isKept && picture.mark === "" ? " Alt+O opens it" : "";
  const [first = "", ...rest] = caption(`[image ${name}]${how}`, view);
  const before = picture.mark === "" ? INDENT : `${INDENT.slice(1)}${picture.mark}`;
  return [...indent(picture.lines, INDENT), `${before}${first}`, ...indent(rest, INDENT)];
}

/** In as many lines as it needs: the end of its name says where the original is. */
function caption(words: string, { theme, width }: View): string[] {
  return wrap(words, width - INDENT.length).map((line) => theme.dim(line.trimEnd()));
}
