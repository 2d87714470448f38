/**
 * What a chart shows, in one line, for a model that gets no picture of it. Plotly and Vega-Lite (Altair) say in JSON what a browser
 * is to draw, Bokeh and Leaflet (folium) in a script.
 */

import { count } from "../../format/numbers.ts";
import { asRecord, parseJson, type UnknownRecord } from "../../protocol/record.ts";
import { decodeEntities } from "./html-to-markdown.ts";

type MimeBundle = Readonly<Record<string, unknown>>;

const PLOTLY = "application/vnd.plotly.v1+json";
const VEGA = /^application\/vnd\.vega(lite)?\.v\d+(\+json|\.json)$/;
/** Of traces, layers and marks. More are counted. */
const MAX_PARTS = 8;
const MAX_NAME_CHARS = 80;
const MAX_SCRIPT_CHARS = 20_000_000;

/** Undefined when the bundle has no chart that is known here. */
export function describeChart(data: MimeBundle): string | undefined {
  if (PLOTLY in data) return describePlotly(asRecord(data[PLOTLY]));
  const vega = Object.keys(data).find((type) => VEGA.test(type));
  if (vega !== undefined) return describeVega(asRecord(data[vega]));
  return describeBokeh(data["application/javascript"]) ?? describePage(data["text/html"]);
}

/** Charts that come as a page with a script in it. */
function describePage(html: unknown): string | undefined {
  if (typeof html !== "string" || html.length > MAX_SCRIPT_CHARS) return undefined;
  if (html.includes("vega.github.io/schema")) {
    const spec = jsonIn(html, /\}\)\(\{/);
    if (spec !== undefined) return describeVega(spec);
  }
  if (html.includes("L.map(")) return describeMap(decodeEntities(html));
  return describeBokeh(html);
}

function describePlotly({ data, layout }: UnknownRecord): string {
  const { title, xaxis, yaxis } = asRecord(layout);
  const traces = listOf(data).map((each) => {
    const trace = asRecord(each);
    const size = Math.max(0, ...Object.values(trace).map(lengthOf));
    const points = size > 0 ? ` (${count(size, "point")})` : "";
    return `${words(trace["type"]) || "scatter"}${quoted(trace["name"])}${points}`;
  });
  const axes = [
    { name: "x", title: titleOf(asRecord(xaxis)["title"]) },
    { name: "y", title: titleOf(asRecord(yaxis)["title"]) },
  ];
  return line("plotly chart", titleOf(title), [axisWords(axes), ...shortened(traces, "more traces")]);
}

function describeVega(spec: UnknownRecord): string {
  const views = vegaViews(spec).map(({ mark, encoding }) => {
    const channels = Object.entries(encoding).flatMap(([channel, definition]) => {
      const field = vegaField(asRecord(definition));
      return field === "" ? [] : [`${channel}: ${field}`];
    });
    return `${mark}${channels.length > 0 ? ` (${channels.join(", ")})` : ""}`;
  });
  const rows = vegaRows(spec);
  return line("vega chart", titleOf(spec["title"]), [
    ...shortened(views, "more views"),
    rows === undefined ? "" : count(rows, "row"),
  ]);
}

/** The single views of a chart, wherever they are: layered, side by side, repeated. */
function vegaViews(
  spec: UnknownRecord,
  above: UnknownRecord = {},
): { mark: string; encoding: UnknownRecord }[] {
  const encoding = { ...above, ...asRecord(spec["encoding"]) };
  const mark = typeof spec["mark"] === "string" ? spec["mark"] : words(asRecord(spec["mark"])["type"]);
  const inner = ["layer", "hconcat", "vconcat", "concat", "marks"].flatMap((field) => listOf(spec[field]));
  if (spec["spec"] !== undefined) inner.push(spec["spec"]);
  const own = mark || (inner.length === 0 ? words(spec["type"]) : "");
  return [
    ...(own ? [{ mark: own, encoding }] : []),
    ...inner.flatMap((each) => vegaViews(asRecord(each), encoding)),
  ];
}

function vegaField({ field, aggregate, bin, timeUnit }: UnknownRecord): string {
  const name = words(typeof field === "string" ? field : asRecord(field)["repeat"]);
  const how = words(aggregate) || words(timeUnit) || (bin === true || typeof bin === "object" ? "bins" : "");
  return name !== "" && how !== "" ? `${how} of ${name}` : name || how;
}

function vegaRows(spec: UnknownRecord): number | undefined {
  const data = asRecord(spec["data"]);
  const named = asRecord(spec["datasets"])[words(data["name"])];
  const rows = Array.isArray(data["values"]) ? data["values"] : named;
  return Array.isArray(rows) ? rows.length : undefined;
}

