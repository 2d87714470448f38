/**
 * The background shells of a session by id: at most so many, finished ones announced once, all ended at the close. Of one that was
 * forgotten, because it has ended and others need the room or it was cleaned up, is still known where its output is.
 */

import { formatLimit } from "../format/durations.ts";
import { type BackgroundOptions, BackgroundShell } from "./background-shell.ts";
import { ShellError } from "./errors.ts";

const MAX_BACKGROUND_SHELLS = 64;

export type BackgroundStart = Omit<BackgroundOptions, "id" | "onEnd" | "maxBytes">;

/** How a shell ended, and where its output is. */
export type EndedShell = Pick<BackgroundShell, "id" | "status" | "exitCode" | "signal" | "timedOut"> & {
  readonly copy: Pick<NonNullable<BackgroundShell["copy"]>, "id" | "problem"> | undefined;
};

export class BackgroundShells {
  readonly #shells = new Map<string, BackgroundShell>();
  readonly #forgotten = new Map<string, EndedShell>();
  readonly #maxBytes: number;
  readonly #onChange: (ended?: string) => void;
  #started = 0;
  #announcements: string[] = [];

  /** @param options.maxBytes of each stream of each shell on disk. @param options.onChange called with the announcement when one has ended. */
  constructor(options: {
    readonly maxBytes: number;
    readonly onChange?: ((ended?: string) => void) | undefined;
  }) {
    this.#maxBytes = options.maxBytes;
    this.#onChange = options.onChange ?? (() => undefined);
  }

  start(options: BackgroundStart): BackgroundShell {
    this.#makeRoom();
    this.#started += 1;
    const shell = new BackgroundShell({
      ...options,
      id: `bash_${this.#started}`,
      maxBytes: this.#maxBytes,
      onEnd: (ended) => {
        const line = ended.isTold ? undefined : announcement(ended);
        if (line !== undefined) this.#announcements.push(line);
        this.#onChange(line);
      },
    });
    this.#shells.set(shell.id, shell);
    this.#onChange();
    return shell;
  }

  get(id: string): BackgroundShell | undefined {
    return this.#shells.get(id);
  }

  getForgotten(id: string): EndedShell | undefined {
    return this.#forgotten.get(id);
  }

  /** Forgets those that have ended and left nothing running. @returns them. */
  cleanUp(): readonly EndedShell[] {
    const ended = this.list().filter((shell) => shell.status !== "running" && shell.members().length === 0);
    return ended.map((shell) => this.#forget(shell));
  }

  list(): readonly BackgroundShell[] {
    return [...this.#shells.values()];
  }

  /** One line for each shell that has ended since the last call: for the model's next turn. */
  takeAnnouncements(): readonly string[] {
    const lines = this.#announcements;
    this.#announcements = [];
    return lines;
  }

  /** Ends them all. @returns those that were still running. */
  async close(): Promise<readonly BackgroundShell[]> {
    const running = this.list().filter(({ status }) => status === "running");
    await Promise.all(this.list().map((shell) => shell.close()));
    this.#announcements = [];
    return running;
  }

  /** Forgets the oldest one that has ended when the limit is reached. */
  #makeRoom(): void {
    if (this.#shells.size < MAX_BACKGROUND_SHELLS) return;
    const ended = this.list().find(({ status }) => status !== "running");
    if (ended === undefined) {
      const issue = `${MAX_BACKGROUND_SHELLS} background shells are running; end one with kill_shell first`;
      throw new ShellError("too-many", { issue, code: "TOO_MANY_SHELLS" });
    }
    this.#forget(ended);
  }

  #forget(shell: BackgroundShell): EndedShell {
    const { id, status, exitCode, signal, timedOut, copy } = shell;
    const known = { id, status, exitCode, signal, timedOut, copy };
    this.#shells.delete(id);
    this.#forgotten.set(id, known);
    void shell.close();
    return known;
  }
}

function announcement(shell: BackgroundShell): string {
  const how =
    shell.status === "killed"
      ? shell.timedOut
        ? `was ended at its limit of ${formatLimit(shell.timeoutMs ?? 0)}`
        : "was killed"
      : shell.signal === null
        ? `${shell.status} with exit code ${shell.exitCode}`
        : `failed: ended by ${shell.signal}`;
  const command = shell.command.trim().split("\n")[0] ?? "";
  const shown = command.length > 80 ? `${command.slice(0, 79)}…` : command;
  return `background shell ${shell.id} ${how}: ${shown}`;
}
