import { expect, test } from "bun:test";
import { describeChart } from "../../../src/tools/python/charts.ts";

test("plotly: title, axes and traces; arrays in its compact form are counted", () => {
  const bdata = Buffer.from(new Int8Array(50)).toString("base64");
  const trace = { type: "scatter", y: { dtype: "i1", bdata } };
  const figure = {
    data: [{ ...trace, name: "a" }, { x: [1, 2] }, ...Array.from({ length: 10 }, () => ({ type: "bar" }))],
    layout: { title: { text: "Growth <b>now</b>" }, xaxis: { title: { text: "year" } } },
  };
  expect(describeChart({ "application/vnd.plotly.v1+json": figure })).toBe(
    `[plotly chart "Growth now": x: year; scatter "a" (50 points); scatter (2 points); ${"bar; ".repeat(6)}4 more traces]`,
  );
});

test("vega-lite: the marks and fields of every view, as a bundle and in altair's page", () => {
  const view = (mark: string) => ({
    mark: { type: mark },
    encoding: { y: { aggregate: "mean", field: "b" } },
  });
  const spec = {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    title: "Both",
    data: { name: "d" },
    datasets: { d: [{ a: "}" }, { a: 2 }] },
    encoding: { x: { field: "a", bin: true } },
    layer: [view("bar"), view("line")],
  };
  const expected =
    '[vega chart "Both": bar (x: bins of a, y: mean of b); line (x: bins of a, y: mean of b); 2 rows]';
  expect(describeChart({ "application/vnd.vegalite.v6+json": spec })).toBe(expected);
  const page = `<div></div><script>(function(spec, options) { draw(); })(${JSON.stringify(spec)}, {"mode": "vega-lite"});</script>`;
  expect(describeChart({ "text/html": page, "text/plain": "alt.Chart(...)" })).toBe(expected);
});

test("bokeh: title, axes and glyphs from the document in its script", () => {
  const object = (name: string, attributes: object) => ({ type: "object", name, attributes });
  const glyph = (name: string) => object("GlyphRenderer", { glyph: object(name, {}) });
  const root = object("Figure", {
    title: object("Title", { text: "Lines" }),
    below: [object("LinearAxis", { axis_label: "time" })],
    renderers: [glyph("Line"), glyph("Scatter"), glyph("Scatter")],
  });
  const script = `(function(root) { const docs_json = ${JSON.stringify({ id: { roots: [root] } })}; })(window);`;
  expect(describeChart({ "application/javascript": script })).toBe(
    '[bokeh chart "Lines": axes: time; Line; 2 × Scatter]',
  );
});

test("a map of folium: where it is, and what is on it", () => {
  const page =
    "&lt;script&gt;L.map(&quot;m&quot;, {center: [45.5, -122.6], ...{&quot;zoom&quot;: 13}}); L.marker([1, 2]); L.marker([3, 4]);&lt;/script&gt;";
  expect(describeChart({ "text/html": `<span>Trust me</span><iframe srcdoc="${page}"></iframe>` })).toBe(
    "[map: centre 45.5, -122.6; zoom 13; 2 × marker]",
  );
});

test("other displays are no charts, whatever is in them", () => {
  expect(describeChart({ "text/html": "<p>vega.github.io/schema ({not json" })).toBeUndefined();
  expect(describeChart({ "application/javascript": "docs_json = {broken" })).toBeUndefined();
  expect(describeChart({ "text/plain": "text" })).toBeUndefined();
  expect(describeChart({ "application/vnd.plotly.v1+json": null })).toBe("[plotly chart]");
});
