/** A model at a provider: one turn is one request, retried when that can help. */

import type { LanguageModelV3StreamPart, LanguageModelV3Usage } from "@ai-sdk/provider";
import { unlessAborted } from "../async/abort.ts";
import { within } from "../async/within.ts";
import { formatLimit } from "../format/durations.ts";
import type { Message, Model, ModelEvent, ModelFacts, ModelRequest } from "../protocol/model.ts";
import type { CatalogueEntry } from "./catalogue.ts";
import { takesEffort } from "./effort.ts";
import { ModelError } from "./errors.ts";
import { BrokenStreamError } from "./failure.ts";
import type { Wire } from "./providers.ts";
import { type RetryPolicy, withRetry } from "./retry.ts";
import { streamTurn } from "./turn.ts";
import { toUsage } from "./usage.ts";
import { holdsToSchema, openWire, type WireModel, type WireOptions } from "./wire-formats.ts";

export interface ProviderModelOptions {
  readonly wire: Wire;
  readonly service: WireOptions;
  /** What the server says about the model, for one that can tell only after it has loaded it. */
  readonly askAgain?: (() => Promise<Partial<CatalogueEntry>>) | undefined;
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
  readonly #options: ProviderModelOptions;
  readonly #wire: Promise<WireModel>;
  #entry: CatalogueEntry;
  #mayAskAgain = true;
  #requests = 0;

  constructor(options: ProviderModelOptions) {
    this.#options = options;
    this.#entry = options.service.entry;
    // Loads the provider's package while the caller prepares its first request.
    this.#wire = openWire[options.wire](options.service);
    // A failure is thrown by the first turn.
    this.#wire.catch(() => undefined);
  }

  get facts(): ModelFacts {
    const { wire, service } = this.#options;
    const { provider, modelId } = service;
    const { contextTokens, maxOutputTokens, images } = this.#entry;
    return {
      name: `${provider}/${modelId}`,
      contextTokens,
      maxOutputTokens,
      acceptsImages: images,
      takesEffort: takesEffort(wire, this.#entry),
    };
  }

  async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    try {
      yield* this.#turn(request);
    } catch (error) {
      const isHeld = holdsToSchema(this.#options.service) && request.answerSchema !== undefined;
      // Not every schema can be held to; the words of the request ask for it in any case.
      if (isHeld && error instanceof ModelError && error.kind === "bad-request") {
        yield* this.stream({ ...request, answerSchema: undefined });
        return;
      }
      if (!(error instanceof ModelError) || !this.#mayBeAboutPictures(error, request)) throw error;
      yield { type: "retry", attempt: 1, delayMs: 0, reason: `${error.issue}; sent again without images` };
      yield* this.#turnWithoutPictures(request, error);
    }
  }

  async *#turn(request: ModelRequest): AsyncGenerator<ModelEvent> {
    const { retry: policy, service, askAgain } = this.#options;
    const attempts = withRetry(() => this.#attempt(request), { policy, service, signal: request.signal });
    for await (const event of attempts) {
      if (event.type === "finish" && askAgain && this.#mayAskAgain) {
        this.#mayAskAgain = false;
        this.#entry = { ...this.#entry, ...(await askAgain()) };
      }
      yield event;
    }
  }

  /** Not every server says so when it is the pictures that it refuses. */
  #mayBeAboutPictures({ kind }: ModelError, { messages }: ModelRequest): boolean {
    return (
      this.#entry.images && (kind === "images-refused" || kind === "bad-request") && messages.some(hasPicture)
    );
  }

  /** When that works, the model gets no more pictures: they stay in the conversation, and would be refused again and again. */
  async *#turnWithoutPictures(request: ModelRequest, refusal: ModelError): AsyncGenerator<ModelEvent> {
    const before = this.#entry;
    this.#entry = { ...before, images: false };
    try {
      yield* this.#turn(request);
    } catch (error) {
      if (refusal.kind === "images-refused" || request.signal.aborted) throw error;
      this.#entry = before;
      throw refusal;
    }
  }

  #limitOf({ maxOutputTokens: most }: ModelRequest): { maxOutputTokens?: number } {
    return most === undefined ? {} : { maxOutputTokens: Math.min(most, this.#entry.maxOutputTokens) };
  }

  async *#attempt(request: ModelRequest): AsyncGenerator<ModelEvent> {
    const { idleTimeoutMs, service } = this.#options;
    const { language, call } = await this.#wire;
    const acceptsImages = this.#entry.images;
    // Ends the request when the turn is over for any reason: finished, aborted, broken, or no longer wanted.
    const over = new AbortController();
    const abortSignal = AbortSignal.any([request.signal, over.signal]);
    try {
      const opening = Promise.resolve(
        language.doStream({ ...call(request, { acceptsImages }), ...this.#limitOf(request), abortSignal }),
      );
      const { stream } = await unlessIdle(opening, idleTimeoutMs, request.signal);
      const parts = readParts(stream, idleTimeoutMs, request.signal);
      const modelName = this.facts.name;
      const { onCallBegun } = request;
      const usageOf = (raw: LanguageModelV3Usage) => toUsage(raw, service.entry.price);
      yield* streamTurn(parts, { modelName, usageOf, onCallBegun });
    } finally {
      over.abort();
      this.#requests += 1;
      if (this.#requests % REQUESTS_PER_COLLECTION === 0) Bun.gc(false);
    }
  }
}

function hasPicture(message: Message): boolean {
  return message.role === "tool"
    ? (message.images ?? []).length > 0
    : message.content.some(({ type }) => type === "image");
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
