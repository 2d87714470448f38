/** Whether a model would be found without naming one. */

import { defaultModelName } from "../models/open-model.ts";
import type { ModePlace } from "./io.ts";
import { placeSettings } from "./place-settings.ts";

export async function hasModel(place: ModePlace): Promise<boolean> {
  const { model, endpoints } = await placeSettings(place);
  return model !== undefined || defaultModelName({ env: place.env, endpoints }) !== undefined;
}
