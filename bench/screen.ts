/**
 * What the screen must survive: 200 keys typed at human speed while questions open, and 500 changes of the window's size while an answer of
 * 200 paragraphs arrives. Not measured but counted: letters, answers, paragraphs.
 *
 *   npm run bench -- screen [typing] [resizes] [--seed=1]
 */

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Terminal } from "@xterm/headless";
import { buildBundle } from "../scripts/bundle.ts";
import { streamingModel } from "../test/support/streaming-model.ts";
import { Report } from "./report.ts";

const root = resolve(import.meta.dir, "..");
const bun = process.execPath;
const omp = [bun, "--no-env-file", "--config=/dev/null", await buildBundle(root)];
const report = new Report("the screen holds");
const wanted = process.argv.slice(2);
const seed = Number(wanted.find((word) => word.startsWith("--seed="))?.slice(7) ?? 1);

/** The same numbers for the same seed (mulberry32). */
function randomFrom(start: number): (from: number, to: number) => number {
  let state = start;
  return (from, to) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return from + (((mixed ^ (mixed >>> 14)) >>> 0) % (to - from + 1));
  };
}

class Window {
  readonly terminal = new Terminal({ cols: 80, rows: 24, scrollback: 50_000, allowProposedApi: true });
  readonly home = mkdtempSync(join(tmpdir(), "omp-screen-"));
  readonly project = join(this.home, "project");
  readonly #child: Bun.Subprocess;

  constructor(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    mkdirSync(this.project);
    const decoder = new TextDecoder();
    this.#child = Bun.spawn([...omp, ...args], {
      cwd: this.project,
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: this.home,
        LANG: "C.UTF-8",
        TERM: "xterm-256color",
        PI_PY: "0",
        ...env,
      },
      terminal: {
        cols: 80,
        rows: 24,
        data: (_, data) => this.terminal.write(decoder.decode(data, { stream: true })),
      },
    });
    this.terminal.onData((answer) => this.type(answer));
  }

  type(keys: string): void {
    this.#child.terminal?.write(keys);
  }

  resize(columns: number, rows: number): void {
    this.terminal.resize(columns, rows);
    this.#child.terminal?.resize(columns, rows);
  }

  get all(): string {
    const { active } = this.terminal.buffer;
    const rows = Array.from({ length: active.length }, (_, y) => active.getLine(y));
    return rows
      .map((row, y) => `${y > 0 && row?.isWrapped !== true ? "\n" : ""}${row?.translateToString(true) ?? ""}`)
      .join("");
  }

  get screen(): string {
    const { active } = this.terminal.buffer;
    const rows = Array.from({ length: this.terminal.rows }, (_, y) => active.getLine(active.baseY + y));
    return rows.map((row) => row?.translateToString(true) ?? "").join("\n");
  }

  async until(isThere: (window: Window) => boolean, limitMs = 30_000): Promise<void> {
    for (const end = Date.now() + limitMs; !isThere(this); await Bun.sleep(10))
      if (Date.now() > end) throw new Error(`never happened: ${isThere}\n${this.screen}`);
  }

  async close(): Promise<void> {
    this.#child.kill();
    await this.#child.exited;
    this.#child.terminal?.close();
    rmSync(this.home, { recursive: true, force: true });
  }
}

const KEYS = 200;
const LETTERS = "abcdefghijklmnopqrstuvwxyzyyyyaaaannnnssss";

