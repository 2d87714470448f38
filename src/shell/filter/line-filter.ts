/**
 * Finds the lines that match a regular expression, in time linear in the text whatever the expression: the expression is
 * compiled to a non-deterministic automaton, and the deterministic one is built from it as far as the text needs it.
 */

import { ShellError } from "../errors.ts";
import type { CharSet } from "./char-set.ts";
import { contains, isWordUnit } from "./char-set.ts";
import { type Assertion, type Node, parsePattern } from "./syntax.ts";

type Instruction =
  | { readonly op: "set"; readonly set: CharSet }
  | { readonly op: "assert"; readonly assertion: Assertion }
  | { readonly op: "split"; to: [number, number] }
  | { readonly op: "jump"; to: number }
  | { readonly op: "match" };

/** What is before and after the place where an automaton stands. */
type Side = "edge" | "word" | "other";

interface State {
  readonly threads: readonly number[];
  readonly before: Side;
  /** By UTF-16 unit, those of ASCII in the array. */
  readonly ascii: (State | undefined)[];
  readonly others: Map<number, State>;
  matchesAtEnd: boolean | undefined;
}

const maxInstructions = 5_000;
const maxStates = 2_000;
/** Places of the automaton that may be visited for one text: well under a second's work. */
const maxVisits = 20_000_000;

export class LineFilter {
  readonly #program: Instruction[] = [];
  #states = new Map<string, State>();
  readonly #matched: State = newState([], "edge");
  readonly #pattern: string;
  #visits = 0;
  /** Where every line begins; kept, because lines are many. */
  #start: State | undefined;

  /** Throws ShellError when the pattern is not valid or cannot be done in linear time. */
  constructor(pattern: string) {
    this.#pattern = pattern;
    this.#compile(parsePattern(pattern));
    this.#emit({ op: "match" });
    if (this.#program.length > maxInstructions) throw unusable(pattern, "is too large");
  }

  /** The lines of a text that match, each with its newline. */
  apply(text: string): string {
    this.#visits = 0;
    const kept: string[] = [];
    for (let from = 0; from < text.length; ) {
      const newline = text.indexOf("\n", from);
      const end = newline < 0 ? text.length : newline;
      if (this.test(text, from, end)) kept.push(text.slice(from, newline < 0 ? end : end + 1));
      from = end + 1;
    }
    return kept.join("");
  }

  test(text: string, from = 0, to = text.length): boolean {
    this.#start ??= this.#state([0], "edge");
    let state = this.#start;
    for (let at = from; at < to; at += 1) {
      const code = text.charCodeAt(at);
      const known = code < 128 ? state.ascii[code] : state.others.get(code);
      state = known ?? this.#step(state, code);
      if (state === this.#matched) return true;
    }
    state.matchesAtEnd ??= this.#closure(state, "edge").matched;
    return state.matchesAtEnd;
  }

  #step(state: State, code: number): State {
    const after: Side = isWordUnit(code) ? "word" : "other";
    const { threads, matched } = this.#closure(state, after);
    const moved = threads.filter((at) => {
      const instruction = this.#program[at];
      return instruction?.op === "set" && contains(instruction.set, code);
    });
    // A match may begin anywhere, so the start joins at every place.
    const next = matched ? this.#matched : this.#state([0, ...moved.map((at) => at + 1)], after);
    if (code < 128) state.ascii[code] = next;
    else state.others.set(code, next);
    return next;
  }

  #closure(state: State, after: Side): { threads: number[]; matched: boolean } {
    const seen = new Set<number>();
    const open = [...state.threads];
    let matched = false;
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (seen.has(at)) continue;
      seen.add(at);
      const instruction = this.#program[at];
      if (instruction === undefined) continue;
      if (instruction.op === "match") matched = true;
      if (instruction.op === "jump") open.push(instruction.to);
      if (instruction.op === "split") open.push(...instruction.to);
      if (instruction.op === "assert" && holds(instruction.assertion, state.before, after)) open.push(at + 1);
    }
    this.#visits += seen.size;
    if (this.#visits > maxVisits) throw unusable(this.#pattern, "takes too long for this output");
    return { threads: [...seen], matched };
  }

  #state(threads: readonly number[], before: Side): State {
    const unique = [...new Set(threads)].sort((a, b) => a - b);
    const key = `${before}:${unique.join(",")}`;
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    // Memory stays bounded: what is forgotten is built again when it is needed.
    if (this.#states.size >= maxStates) {
      for (const state of this.#states.values()) {
        state.ascii.fill(undefined);
        state.others.clear();
      }
      this.#states = new Map();
      this.#start = undefined;
    }
    const state = newState(unique, before);
    this.#states.set(key, state);
    return state;
  }

  #emit(instruction: Instruction): number {
    // Nested counts multiply; no need to go on once it is too large.
    if (this.#program.length <= maxInstructions) this.#program.push(instruction);
    return this.#program.length - 1;
  }

  #compile(node: Node): void {
    switch (node.type) {
      case "set":
        this.#emit({ op: "set", set: node.set });
        return;
      case "assert":
        this.#emit({ op: "assert", assertion: node.assertion });
        return;
      case "sequence":
        for (const part of node.parts) this.#compile(part);
        return;
      case "choice":
        this.#compileChoice(node.parts);
        return;
      case "repeat":
        this.#compileRepeat(node);
        return;
    }
  }

  #compileChoice(parts: readonly Node[]): void {
    const jumps: { to: number }[] = [];
    parts.forEach((part, index) => {
      const isLast = index === parts.length - 1;
      const split: { op: "split"; to: [number, number] } = { op: "split", to: [0, 0] };
      if (!isLast) split.to[0] = this.#emit(split) + 1;
      this.#compile(part);
      if (isLast) return;
      const jump = { op: "jump" as const, to: 0 };
      jumps.push(jump);
      split.to[1] = this.#emit(jump) + 1;
    });
    for (const jump of jumps) jump.to = this.#program.length;
  }

  #compileRepeat({ node, min, max }: { node: Node; min: number; max: number }): void {
    for (let count = 0; count < min && this.#program.length <= maxInstructions; count += 1)
      this.#compile(node);
    if (max === Number.POSITIVE_INFINITY) {
      const split: { op: "split"; to: [number, number] } = { op: "split", to: [0, 0] };
      const start = this.#emit(split);
      this.#compile(node);
      split.to = [start + 1, this.#emit({ op: "jump", to: start }) + 1];
      return;
    }
    const splits: { to: [number, number] }[] = [];
    for (let count = min; count < max && this.#program.length <= maxInstructions; count += 1) {
      const split: { op: "split"; to: [number, number] } = { op: "split", to: [0, 0] };
      split.to[0] = this.#emit(split) + 1;
      splits.push(split);
      this.#compile(node);
    }
    for (const split of splits) split.to[1] = this.#program.length;
  }
}

function holds(assertion: Assertion, before: Side, after: Side): boolean {
  if (assertion === "start") return before === "edge";
  if (assertion === "end") return after === "edge";
  const isBoundary = (before === "word") !== (after === "word");
  return assertion === "word-boundary" ? isBoundary : !isBoundary;
}

function newState(threads: readonly number[], before: Side): State {
  return {
    threads,
    before,
    ascii: new Array<State | undefined>(128).fill(undefined),
    others: new Map(),
    matchesAtEnd: undefined,
  };
}

function unusable(pattern: string, problem: string): ShellError {
  const shown = pattern.length > 60 ? `${pattern.slice(0, 60)}…` : pattern;
  return new ShellError("bad-filter", { issue: `filter '${shown}' ${problem}`, code: "INVALID_FILTER" });
}
