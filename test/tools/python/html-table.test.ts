import { expect, test } from "bun:test";
import { parseHtmlTable } from "../../../src/tools/python/html-table.ts";

test("levels of rows and columns are laid out, entities and marks are text", () => {
  const html = `<style>x</style><table>
    <thead>
      <tr><th></th><th></th><th colspan="2">sales</th></tr>
      <tr><th>region</th><th>year</th><th>a &amp; b</th><th><b>c</b></th></tr>
    </thead>
    <tbody>
      <tr><th rowspan="2">north</th><th>2023</th><td>1</td><td>2</td></tr>
      <tr><th>2024</th><td>3</td><td> 4
        5</td></tr>
    </tbody></table><p>1,200 rows × 40 columns</p>`;
  expect(parseHtmlTable(html)).toEqual({
    columns: ["region", "year", "sales a & b", "c"],
    rows: [
      ["north", "2023", "1", "2"],
      ["", "2024", "3", "4 5"],
    ],
    rowCount: 1200,
    columnCount: 40,
  });
});

test("a page without a table, or with two, is none", () => {
  expect(parseHtmlTable("<p>text</p>")).toBeUndefined();
  expect(
    parseHtmlTable("<table><tr><td>1</td></tr></table><table><tr><td>2</td></tr></table>"),
  ).toBeUndefined();
});

test("a huge table is cut, and says how large it was", () => {
  const row = `<tr>${`<td>${"x".repeat(500)}</td>`.repeat(100)}</tr>`;
  const table = parseHtmlTable(`<table>${row.repeat(30)}</table>`);
  expect(table).toMatchObject({ rowCount: 30, columnCount: 100 });
  expect(table?.rows[0]).toEqual(Array.from({ length: 60 }, () => "x".repeat(200)));
  const long = parseHtmlTable(`<table>${"<tr><td>1</td></tr>".repeat(1_000)}</table>`);
  expect([long?.rows.length, long?.rowCount]).toEqual([200, 1_000]);
});