/** The document that Bokeh's script embeds is a tree of objects; titles, labels and glyphs are recognised by their type. */
function describeBokeh(script: unknown): string | undefined {
  if (typeof script !== "string" || script.length > MAX_SCRIPT_CHARS || !/docs_json\b/.test(script))
    return undefined;
  const documents = jsonIn(script, /docs_json\s*=\s*'?\{/);
  if (documents === undefined) return undefined;
  const objects = [...bokehObjects(documents)];
  const ofType = (pattern: RegExp) => objects.filter(({ name }) => pattern.test(name));
  const text = (pattern: RegExp, field: string) =>
    words(ofType(pattern).find(({ attributes }) => words(attributes[field]) !== "")?.attributes[field]);
  const glyphs = new Map<string, number>();
  for (const { name, attributes } of ofType(/^GlyphRenderer$/)) {
    const glyph = words(asRecord(attributes["glyph"])["name"]) || name;
    glyphs.set(glyph, (glyphs.get(glyph) ?? 0) + 1);
  }
  const drawn = [...glyphs].map(([glyph, times]) => (times === 1 ? glyph : `${times} × ${glyph}`));
  const labels = ofType(/Axis$/).map(({ attributes }) => words(attributes["axis_label"]));
  const axes = labels.some((label) => label !== "")
    ? `axes: ${labels.filter((label) => label !== "").join(", ")}`
    : "";
  return line("bokeh chart", text(/^Title$/, "text"), [axes, ...shortened(drawn, "more glyphs")]);
}

function* bokehObjects(value: unknown): Generator<{ name: string; attributes: UnknownRecord }> {
  if (Array.isArray(value)) {
    // Long ones are data.
    if (value.length <= 1_000) for (const each of value) yield* bokehObjects(each);
    return;
  }
  const record = asRecord(value);
  if (record["type"] === "object" && typeof record["name"] === "string")
    yield { name: record["name"], attributes: asRecord(record["attributes"]) };
  for (const each of Object.values(record)) if (typeof each === "object") yield* bokehObjects(each);
}

function describeMap(page: string): string {
  const center = /center:\s*\[([-\d.,\s]+)\]/.exec(page)?.[1]?.replace(/\s+/g, " ").trim();
  const zoom = /["']?zoom["']?:\s*(\d+)/.exec(page)?.[1];
  const layers = new Map<string, number>();
  for (const [, kind = ""] of page.matchAll(
    /\bL\.(marker|circleMarker|circle|polyline|polygon|rectangle|geoJson|heatLayer)\(/g,
  ))
    layers.set(kind, (layers.get(kind) ?? 0) + 1);
  return line("map", "", [
    center === undefined ? "" : `centre ${center}`,
    zoom === undefined ? "" : `zoom ${zoom}`,
    ...[...layers].map(([kind, times]) => `${times} × ${kind}`),
  ]);
}

/** The object that begins at the end of the match. */
function jsonIn(text: string, start: RegExp): UnknownRecord | undefined {
  const match = start.exec(text);
  const from = match ? match.index + match[0].length - 1 : 0;
  const end = match ? jsonEnd(text, from) : undefined;
  const value = end === undefined ? undefined : parseJson(text.slice(from, end));
  return value === undefined ? undefined : asRecord(value);
}

function jsonEnd(text: string, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (character === '"') {
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === "\\") at++;
    } else if (character === "{") depth++;
    else if (character === "}" && --depth === 0) return at + 1;
  }
  return undefined;
}

/** A list, or an array of numbers in Plotly's compact form. */
function lengthOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  const { bdata, dtype, shape } = asRecord(value);
  if (typeof bdata !== "string") return 0;
  const size = Number(/(\d+)$/.exec(words(dtype))?.[1] ?? 8);
  const first = Number(words(shape).split(",")[0]);
  return first > 0 ? first : Math.floor((bdata.replace(/=+$/, "").length * 3) / 4 / size);
}

function line(kind: string, title: string, parts: readonly string[]): string {
  const rest = parts.filter((part) => part !== "").join("; ");
  return `[${kind}${title === "" ? "" : ` "${title}"`}${rest === "" ? "" : `: ${rest}`}]`;
}

function shortened(parts: readonly string[], rest: string): string[] {
  const more = parts.length - MAX_PARTS;
  return more > 0 ? [...parts.slice(0, MAX_PARTS), `${more} ${rest}`] : [...parts];
}

function axisWords(axes: readonly { readonly name: string; readonly title: string }[]): string {
  return axes.flatMap(({ name, title }) => (title === "" ? [] : [`${name}: ${title}`])).join(", ");
}

function titleOf(title: unknown): string {
  const text = typeof title === "string" ? title : asRecord(title)["text"];
  return words(Array.isArray(text) ? text.join(" ") : text);
}

function quoted(name: unknown): string {
  const text = words(name);
  return text === "" ? "" : ` "${text}"`;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function words(value: unknown): string {
  if (typeof value === "number") return String(value);
  if (typeof value !== "string") return "";
  return value
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, MAX_NAME_CHARS);
}
