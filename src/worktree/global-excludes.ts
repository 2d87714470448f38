/** The user's own list of what git ignores everywhere. It is asked of git, which only reads the user's configuration for that. */

import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";

export async function globalExcludes({
  program,
  env,
  home,
}: {
  readonly program: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}): Promise<string> {
  const config = env["XDG_CONFIG_HOME"] || join(home, ".config");
  const child = Bun.spawn(
    [program, "config", "--global", "--includes", "--type=path", "--get", "core.excludesFile"],
    {
      // Where no repository is: nothing else is read.
      cwd: "/",
      env: {
        PATH: "/usr/bin:/bin",
        HOME: home,
        XDG_CONFIG_HOME: config,
        LC_ALL: "C",
        GIT_CEILING_DIRECTORIES: "/",
      },
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  const [text] = await Promise.all([child.stdout.text(), child.exited]);
  const named = text.trim();
  const path = isAbsolute(named) ? named : join(config, "git", "ignore");
  return existsSync(path) ? path : "/dev/null";
}
