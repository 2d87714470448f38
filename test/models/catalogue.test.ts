import { describe, expect, test } from "bun:test";
import { catalogueDefault, catalogueEntry, catalogueModels } from "../../src/models/catalogue.ts";
import { providers } from "../../src/models/providers.ts";
import { costOf } from "../../src/models/usage.ts";

describe("the catalogue", () => {
  test("every entry makes sense", () => {
    const odd = providers.flatMap(({ name }) =>
      catalogueModels(name)
        .filter(({ entry: { contextTokens, maxOutputTokens, price } }) => {
          const isDear = price !== undefined && price.input > 0 && price.output >= price.input;
          return !(isDear && (price.cacheRead ?? 0) <= price.input && maxOutputTokens < contextTokens);
        })
        .map(({ id }) => `${name}/${id}`),
    );
    expect(odd).toEqual([]);
  });

  test("every provider's default is in it", () => {
    const remote = providers.filter(({ isLocal }) => !isLocal).map(({ name }) => name);
    expect(remote.filter((name) => !catalogueEntry(name, catalogueDefault(name) ?? ""))).toEqual([]);
  });

  test("a date in an id does not change the model, a word does", () => {
    expect(catalogueEntry("openai", "gpt-5-2025-08-07")).toBe(
      catalogueEntry("openai", "gpt-5") ?? ({} as never),
    );
    expect(catalogueEntry("openai", "gpt-5-pro")).toBeUndefined();
    expect(catalogueEntry("acme", "gpt-5")).toBeUndefined();
  });
});

describe("cost", () => {
  const usage = { inputTokens: 1_000, outputTokens: 500, cacheReadTokens: 10_000, cacheWriteTokens: 2_000 };

  test("counts cached tokens at their own price", () => {
    expect(costOf(usage, { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 })).toBe(0.014);
    expect(costOf(usage, { input: 2, output: 10 })).toBe(0.031);
  });

  test("a long prompt makes the whole request more expensive", () => {
    const price = {
      input: 2,
      output: 10,
      cacheRead: 0.2,
      above: { promptTokens: 12_999, inputFactor: 2, outputFactor: 1.5 },
    };
    expect(costOf(usage, price)).toBe(0.0235);
    expect(costOf({ ...usage, inputTokens: 999 }, price)).toBeCloseTo(0.012998, 9);
  });
});
