/** Which of `python` and `bash` the model really gets, and why: what was asked for, less what cannot work. */

import type { Preflight } from "./preflight.ts";

export type ToolMode = "both" | "ipy-only" | "bash-only";

export interface EffectiveToolMode {
  readonly mode: ToolMode;
  /** For people. */
  readonly why: string;
  /** The python tool was asked for and is left out. */
  readonly degraded: boolean;
}

export function effectiveToolMode(options: {
  /** `PI_PY`, where it says something. */
  readonly override: ToolMode | undefined;
  readonly setting: ToolMode;
  /** Undefined when it was not checked: the user may skip that. */
  readonly preflight: Preflight | undefined;
}): EffectiveToolMode {
  const { override, setting, preflight } = options;
  const mode = override ?? setting;
  const asked = override === undefined ? `python.toolMode is ${setting}` : `PI_PY asks for ${override}`;
  if (mode === "bash-only" || preflight === undefined || preflight.ok) {
    return { mode, why: asked, degraded: false };
  }
  return { mode: "bash-only", why: preflight.reason, degraded: true };
}
