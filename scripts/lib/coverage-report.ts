/** Turns Bun's lcov file into what `npm run coverage` prints. */

const LEAST_COVERED = 10;

interface Lines {
  readonly found: number;
  readonly hit: number;
}

export function coverageReport(
  lcov: string,
  sources: readonly { readonly file: string; readonly text: string }[],
): string {
  const measured = measuredFiles(lcov);
  const files = sources
    .map(({ file, text }) => ({ file, ...(measured.get(file) ?? { found: codeLines(file, text), hit: 0 }) }))
    .filter(({ found }) => found > 0);
  const least = files
    .toSorted((a, b) => percent(a) - percent(b) || b.found - a.found)
    .slice(0, LEAST_COVERED);
  const sum = (key: keyof Lines) => files.reduce((total, lines) => total + lines[key], 0);
  const total = { found: sum("found"), hit: sum("hit") };
  return [
    `The ${least.length} least covered files (what runs only in an omp that a test starts is not counted):`,
    ...least.map(
      (each) => `${percent(each).toFixed(1).padStart(7)} %  ${each.file} (${each.hit} of ${each.found})`,
    ),
    `lines of src covered: ${percent(total).toFixed(1)} % (${total.hit} of ${total.found})`,
    "",
  ].join("\n");
}

function percent({ hit, found }: Lines): number {
  return found === 0 ? 100 : (100 * hit) / found;
}

function measuredFiles(lcov: string): Map<string, Lines> {
  const records = lcov.split("end_of_record").map((record) => {
    const file = /^SF:(.+)$/m.exec(record)?.[1] ?? "";
    const count = (name: string) => Number(new RegExp(`^${name}:(\\d+)$`, "m").exec(record)?.[1] ?? 0);
    return [file, { found: count("LF"), hit: count("LH") }] as const;
  });
  return new Map(records);
}

/** An estimate for a file that no test loads: its lines without types, comments, imports and blank lines. */
function codeLines(file: string, text: string): number {
  const transpiler = new Bun.Transpiler({ loader: file.endsWith("x") ? "tsx" : "ts" });
  const lines = transpiler.transformSync(text).split("\n");
  return lines.filter((line) => !/^\s*(?:import .*|export \{.*)?$/.test(line)).length;
}
