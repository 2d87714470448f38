/** The report that every benchmark prints: one row per measurement, with its limit and whether it was met. */

interface Row {
  readonly what: string;
  readonly measured: string;
  readonly limit: string;
  readonly holds: boolean;
}

interface Comparison {
  readonly ours: number;
  readonly peer: number;
  readonly factor: number;
  readonly unit: string;
  readonly peerName?: string;
}

export class Report {
  readonly #title: string;
  readonly #rows: Row[] = [];

  constructor(title: string) {
    this.#title = title;
  }

  /** Ours may take at most `factor` times the peer's. */
  atMost(what: string, comparison: Comparison): void {
    this.#compare(what, comparison, "≤", (ratio) => ratio <= comparison.factor);
  }

  /** Ours must reach at least `factor` times the peer's. */
  atLeast(what: string, comparison: Comparison): void {
    this.#compare(what, comparison, "≥", (ratio) => ratio >= comparison.factor);
  }

  limit(what: string, { value, limit, unit }: { value: number; limit: number; unit: string }): void {
    this.#add({
      what,
      measured: `${show(value)} ${unit}`,
      limit: `≤ ${limit} ${unit}`,
      holds: value <= limit,
    });
  }

  holds(what: string, holds: boolean): void {
    this.#add({ what, measured: holds ? "yes" : "no", limit: "yes", holds });
  }

  /** A figure without a limit. */
  note(what: string, measured: string): void {
    this.#add({ what, measured, limit: "", holds: true });
  }

  /** Prints the table and returns the exit code. */
  print(): number {
    const width = (pick: (row: Row) => string) =>
      Math.max(...this.#rows.map((row) => Bun.stringWidth(pick(row))));
    const columns = [
      width((row) => row.what),
      width((row) => row.measured),
      width((row) => row.limit),
    ] as const;
    console.log(`\n${this.#title}`);
    for (const { what, measured, limit, holds } of this.#rows) {
      const cells = [what.padEnd(columns[0]), measured.padEnd(columns[1]), limit.padEnd(columns[2])];
      console.log(`  ${cells.join("  ")}  ${limit === "" ? "" : holds ? "ok" : "MISSED"}`);
    }
    return this.#rows.every(({ holds }) => holds) ? 0 : 1;
  }

  #compare(
    what: string,
    { ours, peer, factor, unit, peerName = "jupyter_client" }: Comparison,
    sign: string,
    isGood: (ratio: number) => boolean,
  ) {
    const ratio = ours / peer;
    this.#add({
      what,
      measured: `${show(ours)} ${unit} = ${ratio.toFixed(2)} × ${peerName} (${show(peer)} ${unit})`,
      limit: `${sign} ${factor} ×`,
      holds: isGood(ratio),
    });
  }

  /** Also printed at once: a benchmark takes minutes. */
  #add(row: Row): void {
    this.#rows.push(row);
    console.error(`${row.holds ? "·" : "✗"} ${row.what}: ${row.measured}`);
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

function show(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
