/** What an action of the command tree does: calls a mode, and its exit code becomes the program's. */

import type { ModeIo, ModePlace } from "../modes/io.ts";

export interface Invocation {
  readonly io: ModeIo;
  readonly place: ModePlace;
}

export type Run = (mode: (invocation: Invocation) => Promise<number>) => Promise<void>;
