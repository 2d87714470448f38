/** From what a model wrote to a full path, and back to the short form that results show. */

import { isAbsolute, join, relative, resolve, sep } from "node:path";
import type { ToolContext } from "../../protocol/index.ts";
import { ToolError } from "../tool-error.ts";

export interface LocatedPath {
  /** Absolute; links are not followed yet. */
  readonly path: string;
  /** Relative to the working directory where it is inside. */
  readonly shown: string;
}

const projectPrefix = "@project";

export interface PathRequest {
  readonly operation: string;
  readonly requested: string;
  readonly context: Pick<ToolContext, "cwd" | "projectRoot">;
  readonly home: string;
}

export function locate(request: PathRequest): LocatedPath {
  const { cwd } = request.context;
  const path = resolve(cwd, expand(request));
  return { path, shown: shortPath(path, cwd) };
}

export function shortPath(path: string, cwd: string): string {
  const inside = relative(cwd, path);
  if (inside === "") return ".";
  return inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside) ? path : inside;
}

function expand({ operation, requested, context, home }: PathRequest): string {
  if (requested === "~" || requested.startsWith("~/")) return join(home, requested.slice(1));
  if (requested !== projectPrefix && !requested.startsWith(`${projectPrefix}/`)) return requested;
  const inside = requested.slice(projectPrefix.length + 1);
  // The same rule as for python_run: the prefix promises the project.
  if (inside.split(/[\\/]/).includes("..")) {
    const issue = `'${requested}' must not contain '..'`;
    throw new ToolError({ operation, issue, code: "OUTSIDE_PROJECT" });
  }
  return join(context.projectRoot, inside);
}
