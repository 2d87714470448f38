/**
 * The sandbox of a session: one wrapper for the kernel, the shells and scripts. Made once, and tried: where the system cannot do it,
 * the run stops.
 */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { once } from "../async/once.ts";
import type { ConfinedNeeds, Confinement } from "../process/confinement.ts";
import { sharedWatchdog, type Watchdog } from "../process/watchdog.ts";
import { attempt } from "../protocol/index.ts";
import { directHosts } from "./allowed-hosts.ts";
import { findBackend, type SandboxBackend } from "./backend.ts";
import { bubblewrapCommand } from "./bubblewrap.ts";
import { SandboxError } from "./errors.ts";
import { FORWARDER_URL, withForwarder } from "./forwarder.ts";
import { GitSweep, makeHooks } from "./git-places.ts";
import { HostProxy } from "./host-proxy.ts";
import {
  isInside,
  maySee,
  mayWrite,
  type Place,
  placesOf,
  type SandboxMode,
  type SandboxPolicy,
  withReadable,
  withWritable,
} from "./policy.ts";
import { seatbeltCommand } from "./seatbelt.ts";
import { syscallFilter } from "./syscall-filter.ts";
import { listeningSockets } from "./unix-sockets.ts";
import { describeSandbox, explainRefusal } from "./words.ts";

export interface SandboxOptions
  extends Pick<SandboxPolicy, "mode" | "projectRoot" | "home" | "ompHome" | "allowedPaths" | "readable"> {
  /** What programs must also be able to read, asked for when the first of them starts. */
  readonly laterReadable?: () => readonly string[];
  readonly allowedHosts: readonly string[];
  /** Where the directory for temporary files is made. */
  readonly temporaryBase: string;
  /** PATH, to find the program that makes the sandbox. */
  readonly searchPath: string | undefined;
  readonly watchdog?: Watchdog;
}

const TMP = "/tmp";

