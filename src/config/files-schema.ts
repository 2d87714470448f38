/** The settings of the project's files over time. */

import * as z from "zod";
import { defaultSettings as defaults } from "./defaults.ts";
import { setting } from "./schema-parts.ts";

export const files = z.strictObject({
  checkpoints: setting(
    z.boolean(),
    defaults.files.checkpoints,
    "Keep the project's files as they were before each prompt and before each call that may change them, outside the project, so that `/rewind` can bring them back.",
  ),
  maxFileMb: setting(
    z.int().min(1).max(1024),
    defaults.files.maxFileMb,
    "Megabytes of a single file; larger ones are not covered.",
  ),
  maxTotalMb: setting(
    z.int().min(10).max(1_048_576),
    defaults.files.maxTotalMb,
    "Megabytes that the kept files of one project may take on disk; the oldest state is deleted first.",
  ),
  maxAgeDays: setting(z.int().min(1).max(3650), defaults.files.maxAgeDays, "Days to keep them."),
});
