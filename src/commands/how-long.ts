/** How long something has been going on, as people say it. */

export function secondsSince(since: string): number {
  const startedAt = Date.parse(since);
  return Number.isNaN(startedAt) ? 0 : Math.max(0, Math.round((Date.now() - startedAt) / 1000));
}

/** The two largest units. */
export function howLong(seconds: number): string {
  const units: readonly (readonly [number, string])[] = [
    [Math.floor(seconds / 86_400), "day"],
    [Math.floor(seconds / 3600) % 24, "hour"],
    [Math.floor(seconds / 60) % 60, "minute"],
    [seconds % 60, "second"],
  ];
  const first = units.findIndex(([amount]) => amount > 0);
  const shown = first === -1 ? units.slice(-1) : units.slice(first, first + 2);
  return shown
    .filter(([amount], index) => amount > 0 || (index === 0 && shown.length === 1))
    .map(([amount, unit]) => count(amount, unit))
    .join(" ");
}

export function count(amount: number, unit: string): string {
  return `${amount} ${unit}${amount === 1 ? "" : "s"}`;
}
