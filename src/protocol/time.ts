/** A kernel's variables over time, as those who take a session back see them. What is behind it forks kernels; nothing here knows that. */

/** A moment that variables can be taken back to. */
export interface VariableCheckpoint {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** What of the kernel it does not hold, each a clause: "the thread Worker-1", "an open connection to db:5432". */
  readonly notHeld: readonly string[];
}

/** Names in the user's namespace; private and built-in ones are left out. */
export interface VariableChanges {
  /** There now, and not at the checkpoint. */
  readonly added: readonly string[];
  /** There at the checkpoint, and not now. */
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  /** There then and now, with contents that cannot be compared: they may have changed. */
  readonly unknown: readonly string[];
}

/** `impossible` where the kernel cannot do it, now or at all; `empty` while there is no kernel, so that there is nothing to keep. */
export type VariablesKept =
  | { readonly kind: "kept"; readonly checkpoint: VariableCheckpoint }
  | { readonly kind: "empty" }
  | { readonly kind: "impossible"; readonly reason: string };

export type VariablesRestored =
  /** `undo` is the state that was left. */
  | { readonly kind: "restored"; readonly undo: VariablesKept; readonly notHeld: readonly string[] }
  /** Nothing was changed; the reason is a clause. */
  | { readonly kind: "impossible"; readonly reason: string };

/** The past of a session's kernel. */
export interface VariableHistory {
  /** Keeps the state of this moment; the newest checkpoint when no code has run since. */
  checkpoint(signal: AbortSignal): Promise<VariablesKept>;
  /** Undefined when it can no longer be gone back to: the oldest are given up by number and by memory, and all of them end with omp. */
  find(id: string): VariableCheckpoint | undefined;
  /** What has changed since then, or without an id since the kernel was empty; undefined when that cannot be told. */
  changesSince(id: string | undefined, signal: AbortSignal): Promise<VariableChanges | undefined>;
  /**
   * Puts the kernel of that moment in the place of the session's kernel. Without an id: an empty kernel, as before the first cell, and only
   * if what there is can be kept. A kernel that has run nothing since then stays, with its threads and connections.
   */
  restore(id: string | undefined, signal: AbortSignal): Promise<VariablesRestored>;
}
