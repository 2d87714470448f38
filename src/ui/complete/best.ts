/** The best few of many, kept while they stream by: a heap with the worst of them on top. */

export class Best {
  readonly #limit: number;
  readonly #isWorse: (a: number, b: number) => boolean;
  readonly #heap: number[] = [];

  /** Holds numbers (indexes); `isWorse(a, b)` orders them. */
  constructor(limit: number, isWorse: (a: number, b: number) => boolean) {
    this.#limit = limit;
    this.#isWorse = isWorse;
  }

  offer(item: number): void {
    if (this.#heap.length < this.#limit) {
      this.#heap.push(item);
      this.#rise(this.#heap.length - 1);
      return;
    }
    const worst = this.#heap[0];
    if (worst === undefined || !this.#isWorse(worst, item)) return;
    this.#heap[0] = item;
    this.#sink(0);
  }

  /** In no order. */
  items(): readonly number[] {
    return this.#heap;
  }

  #rise(from: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#swapIfWorse(at, parent)) return;
      at = parent;
    }
  }

  #sink(from: number): void {
    let at = from;
    for (;;) {
      const left = 2 * at + 1;
      const right = left + 1;
      const heap = this.#heap;
      let child = left;
      if (right < heap.length && this.#isWorse(heap[right] ?? 0, heap[left] ?? 0)) child = right;
      if (child >= heap.length || !this.#swapIfWorse(child, at)) return;
      at = child;
    }
  }

  /** The child goes above its parent when it is the worse of the two. */
  #swapIfWorse(child: number, parent: number): boolean {
    const [low, high] = [this.#heap[child] ?? 0, this.#heap[parent] ?? 0];
    if (!this.#isWorse(low, high)) return false;
    this.#heap[child] = high;
    this.#heap[parent] = low;
    return true;
  }
}
