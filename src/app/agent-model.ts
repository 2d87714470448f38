/**
 * Which model an agent's definition may choose. As with a project's settings, a project's agent cannot send the user's conversation to
 * somebody whom the user has not chosen.
 */

import type { AgentDefinition } from "../config/agents.ts";
import type { Settings } from "../config/schema.ts";

export interface ModelSituation {
  /** The name of the parent's model. */
  readonly current: string;
  readonly settings: Pick<Settings, "model" | "endpoints">;
  readonly warn: (line: string) => void;
}

export class AgentModels {
  readonly #told = new Set<string>();

  /** Undefined: that of its parent. An agent whose model is not used is named once. */
  nameFor(definition: AgentDefinition, { current, settings, warn }: ModelSituation): string | undefined {
    const { name, model, isProjects } = definition;
    if (model === undefined || !isProjects) return model;
    // Neither can be set by a project.
    const chosen = [current, settings.model ?? current, ...settings.endpoints.map((each) => each.name)];
    if (chosen.map(providerIn).includes(providerIn(model))) return model;
    if (!this.#told.has(name))
      warn(
        `omp: the project's agent '${name}' gets the session's model instead of ${model}: a project may not choose where your conversation goes; to allow it, move the agent to ~/.omp/agent/agents`,
      );
    this.#told.add(name);
    return undefined;
  }
}

/** Of `openai/gpt-5-mini`, `script:file` or `demo`. */
function providerIn(model: string): string {
  return model.replace(/[/:].*$/s, "");
}
