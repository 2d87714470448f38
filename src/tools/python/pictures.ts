/** The pictures of a call: originals on disk, scaled ones for the model, and for each a line where it was shown. */

import type { ArtifactStore } from "../../output/artifacts.ts";
import type { ImagePart } from "../../protocol/index.ts";
import { type DisplayImage, fitImageForModel, type ImageResult } from "./images.ts";

/** More pictures than this in one result are more than a model looks at; the rest stay on disk. */
const MAX_IMAGES = 8;

/** A picture's line for the model, and its facts for the details. */
export interface NotedPicture {
  readonly note: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

export class Pictures {
  readonly parts: ImagePart[] = [];
  readonly #artifacts: ArtifactStore;
  /** Of all of them, with those that the model does not see. */
  count = 0;

  constructor(artifacts: ArtifactStore) {
    this.#artifacts = artifacts;
  }

  async add(image: DisplayImage): Promise<NotedPicture> {
    this.count += 1;
    const artifact = this.#keep(image);
    const result: ImageResult =
      this.parts.length < MAX_IMAGES
        ? await fitImageForModel(image)
        : { problem: `not shown: only the first ${MAX_IMAGES} of a call are` };
    const where = artifact ? `; original: artifact://${artifact}` : "";
    const facts = {
      mediaType: image.mediaType,
      bytes: image.bytes.byteLength,
      ...(artifact ? { artifact } : {}),
    };
    if ("problem" in result) {
      return { note: `[image ${this.count}: ${image.mediaType}, ${result.problem}${where}]`, facts };
    }
    const { part, width, height } = result.image;
    this.parts.push(part);
    return {
      note: `[image ${this.count}: ${part.mediaType}, ${width}×${height}${where}]`,
      facts: { ...facts, width, height, part: this.parts.length - 1 },
    };
  }

  #keep(image: DisplayImage): string {
    const writer = this.#artifacts.create();
    writer.write(image.bytes);
    writer.close();
    return writer.id;
  }
}
