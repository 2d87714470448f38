/** A picture that the user gives to the model: a file, or what was in the clipboard. */

import { statSync } from "node:fs";
import { readProjectFile } from "../config/project-file.ts";
import { type ImageContent, OmpError, systemCode } from "../protocol/index.ts";

/** More is hardly a picture; what is larger than providers take is scaled down. */
const MAX_MB = 50;

export const PICTURE_NAME = /\.(?:png|jpe?g|gif|webp)$/i;

/** Throws OmpError, in one line. */
export async function readPicture(path: string): Promise<ImageContent> {
  try {
    const { size } = statSync(path);
    if (size > MAX_MB * 1_000_000)
      throw pictureError(
        `'${path}' has ${Math.round(size / 1_000_000)} MB; the limit is ${MAX_MB} MB`,
        "TOO_LARGE",
      );
    // A pipe or a device has no size, and reading it may never end.
    const read = readProjectFile(path, { root: undefined, maxBytes: MAX_MB * 1_000_000 });
    if (read === undefined) throw pictureError(`cannot read '${path}'`, "ENOENT");
    if ("problem" in read) throw pictureError(`'${path}' ${read.problem}`, read.code);
    return await pictureOf(read.bytes, path);
  } catch (error) {
    const code = error instanceof OmpError ? undefined : systemCode(error);
    if (code === undefined) throw error;
    throw pictureError(`cannot read '${path}'`, code);
  }
}

/** Throws OmpError. @param name for the error. */
export async function pictureOf(bytes: Uint8Array, name: string): Promise<ImageContent> {
  const { fitImageForModel } = await import("../tools/python/images.ts");
  const result = await fitImageForModel({ mediaType: "image/png", bytes });
  if ("problem" in result) throw pictureError(`'${name}': ${result.problem}`, "BAD_IMAGE");
  return { type: "image", ...result.image.part };
}

function pictureError(issue: string, code: string): OmpError {
  return new OmpError({ operation: "image", issue, code });
}
