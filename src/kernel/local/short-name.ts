/**
 * A short second name of a kernel's directory, for as long as the kernel starts: xeus has 32 bytes for the address of a socket, and ends
 * when one is longer.
 */

import { randomBytes } from "node:crypto";
import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../protocol/index.ts";

const BASE = "/tmp";

export class ShortName implements Disposable {
  readonly path: string;
  readonly #link: string | undefined;

  /** @param base what the kernel sees as /tmp. */
  constructor(directory: string, base = BASE) {
    const name = `omp-${randomBytes(4).toString("hex")}`;
    const link = join(base, name);
    const isMade = attempt(() => {
      symlinkSync(directory, link);
      return true;
    });
    this.#link = isMade ? link : undefined;
    // Without it other kernels start as well.
    this.path = isMade ? join(BASE, name) : directory;
  }

  [Symbol.dispose](): void {
    if (this.#link !== undefined) rmSync(this.#link, { force: true });
  }
}