async function typing(): Promise<void> {
  const random = randomFrom(seed);
  const script = join(mkdtempSync(join(tmpdir(), "omp-script-")), "script.json");
  const turns = Array.from({ length: 60 }, (_, at) => ({
    delayMs: random(100, 900),
    toolCalls: [{ name: "bash", input: { command: `touch made-${at}` } }],
  }));
  writeFileSync(script, JSON.stringify({ turns }));
  const window = new Window(["-m", `script:${script}`, "--approval", "ask"]);
  await window.until(({ screen }) => screen.includes("no Python"));
  window.type("go\r");
  let typed = "";
  let [answers, keys, withQuestion] = [0, 0, 0];
  while (keys < KEYS) {
    // Now and then the question is answered on purpose, so that the next one opens while something is typed.
    if (withQuestion > 8) {
      await window.until(({ screen }) => /Up or Down to answer|Up, Down and Enter/.test(screen));
      while (!/^❯ No$/m.test(window.screen)) {
        const before = window.screen;
        window.type("\x1b[B");
        await window.until(({ screen }) => screen !== before);
      }
      window.type("\r");
      answers += 1;
      withQuestion = 0;
      await window.until(({ screen }) => !/^❯ No$/m.test(screen));
    }
    const draft = typed.slice(typed.lastIndexOf("\n") + 1);
    const isEnter = draft.trim() !== "" && random(1, 12) === 1;
    const key = isEnter ? "\r" : random(1, 6) === 1 ? " " : (LETTERS[random(0, LETTERS.length - 1)] ?? "a");
    window.type(key);
    typed += isEnter ? "\n" : key;
    keys += 1;
    if (window.screen.includes("Allow bash?")) withQuestion += 1;
    await Bun.sleep(random(60, 260));
  }
  await Bun.sleep(300);
  const draft = /\n❯ ([a-z ]*)\n[^❯]*$/.exec(window.screen)?.[1] ?? "";
  const wordsOf = (text: string) => text.replaceAll(/\s+/g, " ").trim();
  const queued = [...window.screen.matchAll(/^ {2}○ (.*)$/gm)].map(([, text]) => text ?? "");
  const sent = readSent(window.home).filter((text) => text !== "go");
  const kept = wordsOf([...sent, ...queued, draft].join(" "));
  const made = readdirSync(window.project).filter((name) => name.startsWith("made-"));
  report.note("questions answered on purpose, of keys typed", `${answers}, ${KEYS}`);
  report.limit("questions answered by what was typed", {
    value: made.length + refusals(window.home) - answers,
    limit: 0,
    unit: "",
  });
  report.limit("commands that were always allowed", {
    value: existsSync(join(window.home, ".omp/agent/omp.jsonc")) ? 1 : 0,
    limit: 0,
    unit: "",
  });
  const lost = wordsOf(typed) === kept ? 0 : 1;
  if (lost > 0) report.note("typed", `${JSON.stringify(wordsOf(typed))}\nkept ${JSON.stringify(kept)}`);
  report.limit("letters lost", { value: lost, limit: 0, unit: "" });
  await window.close();
}

function entries(home: string): { readonly type: string; readonly [key: string]: unknown }[] {
  const directory = join(home, ".omp/agent/omp-sessions");
  return readdirSync(directory).flatMap((name) =>
    readFileSync(join(directory, name), "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  );
}

function readSent(home: string): string[] {
  return entries(home).flatMap((entry) => {
    if (entry.type !== "user") return [];
    const { message } = entry as unknown as { message: { content: { text?: string }[] } };
    return message.content.map(({ text = "" }) => text);
  });
}

function refusals(home: string): number {
  return entries(home).filter((entry) => JSON.stringify(entry).includes("the user declined")).length;
}

const PARAGRAPHS = 200;
const RESIZES = 500;
/** Between two sizes, at least. */
const PAUSE = 30;

async function resizes(): Promise<void> {
  const random = randomFrom(seed);
  const model = streamingModel();
  const window = new Window(["-m", model.name], model.env);
  await window.until(({ screen }) => screen.includes("no Python"));
  window.type("go\r");
  let isOver = false;
  const resizing = (async () => {
    for (let at = 0; at < RESIZES; at += 1) {
      window.resize(random(40, 160), random(15, 50));
      await Bun.sleep(random(PAUSE, 3 * PAUSE));
    }
    isOver = true;
  })();
  const words = "the quick brown fox jumps over a lazy dog while nobody is looking at all".split(" ");
  for (let at = 1; at <= PARAGRAPHS; at += 1) {
    const text = Array.from({ length: random(3, 60) }, () => words[random(0, words.length - 1)]).join(" ");
    for (const word of `Paragraph-${at}. ${text} end-of-${at}.\n\n`.match(/\S+\s*/g) ?? [])
      await model.say(word);
    await Bun.sleep(isOver ? 1 : random(PAUSE, 4 * PAUSE));
  }
  await resizing;
  await model.finish();
  window.resize(80, 24);
  await window.until(({ screen }) => screen.includes("❯ Ask") && screen.includes(`end-of-${PARAGRAPHS}.`));
  await Bun.sleep(500);
  const count = (pattern: RegExp) => {
    const found = new Map<string, number>();
    for (const [, number = ""] of window.all.matchAll(pattern))
      found.set(number, (found.get(number) ?? 0) + 1);
    const all = Array.from({ length: PARAGRAPHS }, (_, at) => found.get(String(at + 1)) ?? 0);
    return {
      missing: all.filter((times) => times === 0).length,
      doubled: all.filter((times) => times > 1).length,
    };
  };
  const [starts, ends] = [count(/Paragraph-(\d+)\./g), count(/end-of-(\d+)\./g)];
  report.limit("paragraphs missing", { value: starts.missing + ends.missing, limit: 0, unit: "" });
  report.limit("paragraphs there twice", { value: starts.doubled + ends.doubled, limit: 0, unit: "" });
  const frames = window.all.split("❯ Ask anything").length - 1;
  report.note("prompts left behind in the scrollback", `${frames - 1}`);
  await window.close();
  await model.stop();
}

const parts = { typing, resizes };
const named = wanted.filter((word) => !word.startsWith("--"));
for (const [name, run] of Object.entries(parts)) if (named.length === 0 || named.includes(name)) await run();
process.exitCode = report.print();
