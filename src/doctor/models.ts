/** What `omp doctor` says about models: which ones can be used, and which one is the default. Uses no network. */

import type { Settings } from "../config/schema.ts";
import { endpointProvider } from "../models/custom-endpoint.ts";
import { defaultModelName } from "../models/open-model.ts";
import { keyOf, type Provider, providers, type Variables } from "../models/providers.ts";
import type { Check } from "./check.ts";

export function checkModels(env: Variables, { model, endpoints }: Settings): Check {
  const name = "models";
  const found = [...providers, ...endpoints.map(endpointProvider)].flatMap((provider) => {
    const variable = readyBy(provider, env, endpoints);
    return variable === undefined ? [] : [{ provider: provider.name, variable }];
  });
  const used = model ?? defaultModelName({ env, endpoints });
  const details = { providers: found, default: used ?? null };
  if (found.length === 0 && used === undefined) {
    const variables = providers.flatMap(({ keyVariables: [first] }) => first ?? []);
    const fix = `set ${variables.slice(0, -1).join(", ")} or ${variables.at(-1)}, or choose a local model`;
    return {
      name,
      status: "warn",
      value: "no provider's key is set; only the built-in demo works",
      fix,
      details,
    };
  }
  const list = found.map(({ provider, variable }) => `${provider} (${variable})`).join(", ");
  return {
    name,
    status: "ok",
    value: list || "no provider's key is set",
    notes: used === undefined ? [] : [`the default: ${used}`],
    details,
  };
}

/** What makes a provider usable: its key, the address of a local one, or that the settings name it. */
function readyBy(provider: Provider, env: Variables, endpoints: Settings["endpoints"]): string | undefined {
  const key = keyOf(provider, env);
  if (key !== undefined) return key.variable;
  if (provider.keyVariables.length > 0) return undefined;
  if (endpoints.some((endpoint) => endpoint.name === provider.name)) return "settings";
  return provider.baseUrlVariables.find((variable) => (env[variable] ?? "") !== "");
}
