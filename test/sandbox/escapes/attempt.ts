/** What an attempt to leave the sandbox is given, and how its outcome is told. */

/** Where everything is that must not be reached. */
export interface Targets {
  /** A directory that may not be written; holds `file`, with a known text. */
  readonly outside: string;
  readonly file: string;
  /** The same in the machine's /tmp. */
  readonly temporary: string;
  readonly project: string;
  readonly home: string;
  /** A process of the user, with SECRET in its environment. */
  readonly victim: number;
  /** Loopback ports of the machine where something listens. */
  readonly tcp: number;
  readonly udp: number;
  /** Unix sockets of the machine where something listens: agents, Docker, D-Bus, X11, tmux. */
  readonly sockets: readonly string[];
  readonly abstractSocket: string;
  readonly sharedMemory: number;
}

export const SECRET = "the-secret-of-the-user";

/** Returns or resolves to what shows that it worked; throws, or gives undefined, when it did not. */
export type Attempt = (targets: Targets) => unknown;

export interface Outcome {
  readonly name: string;
  /** What it got; undefined: it was refused. */
  readonly escaped: string | undefined;
  /** How it was refused. */
  readonly refused: string | undefined;
}

export async function carryOut(name: string, attempt: Attempt, targets: Targets): Promise<Outcome> {
  try {
    const got = await attempt(targets);
    if (got === undefined || got === false)
      return { name, escaped: undefined, refused: "nothing came of it" };
    return { name, escaped: String(got), refused: undefined };
  } catch (error) {
    const code =
      typeof error === "object" && error !== null && "code" in error ? String(error.code) : undefined;
    return { name, escaped: undefined, refused: code ?? String(error) };
  }
}
