/**
 * What a terminal can do: from the environment first, then from its own answers. The questions are one string to write; the answers are
 * read by `ReplyParser`.
 */

import {
  backgroundOf,
  type ColorDepth,
  colorDepth,
  type Environment,
  type GraphicsProtocol,
  graphicsOf,
  hasUnicode,
  type Multiplexer,
  multiplexer,
  wantsScreenReader,
} from "./environment.ts";
import { type Reflow, reflowByAttributes, reflowByName, reflowOf } from "./reflow.ts";
import type { RgbColor, TerminalReply } from "./replies.ts";

export interface TerminalCapabilities {
  readonly colors: ColorDepth;
  readonly hasUnicode: boolean;
  readonly graphics: GraphicsProtocol | undefined;
  readonly background: "light" | "dark" | undefined;
  readonly hasHyperlinks: boolean;
  readonly hasKittyKeyboard: boolean;
  readonly multiplexer: Multiplexer | undefined;
  readonly isScreenReader: boolean;
  /** Pixels of one cell, if the terminal reports it. */
  readonly cell: { readonly width: number; readonly height: number } | undefined;
  /** The most pixels of a sixel picture. xterm reports the size of its window, up to its limit. */
  readonly sixelSize: { readonly width: number; readonly height: number } | undefined;
  readonly version: string | undefined;
  /** What it does with lines when its window becomes narrower. */
  readonly reflow: Reflow;
}

export function capabilitiesFrom(
  env: Environment,
  { isTerminal }: { isTerminal: boolean },
): TerminalCapabilities {
  const colors = colorDepth(env, { isTerminal });
  return {
    colors,
    hasUnicode: hasUnicode(env),
    graphics: isTerminal ? graphicsOf(env) : undefined,
    background: backgroundOf(env),
    // A multiplexer may drop the address, which would then be lost.
    hasHyperlinks:
      isTerminal && multiplexer(env) === undefined && (colors === "true" || env["VTE_VERSION"] !== undefined),
    hasKittyKeyboard: false,
    multiplexer: multiplexer(env),
    isScreenReader: wantsScreenReader(env),
    cell: undefined,
    sixelSize: undefined,
    version: undefined,
    reflow: reflowOf(env),
  };
}

/** The capabilities with one more answer. The order of the answers does not matter. */
export function withReply(known: TerminalCapabilities, reply: TerminalReply): TerminalCapabilities {
  switch (reply.kind) {
    case "attributes":
      // Parameter 4 is sixel; a better protocol that is already known is kept.
      return reply.parameters.slice(1).includes(4)
        ? { ...known, graphics: known.graphics ?? "sixel" }
        : known;
    case "secondary attributes":
      // In a multiplexer, it is the multiplexer that breaks the lines.
      return known.multiplexer === undefined
        ? { ...known, reflow: reflowByAttributes(reply.parameters) ?? known.reflow }
        : known;
    case "kitty graphics":
      return reply.isSupported ? { ...known, graphics: "kitty" } : known;
    case "background":
      return { ...known, background: isLight(reply.color) ? "light" : "dark" };
    case "cell size":
    case "sixel size": {
      const { kind, width, height } = reply;
      if (width <= 0 || height <= 0) return known;
      return { ...known, [kind === "cell size" ? "cell" : "sixelSize"]: { width, height } };
    }
    case "kitty keyboard":
      return { ...known, hasKittyKeyboard: true };
    case "version":
      return withVersion(known, reply.name);
  }
}

/** Over ssh the terminal has no environment variables here, but it reports its name. */
function withVersion(known: TerminalCapabilities, version: string): TerminalCapabilities {
  if (known.multiplexer !== undefined) return { ...known, version };
  const isIterm = /^(?:iTerm2|WezTerm)/i.test(version);
  const reflow = reflowByName(version) ?? known.reflow;
  return { ...known, version, reflow, graphics: known.graphics ?? (isIterm ? "iterm2" : undefined) };
}

/** By perceived brightness. */
export function isLight({ red, green, blue }: RgbColor): boolean {
  return 0.299 * red + 0.587 * green + 0.114 * blue > 0.5;
}

/**
 * Everything to ask, with a question that every terminal answers at the end: after its answer, nothing more arrives. Graphics support is
 * asked with a picture of one pixel that is not shown.
 */
export function terminalQuestions(known: Pick<TerminalCapabilities, "multiplexer">): string {
  const background = "\x1b]11;?\x1b\\";
  const version = "\x1b[>0q";
  const keyboard = "\x1b[?u";
  // Multiplexers print strings that they do not know, so they are not asked.
  const graphics = known.multiplexer === undefined ? "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\" : "";
  const secondary = "\x1b[>c";
  return background + version + keyboard + graphics + secondary + sizeQuestions(known);
}

/** How large cells and pictures are, which changes with the font. */
export function sizeQuestions({ multiplexer: behind }: Pick<TerminalCapabilities, "multiplexer">): string {
  const cell = "\x1b[16t";
  // Many xterms do not report the size of their cells, but do report how large a picture can be.
  const sixelSize = behind === undefined ? "\x1b[?2;1;0S" : "";
  const attributes = "\x1b[c";
  return cell + sixelSize + attributes;
}

/** A sequence for the terminal around the multiplexer. Zellij lets none through, and others need none. */
export function passedThrough(sequence: string, through: Multiplexer | undefined): string {
  if (through === "tmux") {
    // Each string on its own: tmux buffers each whole before it passes it on, and not more than a megabyte.
    const strings = sequence.split(/(?<=\p{Cc}\\)/u);
    return strings.map((part) => `\x1bPtmux;${part.replaceAll("\x1b", "\x1b\x1b")}\x1b\\`).join("");
  }
  if (through !== "screen") return sequence;
  // Screen accepts only short strings, and a string ends at its first terminator.
  const pieces = sequence.replaceAll("\x1b\\", "\x1b\x1b\\\x1bP\\").match(/[\s\S]{1,250}/g) ?? [];
  return pieces.map((piece) => `\x1bP${piece}\x1b\\`).join("");
}
