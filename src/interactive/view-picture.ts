/** A picture in the system's own viewer: half-blocks show its shape, and no more. */

import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { within } from "../async/within.ts";
import type { Invocation } from "../protocol/invocation.ts";

/** These end when the viewer has started. */
const OPENERS = ["xdg-open", "open", "wslview"];
const LIMIT_MS = 5_000;
/** The viewer has read it by then. */
const KEPT_MS = 60_000;

/** @returns what to tell the user. */
export async function viewPicture(
  path: string,
  mediaType: string,
  { env }: Pick<Invocation, "env">,
): Promise<string> {
  const opener = OPENERS.map((name) => Bun.which(name, { PATH: env["PATH"] ?? "" })).find(
    (found) => found !== null,
  );
  if (opener === undefined) return `No image viewer found; the image is at ${path}`;
  // Viewers go by the end of the name, and artifacts all have the same.
  const directory = mkdtempSync(join(tmpdir(), "omp-picture-"));
  const copy = join(directory, basename(path).replace(/\.log$/, `.${endingOf(mediaType)}`));
  copyFileSync(path, copy);
  const remove = () => rmSync(directory, { recursive: true, force: true });
  setTimeout(remove, KEPT_MS).unref();
  process.once("exit", remove);
  const child = Bun.spawn([opener, copy], { env: { ...env }, stdio: ["ignore", "ignore", "ignore"] });
  const hasEnded = await within(child.exited, LIMIT_MS);
  if (hasEnded && child.exitCode !== 0)
    return `${basename(opener)} could not open the image, which is at ${path}`;
  return "Opened in your image viewer";
}

/** `image/svg+xml` is an .svg. */
function endingOf(mediaType: string): string {
  return /^image\/(\w+)/.exec(mediaType)?.[1] ?? "png";
}
