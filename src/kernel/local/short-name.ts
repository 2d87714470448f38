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
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
    const link = join(BASE, `omp-${randomBytes(4).toString("hex")}`);
    const isMade = attempt(() => {
      symlinkSync(directory, link);
      return true;
    });
    // Without it other kernels start as well.
    this.path = isMade ? link : directory;
  }

  [Symbol.dispose](): void {
    if (this.path !== this.#directory) rmSync(this.path, { force: true });
  }
}
