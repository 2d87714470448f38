/** A model behind a network: one turn is one request, retried when that can help. */

import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { unlessAborted } from "../async/abort.ts";
import { within } from "../async/within.ts";
import type { Model, ModelEvent, ModelFacts, ModelRequest } from "../protocol/model.ts";
import type { CatalogueEntry } from "./catalogue.ts";
import { BrokenStream, type Service } from "./failure.ts";
import { type RetryPolicy, withRetry } from "./retry.ts";
import { turnEvents } from "./turn.ts";
import { usageFrom } from "./usage.ts";
import type { WireModel } from "./wire.ts";

export interface ProviderModelOptions {
  readonly facts: ModelFacts;
  readonly entry: CatalogueEntry;
  readonly service: Service;
  readonly retry: RetryPolicy;
  /** A stream that is silent for so long is taken for broken. */
  readonly idleTimeoutMs: number;
  /** Loads the provider's package; called at once, so that it is there when the first request is. */
  readonly open: () => Promise<WireModel>;
}

/**
 * Every request is the whole conversation as text, several times over on its way through the SDK. Left to itself the collector lets
 * 500 requests of a megabyte pile up to twice of what they do with a hint now and then; the hint does not wait for it.
 */
const REQUESTS_PER_COLLECTION = 8;

export class ProviderModel implements Model {
  readonly facts: ModelFacts;
  readonly #options: ProviderModelOptions;
  readonly #wire: Promise<WireModel>;
  #requests = 0;

  constructor(options: ProviderModelOptions) {
    this.facts = options.facts;
    this.#options = options;
    this.#wire = options.open();
    // Whoever asks for a turn hears of it.
    this.#wire.catch(() => undefined);
  }

  stream(request: ModelRequest): AsyncIterable<ModelEvent> {
    const { retry: policy, service } = this.#options;
    return withRetry(() => this.#attempt(request), { policy, service, signal: request.signal });
  }

  async *#attempt(request: ModelRequest): AsyncGenerator<ModelEvent> {
    const { entry, idleTimeoutMs, facts } = this.#options;
    const { language, call } = await this.#wire;
    // Ends the request when the turn is over in whatever way: done, aborted, broken, or not wanted any more.
    const over = new AbortController();
    const abortSignal = AbortSignal.any([request.signal, over.signal]);
    try {
      const opened = Promise.resolve(language.doStream({ ...call(request), abortSignal }));
      const { stream } = await withinTime(opened, idleTimeoutMs, request.signal);
      const parts = partsOf(stream, idleTimeoutMs, request.signal);
      yield* turnEvents(parts, { modelName: facts.name, usageOf: (raw) => usageFrom(raw, entry.price) });
    } finally {
      over.abort();
      this.#requests += 1;
      if (this.#requests % REQUESTS_PER_COLLECTION === 0) Bun.gc(false);
    }
  }
}

async function* partsOf(
  stream: ReadableStream<LanguageModelV3StreamPart>,
  idleTimeoutMs: number,
  signal: AbortSignal,
): AsyncGenerator<LanguageModelV3StreamPart> {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await withinTime(reader.read(), idleTimeoutMs, signal);
    if (done) return;
    yield value;
  }
}

/** An abort is heard at once, whether or not the code below listens to the signal. */
async function withinTime<Value>(
  promise: Promise<Value>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Value> {
  // A promise that loses the race may still fail; that failure no longer matters.
  promise.catch(() => undefined);
  signal.throwIfAborted();
  const unaborted = unlessAborted(promise, signal);
  if (!(await within(unaborted, timeoutMs)))
    throw new BrokenStream(`nothing came for ${timeoutMs / 1_000} seconds`);
  return await unaborted;
}
