/** What an action of the command tree does: runs a command, whose exit code becomes the program's. */

import type { CommandIo } from "../app/io.ts";
import type { Invocation } from "../protocol/invocation.ts";

export interface CommandArguments {
  readonly io: CommandIo;
  readonly place: Invocation;
}

export type Run = (command: (given: CommandArguments) => Promise<number>) => Promise<void>;
