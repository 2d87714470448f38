/** The classification of failed attempts, beyond what the wire tests cover. */

import { describe, expect, test } from "bun:test";
import { classifyFailure } from "../../src/models/failure.ts";
import { withRetry } from "../../src/models/retry.ts";
import type { ModelEvent } from "../../src/protocol/model.ts";
import { errorOf, quickRetry } from "./turn-of.ts";

const service = {
  provider: "acme",
  modelId: "one",
  baseUrl: "https://api.acme.example/v1",
  keyVariables: ["ACME_API_KEY"],
  apiKey: "very-secret-key",
};

describe("what a provider says", () => {
  test("is shown without the key or anything like it, as one line of limited length", () => {
    const message = `bad very-secret-key\nand sk-proj-abc123def456 ${"x".repeat(500)}`;
    const { error } = classifyFailure({ statusCode: 400, message }, service);
    expect(error.issue).toStartWith("acme refused the request with status 400: bad [key] and [key] xxx");
    expect(error.issue.length).toBeLessThan(400);
  });

  test("is shown if a valid key lacks permission, but not if the key itself is wrong", () => {
    const message = "Country, region, or territory not supported for very-secret-key";
    const issue = (statusCode: number) => classifyFailure({ statusCode, message }, service).error.issue;
    expect([issue(403), issue(401)]).toEqual([
      "acme refused access for the key in ACME_API_KEY with status 403: Country, region, or territory not supported for [key]",
      "acme refused the key with status 401; check ACME_API_KEY",
    ]);
  });

  const network = (code: string) => Object.assign(new Error("x"), { code });
  const cases: readonly [name: string, thrown: unknown, kind: string, retryable: boolean][] = [
    ["413", { statusCode: 413, message: "Request too large" }, "context-overflow", false],
    [
      "500 of llama.cpp",
      { statusCode: 500, message: "exceeds the available context size" },
      "context-overflow",
      false,
    ],
    ["402", { statusCode: 402, message: "Insufficient credits" }, "rate-limited", false],
    ["403", { statusCode: 403, message: "forbidden" }, "auth", false],
    ["408", { statusCode: 408, message: "timeout" }, "overloaded", true],
    ["an error in the stream", { type: "overloaded_error", message: "Overloaded" }, "overloaded", true],
    ["a bare string", "something odd", "broken-stream", true],
    ["a reset connection", network("ECONNRESET"), "broken-stream", true],
    ["an unknown host", network("ENOTFOUND"), "unreachable", true],
    ["a refused connection, far away", network("ConnectionRefused"), "unreachable", true],
  ];
  for (const [name, thrown, kind, retryable] of cases) {
    test(`${name}: ${kind}`, () => {
      const failure = classifyFailure(thrown, service);
      expect([failure.error.kind, failure.retryable] as unknown[]).toEqual([kind, retryable]);
    });
  }

  const sdkError = (name: string, fields: object = {}) =>
    Object.assign(new Error("SDK words"), { name, ...fields });
  const unreadable: readonly [name: string, thrown: unknown, issue: string, attempts: number][] = [
    [
      "an event of the wrong form",
      sdkError("AI_TypeValidationError", { value: { type: "delta", odd: "x".repeat(500) } }),
      `the answer from acme could not be read: it sent an event that omp cannot read: {"type":"delta","odd":"${"x".repeat(97)}…`,
      2,
    ],
    [
      "no body",
      sdkError("AI_EmptyResponseBodyError"),
      "the answer from acme could not be read: it sent nothing",
      2,
    ],
    [
      "what the SDK stumbles over",
      new TypeError("undefined is not an object"),
      "the answer from acme could not be read: it sent something that omp cannot read: undefined is not an object",
      2,
    ],
    [
      "what the SDK does not send",
      sdkError("AI_UnsupportedFunctionalityError", { functionality: "audio" }),
      "acme refused the request: this API has no way to send audio",
      1,
    ],
  ];
  for (const [name, thrown, issue, attempts] of unreadable) {
    test(`${name} is told in our words, and tried ${attempts === 1 ? "once" : "twice"}`, () => {
      const { error, retryable, maxAttempts } = classifyFailure(thrown, service);
      expect([error.issue, retryable ? maxAttempts : 1]).toEqual([issue, attempts]);
    });
  }

  test("a date to wait for", () => {
    const date = new Date(Date.now() + 30_000).toUTCString();
    const { retryAfterMs = 0 } = classifyFailure(
      { statusCode: 429, message: "", responseHeaders: { "retry-after": date } },
      service,
    );
    expect(retryAfterMs).toBeGreaterThan(0);
    expect(retryAfterMs).toBeLessThanOrEqual(30_000);
  });

  test.each([
    { "retry-after": "0" },
    { "retry-after": "-5" },
    { "retry-after-ms": "-1" },
    { "retry-after": "Mon, 01 Jan 2024 00:00:00 GMT" },
    { "retry-after": "soon" },
  ])("no time to wait for: %j", (responseHeaders) => {
    const { retryAfterMs } = classifyFailure({ statusCode: 429, message: "", responseHeaders }, service);
    expect(retryAfterMs).toBeUndefined();
  });
});

describe("retries", () => {
  const policy = { attempts: 5, baseDelayMs: 1_000, maxDelayMs: 3_000, ...quickRetry().retry };
  const { signal } = new AbortController();
  const failing = (thrown: unknown) =>
    async function* (): AsyncGenerator<ModelEvent> {
      yield { type: "text_delta", text: "x" };
      throw thrown;
    };
  const all = async (attempt: () => AsyncIterable<ModelEvent>, more = {}) => {
    const { waits, retry } = quickRetry();
    const events = withRetry(attempt, { policy: { ...policy, ...retry, ...more }, service, signal });
    const error = await errorOf(Array.fromAsync(events));
    return { waits, line: error.message };
  };

  test("the wait grows to its limit and no further", async () => {
    const { waits, line } = await all(failing({ statusCode: 503, message: "busy" }));
    expect(waits).toEqual([1_000, 2_000, 3_000, 3_000]);
    expect(line).toBe("model: acme failed with status 503: busy (tried 5 times) (OVERLOADED)");
  });

  test("an unreachable provider gets fewer attempts", async () => {
    const { waits, line } = await all(failing(Object.assign(new Error("x"), { code: "ENOTFOUND" })));
    expect(waits).toEqual([1_000, 2_000]);
    expect(line).toBe(
      "model: cannot reach acme at https://api.acme.example/v1: host not found or unreachable (tried 3 times) (UNREACHABLE)",
    );
  });

  test("if the provider asks for a long wait, the turn fails", async () => {
    const { waits, line } = await all(
      failing({ statusCode: 429, message: "", responseHeaders: { "retry-after": "600" } }),
    );
    expect(waits).toEqual([]);
    expect(line).toBe("model: acme is limiting requests; it asks omp to wait 600 seconds (RATE_LIMITED)");
  });
});
