/**
 * Globs as models write them: `*.ts` means the name at any depth, one with a slash the path below the searched directory. Hidden
 * files are found only where the glob names them. Pure.
 *
 * Not ripgrep's own `--glob`: what that matches is found even where an ignore file or its hidden name rules it out.
 */

export interface PathGlob {
  /** Some part of the glob begins with a dot: hidden files are wanted. */
  readonly namesHidden: boolean;
  /** Every matching file's own name matches one of these globs, where there are some: ripgrep skips the others unopened. */
  readonly fileNames: readonly string[];
  /** @param path relative to the searched directory, with `/` */
  readonly matches: (path: string) => boolean;
}

export function parseGlob(pattern: string): PathGlob {
  const negated = pattern.startsWith("!");
  const written = (negated ? pattern.slice(1) : pattern).replace(/\/$/, "");
  const glob = written.replace(/^\.?\//, "");
  const readings = readingsOf(glob);
  const matchers = readings.map((each) => new Bun.Glob(written.includes("/") ? each : `**/${each}`));
  const namesHidden = /(?:^|[/{,])\.(?![./]|$)/.test(glob);
  const isWanted = (path: string) => matchers.some((matcher) => matcher.match(path)) !== negated;
  const isShown = (path: string) => namesHidden || !isHidden(path);
  return {
    namesHidden,
    fileNames: negated ? [] : lastNames(readings),
    matches: (path) => isWanted(path) && isShown(path),
  };
}

function isHidden(path: string): boolean {
  return path.split("/").some((part) => part.startsWith("."));
}

/** Names such as `[id]` and `{{name}}` are common in web projects and templates: brackets and braces may mean themselves. */
function readingsOf(glob: string): string[] {
  const literal = (characters: RegExp) => glob.replace(characters, "\\$&");
  return [...new Set([glob, literal(/(?<!\\)[[\]]/g), literal(/(?<!\\)[[\]{}]/g)])];
}

/** None when one of the readings has no name that its end shows. */
function lastNames(readings: readonly string[]): string[] {
  const names = readings.flatMap((glob) => lastName(glob) ?? []);
  return names.length === readings.length ? names : [];
}

function lastName(glob: string): string | undefined {
  const name = glob.slice(glob.lastIndexOf("/") + 1);
  // A brace that holds a slash was cut in two.
  const isWhole = name.split("{").length === name.split("}").length;
  return name === "" || name.includes("**") || !isWhole ? undefined : name;
}
