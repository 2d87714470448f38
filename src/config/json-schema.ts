/** The settings file as a JSON Schema, for editors: what docs/settings.schema.json holds. */

import * as z from "zod";
import type { JsonSchema } from "../protocol/tool.ts";
import { settingsFileSchema } from "./schema.ts";

export function settingsJsonSchema(): JsonSchema {
  // Draft 7 is what editors understand best.
  const { $schema, ...rest } = z.toJSONSchema(settingsFileSchema, { io: "input", target: "draft-7" });
  return {
    $schema,
    title: "omp settings",
    description: "~/.omp/agent/settings.json and <project>/.omp/settings.json",
    ...rest,
  };
}
