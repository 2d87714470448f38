/** Types of progress.mjs, which Node runs before there is a compiler. */

export function progressLine(state: {
  readonly what: string;
  readonly mb: number;
  readonly sizeMb: number;
  readonly seconds: number;
  readonly stalledMs: number;
}): string;
