/** A model at a provider: one turn is one request, retried when that can help. */

import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { unlessAborted } from "../async/abort.ts";
import { within } from "../async/within.ts";
import { formatLimit } from "../format/durations.ts";
import type { Model, ModelEvent, ModelFacts, ModelRequest } from "../protocol/model.ts";
import { BrokenStreamError } from "./failure.ts";
import type { Wire } from "./providers.ts";
import { type RetryPolicy, withRetry } from "./retry.ts";
import { streamTurn } from "./turn.ts";
import { toUsage } from "./usage.ts";
import { openWire, type WireModel, type WireOptions } from "./wire-formats.ts";

export interface ProviderModelOptions {
  readonly wire: Wire;
  readonly service: WireOptions;
  readonly retry: RetryPolicy;
  /** A stream that is silent for this long counts as broken. */
  readonly idleTimeoutMs: number;
}

/**
 * Every request holds the whole conversation as text, several times over on its way through the SDK. Left alone, the garbage
 * collector lets 500 requests of a megabyte pile up to twice the memory that they take with an occasional hint, which does
 * not wait for the collection.
 */
const REQUESTS_PER_COLLECTION = 8;

export class ProviderModel implements Model {
  readonly facts: ModelFacts;
  readonly #options: ProviderModelOptions;
  readonly #wire: Promise<WireModel>;
  #requests = 0;

  constructor(options: ProviderModelOptions) {
    const { provider, modelId, entry } = options.service;
    this.facts = {
      name: `${provider}/${modelId}`,
      contextTokens: entry.contextTokens,
      maxOutputTokens: entry.maxOutputTokens,
      acceptsImages: entry.images,
      canReason: entry.reasoning !== false,
    };
    this.#options = options;
    // Loads the provider's package while the caller prepares its first request.
    this.#wire = openWire[options.wire](options.service);
    // A failure is thrown by the first turn.
    this.#wire.catch(() => undefined);
  }

  stream(request: ModelRequest): AsyncIterable<ModelEvent> {
    const { retry: policy, service } = this.#options;
    return withRetry(() => this.#attempt(request), { policy, service, signal: request.signal });
  }

  async *#attempt(request: ModelRequest): AsyncGenerator<ModelEvent> {
    const { idleTimeoutMs, service } = this.#options;
    const { language, call } = await this.#wire;
    // Ends the request when the turn is over for any reason: finished, aborted, broken, or no longer wanted.
    const over = new AbortController();
    const abortSignal = AbortSignal.any([request.signal, over.signal]);
    try {
      const opening = Promise.resolve(language.doStream({ ...call(request), abortSignal }));
      const { stream } = await unlessIdle(opening, idleTimeoutMs, request.signal);
      const parts = readParts(stream, idleTimeoutMs, request.signal);
      const modelName = this.facts.name;
      yield* streamTurn(parts, { modelName, usageOf: (raw) => toUsage(raw, service.entry.price) });
    } finally {
      over.abort();
      this.#requests += 1;
      if (this.#requests % REQUESTS_PER_COLLECTION === 0) Bun.gc(false);
    }
  }
}

async function* readParts(
  stream: ReadableStream<LanguageModelV3StreamPart>,
  idleTimeoutMs: number,
  signal: AbortSignal,
): AsyncGenerator<LanguageModelV3StreamPart> {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await unlessIdle(reader.read(), idleTimeoutMs, signal);
    if (done) return;
    yield value;
  }
}

/** Throws on abort at once, even if the code below ignores the signal. */
async function unlessIdle<T>(promise: Promise<T>, timeoutMs: number, signal: AbortSignal): Promise<T> {
  const isInTime = await unlessAborted(within(promise, timeoutMs), signal);
  if (!isInTime) throw new BrokenStreamError(`no data for ${formatLimit(timeoutMs)}`);
  return await promise;
}
