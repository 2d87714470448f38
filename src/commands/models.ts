/** `omp models`: which providers are ready, what they offer, what it costs, and which model is used when none is named. */

import { withErrorLine } from "../app/exit-codes.ts";
import type { CommandIo } from "../app/io.ts";
import { jsonText, tableLines } from "../app/printing.ts";
import { loadSettingsFor } from "../config/settings.ts";
import { formatTokens } from "../format/numbers.ts";
import { type ListedModel, type ListedProvider, listProviders } from "../models/list-providers.ts";
import { defaultModelName } from "../models/open-model.ts";
import type { Invocation } from "../protocol/invocation.ts";

/** The exit code: 0, or 2 when the settings or the address in a variable are bad. */
export async function runModels(
  { json }: { readonly json?: boolean | undefined },
  io: CommandIo,
  { env, cwd }: Invocation,
): Promise<number> {
  const run = async () => {
    const { endpoints, model } = await loadSettingsFor({ env, cwd });
    const listed = await listProviders(env, endpoints);
    const defaultName = model ?? defaultModelName({ env, endpoints });
    io.stdout(
      json ? jsonText({ default: defaultName ?? null, providers: listed }) : textReport(listed, defaultName),
    );
    return 0;
  };
  return await withErrorLine(io, run, () => 2);
}

function textReport(listed: readonly ListedProvider[], defaultName: string | undefined): string {
  const rows = tableLines(listed.flatMap(({ models }) => models.map(cells)));
  const sections = listed.map(({ name, note, models }) => {
    const lines = models.map((model) => `${model.name === defaultName ? "*" : " "} ${rows.shift() ?? ""}`);
    return [`${name}: ${note}`, ...lines].join("\n");
  });
  const last =
    defaultName === undefined
      ? "No model is configured: set a provider's key, or choose a model with -m. To try omp without a model: -m demo"
      : `* the default: ${defaultName}\nPrices are in dollars per million tokens, input / output. A provider's other models work, too.`;
  return `${sections.join("\n\n")}\n\n${last}\n`;
}

function cells({ name, contextTokens, images, reasoning, price }: ListedModel): string[] {
  const abilities = [...(images ? ["images"] : []), ...(reasoning ? ["reasoning"] : [])].join(", ");
  const costs = price ? `$${price.input} / $${price.output}` : "";
  return [name, `${formatTokens(contextTokens)} context`, costs, abilities];
}
