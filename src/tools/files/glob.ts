/**
 * Globs as models write them: `*.ts` means the name at any depth, one with a slash the path below the searched directory. Hidden
 * files are found only where the glob names them. Pure.
 *
 * Not ripgrep's own `--glob`: what that matches is found even where an ignore file or its hidden name rules it out.
 */

export interface PathGlob {
  /** Some part of the glob begins with a dot: hidden files are wanted. */
  readonly namesHidden: boolean;
  /** A glob that every matching file's own name matches, where there is one: ripgrep skips the others unopened. */
  readonly fileName: string | undefined;
  /** @param path relative to the searched directory, with `/` */
  readonly matches: (path: string) => boolean;
}

export function parseGlob(pattern: string): PathGlob {
  const negated = pattern.startsWith("!");
  const written = (negated ? pattern.slice(1) : pattern).replace(/\/$/, "");
  const glob = written.replace(/^\.?\//, "");
  const anywhere = written.includes("/") ? glob : `**/${glob}`;
  const matcher = new Bun.Glob(anywhere);
  const namesHidden = /(?:^|[/{,])\.(?![./]|$)/.test(glob);
  const isWanted = (path: string) => matcher.match(path) !== negated;
  const isShown = (path: string) => namesHidden || !isHidden(path);
  return {
    namesHidden,
    fileName: negated ? undefined : lastName(glob),
    matches: (path) => isWanted(path) && isShown(path),
  };
}

export function isHidden(path: string): boolean {
  return path.split("/").some((part) => part.startsWith("."));
}

function lastName(glob: string): string | undefined {
  const name = glob.slice(glob.lastIndexOf("/") + 1);
  // A brace that holds a slash was cut in two.
  const isWhole = name.split("{").length === name.split("}").length;
  return name === "" || name.includes("**") || !isWhole ? undefined : name;
}
