/** Whether a model would be found without naming one. */

import { loadSettingsFor } from "../config/settings.ts";
import { defaultModelName } from "../models/open-model.ts";
import type { Invocation } from "../protocol/invocation.ts";

export async function hasModel(place: Invocation): Promise<boolean> {
  const { model, endpoints } = await loadSettingsFor(place);
  return model !== undefined || defaultModelName({ env: place.env, endpoints }) !== undefined;
}
