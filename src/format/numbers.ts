/** Counts and amounts as people and models read them. */

/** 1234567 as 1,234,567. Not by `Intl`: loading its locale tables costs more than the rest of a small command. */
export function groupDigits(number: number): string {
  return String(number).replace(/(?<!\.\d*)\B(?=(\d{3})+(?!\d))/g, ",");
}

/** `1 line`, `1,200 lines`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${groupDigits(number)} ${number === 1 ? one : many}`;
}

/** `950`, `9.5k`, `200k`, `1.05M`. */
export function formatTokens(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  if (tokens < 1_000_000) return `${(tokens / 1_000).toFixed(tokens < 10_000 ? 1 : 0)}k`;
  return `${Number((tokens / 1_000_000).toFixed(2))}M`;
}

export function formatDollars(usd: number): string {
  return `$${usd.toFixed(usd < 1 ? 3 : 2)}`;
}

/** `12 B`, `9.5 kB`, `200 MB`: powers of 1000. */
export function formatSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const units = ["kB", "MB", "GB", "TB"];
  const unit = Math.min(units.length, Math.floor(Math.log10(bytes) / 3));
  const size = bytes / 1_000 ** unit;
  return `${size.toFixed(size < 10 ? 1 : 0)} ${units[unit - 1]}`;
}
