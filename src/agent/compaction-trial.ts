/** Whether compactions help: the turn after one shows whether it freed space. */

/** In a row: after these the conversation does not fit, and more attempts would never end. */
const MAX_USELESS = 2;

export class CompactionTrial {
  #isOn = false;
  #useless = 0;

  get mayCompact(): boolean {
    return this.#useless < MAX_USELESS;
  }

  start(): void {
    this.#isOn = true;
  }

  /** @returns true when there will be no more of them. */
  end({ helped }: { readonly helped: boolean }): boolean {
    const isOn = this.#isOn;
    this.#isOn = false;
    if (helped) this.#useless = 0;
    else if (isOn) this.#useless += 1;
    return isOn && !this.mayCompact;
  }
}
