/**
 * What a cell showed, from Jupyter's MIME bundles: text for the model, structure for the UI.
 *
 * The order of preference is a chart's summary, markdown, plain text, HTML turned to markdown, LaTeX. HTML goes first where the plain
 * text is only an address, or far longer. JSON, tables, pictures and status events are kept as such beside it.
 */

import { isRecord } from "../../protocol/record.ts";
import { describeChart } from "./charts.ts";
import { type HtmlTable, parseHtmlTable } from "./html-table.ts";
import { htmlToMarkdown } from "./html-to-markdown.ts";
import { type DisplayImage, pictureTypes } from "./images.ts";

const STATUS_MIME = "application/x-omp-status";

/** An event that describes itself: `op` says what happened, `label` says it to people, `detail` holds the facts. */
export interface StatusEvent {
  readonly op: string;
  readonly label: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface Display {
  readonly displayId: string | undefined;
  /** What the model reads; empty when the picture or the event says it all. */
  readonly text: string;
  readonly format: "markdown" | "text" | "latex";
  readonly json: unknown;
  /** Of what is plain text to the model and a table of HTML to notebooks: a data frame. */
  readonly table: HtmlTable | undefined;
  readonly image: DisplayImage | undefined;
}

/** A display, and which lines of the cell's output are its text. */
export interface PlacedDisplay extends Display {
  readonly line: number;
  readonly lines: number;
  /** The widget that it shows, and that widget's text at the time. */
  readonly widget?: { readonly id: string; readonly text: string };
}

type MimeBundle = Readonly<Record<string, unknown>>;

/** `<Figure size 460.8x345.6 with 1 Axes>`, `<…HTML object>`, `<…Styler at 0x7f…>`: says nothing that the richer form does not. */
const PLACEHOLDER =
  /^<[\w.]+( size [\d.x]+ with \d+ \w+| object| image mode=\w+ size=\d+x\d+|(?= at ))( at 0x[0-9a-f]+)?>$/;
/** Longer text, by this factor, than its HTML as markdown is a dump of fields: `GT(_tbl_data=…)`. */
const FAR_LONGER = 3;
const LEAST_DUMP_CHARS = 1_000;

export function readDisplay(data: MimeBundle, displayId: string | undefined): Display {
  const image = readImage(data);
  const html = textOf(data["text/html"]);
  const { text, format } = readText(data, image !== undefined);
  const table = html === undefined || format !== "text" || text === "" ? undefined : parseHtmlTable(html);
  return { displayId, json: data["application/json"], image, table, text, format };
}

export function readStatusEvent(data: MimeBundle): StatusEvent | undefined {
  const event = data[STATUS_MIME];
  if (!isRecord(event)) return undefined;
  const op = String(event["op"] ?? "status");
  return {
    op,
    label: String(event["label"] ?? op),
    detail: isRecord(event["detail"]) ? event["detail"] : {},
  };
}

function readText(data: MimeBundle, isPictured: boolean): Pick<Display, "text" | "format"> {
  const chart = describeChart(data);
  if (chart !== undefined) return { text: isPictured ? "" : chart, format: "text" };
  const markdown = textOf(data["text/markdown"]);
  if (markdown !== undefined) return { text: markdown, format: "markdown" };
  const plain = textOf(data["text/plain"]);
  const html = textOf(data["text/html"]);
  if (html?.includes(BOKEH_LOGO)) return { text: "", format: "text" };
  const json = data["application/json"];
  const latex = textOf(data["text/latex"]);
  const other = readOther(data);
  const isRich = isPictured || [html, json, latex, other].some((each) => each !== undefined);
  if (plain !== undefined && !(isRich && PLACEHOLDER.test(plain.trim())))
    return readablePage(html, plain) ?? { text: plain, format: "text" };
  if (isPictured) return { text: "", format: "text" };
  if (html !== undefined) return { text: htmlToMarkdown(html), format: "markdown" };
  if (json !== undefined) return { text: JSON.stringify(json, undefined, 2), format: "text" };
  if (latex !== undefined) return { text: latex, format: "latex" };
  return { text: other ?? plain ?? describeTypes(data), format: "text" };
}

/** The HTML, where the plain text is only a dump of the object. */
function readablePage(html: string | undefined, plain: string): Pick<Display, "text" | "format"> | undefined {
  if (html === undefined || plain.length < LEAST_DUMP_CHARS) return undefined;
  const text = htmlToMarkdown(html);
  return text !== "" && plain.length > FAR_LONGER * text.length ? { text, format: "markdown" } : undefined;
}

/** Of types that nothing here knows: JSON can be read whatever it describes, and so can every text. */
function readOther(data: MimeBundle): string | undefined {
  for (const [type, value] of Object.entries(data)) {
    if (type.startsWith("text/") && !KNOWN_TEXTS.includes(type)) return textOf(value);
    if (OTHER_JSON.test(type) && typeof value === "object") return JSON.stringify(value, undefined, 2);
  }
  return undefined;
}

/** A widget's is only an address. */
const OTHER_JSON = /^application\/(?!vnd\.jupyter\.widget).+\+json$/;
const KNOWN_TEXTS = ["text/plain", "text/html", "text/markdown", "text/latex"];

/** The library itself, for a browser: shown once, before the first chart, and announced by a logo. */
const BOKEH_LIBRARY = "application/vnd.bokehjs_load.v0+json";
const BOKEH_LOGO = 'class="bk-notebook-logo';

/** A bundle with nothing that we can read is still something that happened. */
function describeTypes(data: MimeBundle): string {
  const types = Object.keys(data);
  if (types.includes(BOKEH_LIBRARY)) return "";
  return types.length > 0 ? `[display: ${types.join(", ")}]` : "";
}

function readImage(data: MimeBundle): DisplayImage | undefined {
  for (const mediaType of pictureTypes) {
    const base64 = textOf(data[mediaType]);
    if (base64 !== undefined) return { mediaType, bytes: Buffer.from(base64, "base64") };
  }
  const svg = textOf(data["image/svg+xml"]);
  return svg === undefined ? undefined : { mediaType: "image/svg+xml", bytes: Buffer.from(svg) };
}

/** Older kernels send text as a list of lines. */
function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((line) => typeof line === "string")) return value.join("");
  return undefined;
}
