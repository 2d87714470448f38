/** A small generator with a seed: what fails can be repeated. */
export function chance(seed: number) {
  let state = seed >>> 0;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const pick = <T>(items: readonly T[]): T => {
    const [item] = items.slice(below(items.length));
    if (item === undefined) throw new Error("nothing to choose from");
    return item;
  };
  return { below, pick };
}
