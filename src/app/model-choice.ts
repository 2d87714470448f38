/** Which model a session talks to: the one that is named, the settings' own, or the first that has its key. */

import { loadSettingsFor } from "../config/settings.ts";
import { defaultModelName, noModelError, openModel } from "../models/open-model.ts";
import type { Model } from "../protocol/index.ts";
import type { Invocation } from "../protocol/invocation.ts";
import type { Workspace } from "./workspace.ts";

/** Whether a model would be found without naming one. */
export async function hasModel(invocation: Invocation): Promise<boolean> {
  const { model, endpoints } = await loadSettingsFor(invocation);
  return model !== undefined || defaultModelName({ env: invocation.env, endpoints }) !== undefined;
}

/** Throws ModelError. */
export async function chooseModel(
  named: string | undefined,
  { settings, paths, env, cwd }: Workspace,
  sessionId: string | undefined,
): Promise<Model> {
  const { endpoints } = settings;
  const name = named ?? settings.model ?? defaultModelName({ env, endpoints });
  if (name === undefined) throw noModelError(paths.settingsFile);
  return await openModel(name, { env, cwd, endpoints, ...(sessionId ? { cacheKey: sessionId } : {}) });
}
