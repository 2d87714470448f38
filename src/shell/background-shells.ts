/** The background shells of a session by id: at most so many, finished ones announced once, all ended at the close. */

import { type BackgroundOptions, BackgroundShell } from "./background-shell.ts";
import { ShellError } from "./errors.ts";

export const MAX_BACKGROUND_SHELLS = 64;

export type BackgroundStart = Omit<BackgroundOptions, "id" | "onEnd" | "maxBytes">;

export class BackgroundShells {
  readonly #shells = new Map<string, BackgroundShell>();
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
        const line = announcement(ended);
        this.#announcements.push(line);
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
    this.#shells.delete(ended.id);
    void ended.close();
  }
}

function announcement(shell: BackgroundShell): string {
  const how =
    shell.status === "killed"
      ? "was killed"
      : shell.signal === null
        ? `${shell.status} with exit code ${shell.exitCode}`
        : `failed: ended by ${shell.signal}`;
  const command = shell.command.trim().split("\n")[0] ?? "";
  const shown = command.length > 80 ? `${command.slice(0, 79)}…` : command;
  return `background shell ${shell.id} ${how}: ${shown}`;
}
