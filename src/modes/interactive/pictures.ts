/** Pictures of a result as lines of text, for the transcript. The code that draws them is loaded with the first one. */

import type { ToolResult } from "../../protocol/index.ts";
import { capabilitiesFrom } from "../../ui/terminal/capabilities.ts";

const MAX_COLUMNS = 60;
const MAX_ROWS = 18;
/** Of one call; the rest are named in its output. */
const MAX_PICTURES = 4;

export type DrawPictures = (result: ToolResult, columns: number) => Promise<readonly (readonly string[])[]>;

/** As half-blocks: they scroll, are redrawn and are cut off like every other line. */
export function pictureDrawer(env: Readonly<Record<string, string | undefined>>): DrawPictures {
  const { colors, hasUnicode } = capabilitiesFrom(env, { isTerminal: true });
  return async ({ images = [] }, columns) => {
    if (images.length === 0) return [];
    const { renderImage } = await import("../../ui/images/render.ts");
    const limit = { columns: Math.max(1, Math.min(MAX_COLUMNS, columns - 4)), rows: MAX_ROWS };
    const drawn = [];
    for (const { base64 } of images.slice(0, MAX_PICTURES)) {
      const bytes = Buffer.from(base64, "base64");
      const picture = await renderImage(bytes, { protocol: undefined, limit, colors, hasUnicode });
      if (picture.kind === "lines") drawn.push(picture.lines);
    }
    return drawn;
  };
}
