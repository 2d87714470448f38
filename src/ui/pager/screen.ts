/** The pager on the alternate screen, so that the transcript is there again when the pager closes. */

import { statSync } from "node:fs";
import { onAbort } from "../../async/abort.ts";
import { count } from "../../format/numbers.ts";
import { clip, widthOf } from "../text/lines.ts";
import type { Theme } from "../theme.ts";
import { isCount, type PagerExit, pagerKey, pagerKeys } from "./keys.ts";
import { openPagedFile, pagedText } from "./paged-file.ts";
import { Pager } from "./pager.ts";
import type { Direction } from "./search.ts";
import type { PagerView } from "./view.ts";

export interface PagerScreenOptions {
  /** A file, or a text whose end is shown first. */
  readonly source: { readonly path: string } | { readonly text: string | (() => string) };
  /** What the status line calls it. */
  readonly title: string;
  /** It is still being written: its end is shown, and followed. */
  readonly isGrowing?: boolean | undefined;
  readonly theme: Theme;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  /** Aborted when omp ends: the screen is restored then, too. */
  readonly signal: AbortSignal;
}

const ENTER = "\x1b[?1049h\x1b[?25l";
const LEAVE = "\x1b[?25h\x1b[?1049l";
const [BEGIN, END] = ["\x1b[?2026h", "\x1b[?2026l"];
const GUTTER = 8;
const GROWTH_MS = 200;

/** Resolves when the user closes it, with how. Nothing else may use the terminal meanwhile. */
export async function showPager(options: PagerScreenOptions): Promise<PagerExit> {
  const { source, stdin, stdout, signal, isGrowing = false } = options;
  const isText = "text" in source;
  const gutter = isText ? 0 : GUTTER;
  const pager = new Pager(
    isText ? pagedText(source.text) : await openPagedFile(source.path),
    sizeOf(stdout, gutter),
  );
  const screen = new PagerScreen(pager, options);
  stdin.setRawMode(true);
  stdin.ref();
  stdout.write(ENTER);
  const onReadable = () => screen.read();
  const onResize = () => void pager.act({ kind: "resize", ...sizeOf(stdout, gutter) });
  stdin.on("readable", onReadable);
  stdout.on("resize", onResize);
  const unsubscribe = pager.subscribe(() => screen.draw());
  const growth = isGrowing ? setInterval(() => refreshGrown(pager, source), GROWTH_MS) : undefined;
  const stopListening = onAbort(signal, () => screen.leave());
  try {
    await pager.open();
    if (isGrowing) await pager.act({ kind: "follow", isOn: true });
    else if (isText) await pager.act({ kind: "end" });
    void pager.indexInBackground();
    return await screen.left;
  } finally {
    clearInterval(growth);
    unsubscribe();
    stopListening();
    stdin.off("readable", onReadable);
    stdout.off("resize", onResize);
    stdout.write(LEAVE);
    stdin.setRawMode(false);
    await pager.close();
  }
}

/** Polled rather than watched: a few updates a second are enough, however fast the file grows. */
function refreshGrown(pager: Pager, source: PagerScreenOptions["source"]): void {
  const size = "path" in source ? statSync(source.path, { throwIfNoEntry: false })?.size : sizeOfText(source);
  if (size !== undefined && size !== pager.view.size) void pager.act({ kind: "refresh" });
}

function sizeOfText({ text }: { readonly text: string | (() => string) }): number {
  return Buffer.byteLength(typeof text === "function" ? text() : text);
}

function sizeOf(stdout: NodeJS.WriteStream, gutter: number): { rows: number; columns: number } {
  return {
    rows: Math.max(1, (stdout.rows || 24) - 1),
    columns: Math.max(1, (stdout.columns || 80) - gutter),
  };
}

class PagerScreen {
  readonly #pager: Pager;
  readonly #options: PagerScreenOptions;
  readonly #left = Promise.withResolvers<PagerExit>();
  /** The search being typed. */
  #asking: { readonly direction: Direction; readonly text: string } | undefined;
  /** The number typed before a key. */
  #count = "";

