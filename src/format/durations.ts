/** Durations as people and models read them: short with symbols, or spelled out. */

import { count } from "./numbers.ts";

/** `340 ms`, `1.2 s`, `3 min 4 s`, `2 h 5 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  const minutes = Math.floor(ms / 60_000);
  const seconds = Math.floor((ms % 60_000) / 1_000);
  if (minutes < 60) return `${minutes} min ${seconds} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Of something that still runs: whole seconds, so that it changes once a second. */
export function formatElapsed(ms: number): string {
  return formatDuration(Math.max(0, Math.floor(ms / 1_000)) * 1_000)
    .replace(/\.0 s$/, " s")
    .replace(/^0 ms$/, "0 s");
}

/** Of a wait that lies ahead: whole seconds, rounded up. */
export function formatWait(ms: number): string {
  return formatElapsed(Math.ceil(ms / 1_000) * 1_000);
}

/** A time limit: `1 second`, `2.5 seconds`. */
export function formatLimit(ms: number): string {
  return count(ms / 1_000, "second");
}

/** In words, the two largest units: `0.3 seconds`, `1 minute 5 seconds`, `2 days 3 hours`. */
export function spellDuration(ms: number): string {
  const seconds = ms < 10_000 ? Number((ms / 1_000).toFixed(1)) : Math.round(ms / 1_000);
  const units: readonly (readonly [number, string])[] = [
    [Math.floor(seconds / 86_400), "day"],
    [Math.floor(seconds / 3_600) % 24, "hour"],
    [Math.floor(seconds / 60) % 60, "minute"],
    [seconds % 60, "second"],
  ];
  const largest = units.findIndex(([amount]) => amount > 0);
  const [first, ...rest] = units.slice(largest).slice(0, 2);
  const shown = [...(first ? [first] : []), ...rest.filter(([amount]) => amount > 0)];
  return shown.map(([amount, unit]) => count(amount, unit)).join(" ");
}

/** How long ago, in one unit. */
export function formatAge(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`;
  return `${count(Math.floor(minutes / (24 * 60)), "day")} ago`;
}

/** Whole seconds since an ISO date; 0 for a date that is none. */
export function secondsSince(date: string): number {
  const startedAt = Date.parse(date);
  return Number.isNaN(startedAt) ? 0 : Math.max(0, Math.round((Date.now() - startedAt) / 1_000));
}
