/** What a session's shells need: the program, its environment, and a private directory that omp and bash share. */

import {
  chmodSync,
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  realpathSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { Confinement } from "../process/confinement.ts";
import type { Watchdog } from "../process/watchdog.ts";
import { systemCode } from "../protocol/index.ts";
import { ShellError } from "./errors.ts";

export interface ShellSetup {
  readonly bash: string;
  /** Another one when another Python is chosen. */
  env: Record<string, string>;
  /** The sandbox that every shell runs in. */
  readonly confinement: Confinement | undefined;
  /** Where the first shell starts. */
  readonly cwd: string;
  /** Sourced at the start of every shell. */
  readonly snapshot: string | undefined;
  readonly directory: PrivateDirectory;
  readonly watchdog: Watchdog;
}

/** Written when a shell starts, and left there. */
const LASTING = "start";

/** 0700, and removed with omp, however that ends. */
export class PrivateDirectory {
  readonly path: string;
  /** Distinguishes the shell's reports from other text. */
  readonly nonce = crypto.getRandomValues(new Uint8Array(9)).toHex();
  readonly #release: () => void;
  readonly #open = new Map<string, number>();
  /** Is there for as long as what is in the directory is. */
  #witness: string;

  /** @param bases where it may be made, best first. */
  constructor(bases: readonly string[], watchdog: Watchdog) {
    this.path = makeDirectory(bases);
    this.#witness = this.path;
    chmodSync(this.path, 0o700);
    this.#release = watchdog.guardDirectory(this.path);
  }

  /** Makes the directory again if it was removed, or in a sandbox what is in it. @returns whether it was. */
  ensure(): boolean {
    if (existsSync(this.#witness)) return false;
    this.#witness = this.path;
    this.#closeAll();
    mkdirSync(this.path, { recursive: true, mode: 0o700 });
    return true;
  }

  /**
   * A new file each time: when an old one is truncated and written again, ext4 waits for the disk.
   * @returns the path.
   */
  write(name: string, content: string | Uint8Array): string {
    const path = this.makeRoom(name);
    // Never through a link that a program has put there meanwhile.
    writeFileSync(path, content, { mode: 0o600, flag: "wx" });
    if (name === LASTING) this.#witness = path;
    return path;
  }

  /** Removes what bash is about to write again; see `write`. */
  makeRoom(name: string): string {
    const path = join(this.path, name);
    rmSync(path, { force: true });
    return path;
  }

  /** For the file of every command: opened once, overwritten each time. */
  rewrite(name: string, content: string): void {
    let file = this.#open.get(name);
    if (file === undefined) {
      file = openSync(this.makeRoom(name), "wx", 0o600);
      this.#open.set(name, file);
    }
    const bytes = Buffer.from(content);
    ftruncateSync(file, 0);
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, at);
  }

  #closeAll(): void {
    for (const file of this.#open.values()) closeSync(file);
    this.#open.clear();
  }

  remove(): void {
    this.#closeAll();
    rmSync(this.path, { recursive: true, force: true });
    this.#release();
  }
}

function makeDirectory(bases: readonly string[]): string {
  let problem: unknown;
  for (const base of bases) {
    try {
      return realpathSync(mkdtempSync(join(base, "omp-shell-")));
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      problem = error;
    }
  }
  const issue = `private directory could not be made in '${bases.join("', '")}'`;
  throw new ShellError("failed", { issue, code: systemCode(problem) ?? "ENOENT" }, { cause: problem });
}

export function findBash(env: Readonly<Record<string, string>>): string {
  const path = env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin";
  const found = Bun.which("bash", { PATH: path }) ?? Bun.which("bash", { PATH: "/usr/bin:/bin" });
  if (found === null) throw new ShellError("not-found", { issue: "bash not found in PATH", code: "ENOENT" });
  return found;
}