  constructor(pager: Pager, options: PagerScreenOptions) {
    this.#pager = pager;
    this.#options = options;
  }

  get left(): Promise<PagerExit> {
    return this.#left.promise;
  }

  leave(): void {
    this.#left.resolve("key");
  }

  read(): void {
    for (let chunk = this.#options.stdin.read(); chunk !== null; chunk = this.#options.stdin.read())
      for (const key of pagerKeys(String(chunk))) this.#press(key);
  }

  draw(): void {
    const { stdout, theme, source } = this.#options;
    const { view } = this.#pager;
    const { rows } = sizeOf(stdout, 0);
    const isNumbered = "path" in source;
    const lines = Array.from({ length: rows }, (_, at) => {
      const row = view.rows[at];
      if (row === undefined) return theme.dim("~");
      if (!isNumbered) return row.text;
      const number = row.isContinuation || row.line === undefined ? "" : String(row.line);
      return `${theme.dim(number.padStart(GUTTER - 2))}  ${row.text}`;
    });
    const status = theme.inverse(this.#status(view, stdout.columns || 80));
    stdout.write(`${BEGIN}\x1b[H${[...lines, status].map((line) => `${line}\x1b[K`).join("\r\n")}${END}`);
  }

  #press(key: string): void {
    if (this.#asking !== undefined) {
      this.#type(key);
      return;
    }
    if (isCount(this.#count + key)) {
      this.#setCount(this.#count + key);
      return;
    }
    const hasCount = this.#count !== "";
    const action = pagerKey(key, hasCount ? Number(this.#count) : undefined);
    if (hasCount) this.#setCount("");
    // Escape drops the number, and nothing else.
    if (action === undefined || (hasCount && key === "\x1b")) return;
    if (action.kind === "quit") this.#left.resolve(action.by);
    else if (action.kind === "ask") this.#ask({ direction: action.direction, text: "" });
    else void this.#pager.act(action);
  }

  #setCount(count: string): void {
    this.#count = count;
    this.draw();
  }

  #type(key: string): void {
    const { direction, text } = this.#asking ?? { direction: "forward", text: "" };
    if (key === "\r") {
      this.#asking = undefined;
      if (text !== "") void this.#pager.act({ kind: "search", text, direction });
      else this.draw();
    } else if (key === "\x03") this.#left.resolve("interrupt");
    else if (key === "\x1b") this.#ask(undefined);
    else if (key === "\x7f") this.#ask({ direction, text: text.slice(0, -1) });
    else if (!/\p{Cc}/u.test(key)) this.#ask({ direction, text: text + key });
  }

  #ask(asking: { direction: Direction; text: string } | undefined): void {
    this.#asking = asking;
    this.draw();
  }

  /** How to close the pager is always shown; the rest is cut if there is no room. */
  #status(view: PagerView, columns: number): string {
    const { dot, more } = this.#options.theme.symbols;
    if (this.#asking !== undefined) {
      const { direction, text } = this.#asking;
      return clip(`${direction === "forward" ? "/" : "?"}${text}`, columns, more);
    }
    if (this.#count !== "") return clip(`:${this.#count}`, columns, more);
    const lines = view.totalLines === undefined ? "" : `, ${count(view.totalLines, "line")}`;
    const search = view.search === undefined ? "" : ` ${dot} ${view.search.text}: ${view.search.state}`;
    const problem = view.problem === undefined ? "" : ` ${dot} ${view.problem}`;
    const following = view.isFollowing ? ` ${dot} following` : "";
    const position = `${view.percent} %${lines}${following}${search}${problem}`;
    const keys = this.#options.isGrowing && !view.isFollowing ? `F follow ${dot} / search` : "/ search";
    const whole = ` ${this.#options.title} ${dot} ${position} ${dot} ${keys} ${dot} q close `;
    if (widthOf(whole) <= columns) return whole;
    const closing = ` ${dot} q close `;
    return clip(` ${position}`, Math.max(1, columns - widthOf(closing)), more) + closing;
  }
}