export class Sandbox implements Confinement {
  readonly mode: SandboxMode;
  readonly hasOwnPids: boolean;
  readonly temporaryDirectory: string;
  #variables: Readonly<Record<string, string>>;
  #proxy: HostProxy | undefined;
  readonly #options: SandboxOptions;
  readonly #backend: SandboxBackend;
  /** Holds the directory for temporary files, and what programs must not change. */
  readonly #directory: string;
  readonly #filter: string | undefined;
  readonly #sweep: GitSweep;
  readonly #release: () => void;
  readonly #places = once(() => {
    const { readable, laterReadable } = this.#options;
    return placesOf({
      ...this.#options,
      readable: [...readable, ...(laterReadable?.() ?? [])],
      temporaryDirectory: this.temporaryDirectory,
    });
  });

  /** Throws SandboxError where none can be made. */
  static async open(options: SandboxOptions): Promise<Sandbox> {
    const sandbox = new Sandbox(options);
    if (options.allowedHosts.length > 0) await sandbox.#openProxy(options.allowedHosts);
    return sandbox;
  }

  private constructor(options: SandboxOptions) {
    checkProject(options);
    this.#options = options;
    this.#backend = findBackend(options.searchPath);
    this.mode = options.mode;
    if (options.mode === "workspace") makeHooks(options.projectRoot);
    this.#sweep = new GitSweep(options.projectRoot);
    this.hasOwnPids = this.#backend.kind === "bubblewrap";
    this.#directory = realpathSync(mkdtempSync(join(options.temporaryBase, "omp-sandbox-")));
    this.#release = (options.watchdog ?? sharedWatchdog()).guardDirectory(this.#directory);
    this.temporaryDirectory = join(this.#directory, "tmp");
    mkdirSync(join(this.temporaryDirectory, ".cache"), { recursive: true, mode: 0o700 });
    this.#filter = this.#backend.kind === "bubblewrap" ? writeFilter(this.#directory) : undefined;
    this.#variables = variablesFor(this.temporaryDirectory);
  }

  get variables(): Readonly<Record<string, string>> {
    return this.#variables;
  }

  /** What makes it, for people. */
  get backendName(): string {
    return this.#backend.kind === "bubblewrap" ? "bubblewrap" : "sandbox-exec";
  }

  /** For the model: a sentence without its end. */
  get description(): string {
    return describeSandbox(this.#options);
  }

  /** Why a program failed that printed this, if the sandbox may be why. */
  explain(output: string): string | undefined {
    return explainRefusal(output, this.#options);
  }

  wrap(argv: readonly string[], needs: ConfinedNeeds = {}): string[] {
    const { readable = [], writable = [], cwd = "/" } = needs;
    const isForwarded = this.#proxy !== undefined && this.hasOwnPids;
    const seen = withReadable(
      this.#places.get(),
      isForwarded ? [...readable, this.#proxySocket, process.execPath] : readable,
    );
    const places = withWritable(seen, writable);
    return [...this.#command(places, cwd), ...(isForwarded ? withForwarder(this.#proxySocket, argv) : argv)];
  }

  /** Whether a tool of omp's own may write a file, by its name outside. */
  mayWrite(path: string): boolean {
    return mayWrite(this.#places.get(), path);
  }

  /** Whether a tool of omp's own may show a file, by its name outside. */
  maySee(path: string): boolean {
    const places = this.#places.get();
    // Elsewhere programs share the machine's /tmp.
    return maySee(this.hasOwnPids ? places : places.filter(({ from }) => from === undefined), path);
  }

  /** Where a path that programs inside use is outside: they have a /tmp of their own. */
  outside(path: string): string {
    const isTemporary = this.#backend.kind === "bubblewrap" && isInside(path, TMP);
    const places = this.#places.get();
    const governing = places.findLast((place) => isInside(path, place.path));
    return isTemporary && governing?.from !== undefined
      ? join(governing.from, path.slice(governing.path.length))
      : path;
  }

  /** After every call: removes what programs have made so that git obeys it. */
  sweep(): void {
    this.#sweep.run();
  }

  close(): void {
    this.sweep();
    this.#proxy?.close();
    attempt(() => rmSync(this.#directory, { recursive: true, force: true }));
    this.#release();
  }

  get #proxySocket(): string {
    return join(this.#directory, "proxy");
  }

  async #openProxy(allowed: readonly string[]): Promise<void> {
    const place = this.hasOwnPids ? { path: this.#proxySocket } : { host: "127.0.0.1", port: 0 };
    this.#proxy = await HostProxy.open(place, allowed);
    const url = this.hasOwnPids ? FORWARDER_URL : `http://127.0.0.1:${this.#proxy.port}`;
    this.#variables = { ...this.#variables, ...proxyVariables(url, allowed) };
  }

  #command(places: readonly Place[], cwd: string): string[] {
    return this.#backend.kind === "bubblewrap"
      ? bubblewrapCommand(this.#backend, { places, cwd, sockets: listeningSockets(), filter: this.#filter })
      : seatbeltCommand(places, this.#proxy?.port);
  }
}

/** Everything in the home would be the project's: start-up files and keys as well. */
function checkProject({ mode, projectRoot, home }: SandboxOptions): void {
  if (mode === "read-only" || !isInside(attempt(() => realpathSync(home)) ?? home, projectRoot)) return;
  const issue = `the project is '${projectRoot}', which contains your home directory; start omp in a project, or use -C <dir>`;
  throw new SandboxError({ issue, code: "SANDBOX_PROJECT" });
}

function writeFilter(directory: string): string | undefined {
  const filter = syscallFilter();
  if (filter === undefined) return undefined;
  const path = join(directory, "filter");
  writeFileSync(path, filter, { mode: 0o600 });
  return path;
}

/** Caches in the home cannot be written, and programs complain about that. */
function variablesFor(temporary: string): Record<string, string> {
  const cache = join(temporary, ".cache");
  return {
    TMPDIR: temporary,
    XDG_CACHE_HOME: cache,
    MPLCONFIGDIR: join(cache, "matplotlib"),
    IPYTHONDIR: join(cache, "ipython"),
    npm_config_cache: join(cache, "npm"),
  };
}

function proxyVariables(url: string, allowed: readonly string[]): Record<string, string> {
  const direct = directHosts(allowed).join(",");
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap((name) => [name, name.toLowerCase()]);
  return {
    ...Object.fromEntries(names.map((name) => [name, url])),
    ...{ NO_PROXY: direct, no_proxy: direct, NODE_USE_ENV_PROXY: "1" },
  };
}
